import { type Day, isDay } from '../apis/bda/days.ts';
import type { Form } from '../documents/forms.ts';

/** A day of the calendar. */
export const DAY: Form<Day> = {
  schema: { type: 'string', format: 'date', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  read(at) {
    const text = at.content.kind === 'scalar' ? at.content.text : '';
    if (isDay(text)) return text;
    throw at.invalid(`${at.name} must be a day, YYYY-MM-DD`);
  },
};
