import {
  converted,
  defaulting,
  type Form,
  integer,
  map,
  NUMBER,
  object,
  oneOrMore,
  optional,
  pattern,
  type ValueOf,
} from '../../documents/forms.ts';
import type { Located } from '../../documents/located.ts';
import { DAY } from '../day-form.ts';

const NAME = pattern(/\S/, 'a name');
/** The digits of a number as they are written. */
const BOUND = converted(NUMBER, (value, { content }) =>
  content.kind === 'scalar' && /^-?\d+(?:\.\d+)?$/.test(content.text) ? content.text : String(value),
);
const LIMITS = {
  min: optional('The least one that passes', BOUND),
  max: optional('The greatest one that passes', BOUND),
};
const CHECKED = {
  check({ min, max }: { readonly min?: string; readonly max?: string }, at: Located) {
    if (min === undefined && max === undefined) throw at.invalid(`${at.name} has neither min nor max`);
    if (Number(min) > Number(max)) throw at.invalid(`min is greater than max: ${min} is greater than ${max}`);
  },
  schema: { type: 'object', anyOf: [{ required: ['min'] }, { required: ['max'] }] },
} as const;
const BOUNDS = object(LIMITS, CHECKED);
const JUMP = object(
  {
    ...LIMITS,
    accept: defaulting('Days that pass, whatever the day before had', oneOrMore(DAY, { distinct: true }), []),
  },
  CHECKED,
);

const DAYS: Form<number> = {
  schema: {
    anyOf: [
      { type: 'string', pattern: '^[1-9]\\d{0,3}d?$' },
      { type: 'integer', minimum: 1, maximum: 9999 },
    ],
  },
  read(at) {
    const [, days] = at.content.kind === 'scalar' ? (/^([1-9]\d{0,3})d?$/.exec(at.content.text) ?? []) : [];
    if (days !== undefined) return Number(days);
    throw at.invalid(`${at.name} must be a number of days such as 3d`);
  },
};

const NAMES = oneOrMore(NAME, { distinct: true, min: 1 });

/** The tests of a table. */
export const TABLE_TESTS = object(
  {
    not_null: defaulting('Columns that have a value in each row', NAMES, []),
    unique: defaulting('Columns whose values together occur once', NAMES, []),
    range: defaulting('Columns whose numbers have bounds: `{min: 0, max: 100}`', map(BOUNDS, { min: 1 }), []),
    min_rows: optional('The least number of rows of a partition', integer({ min: 1 })),
    fresh_within: optional('The last days, up to yesterday, of which one has rows, such as `3d`', DAYS),
    day_on_day: defaulting(
      'Metrics whose sum of a day, divided by that of the last day before that passed, has bounds: `{min: 0.5, max: 2}`; `accept: 2026-03-12` accepts a jump that remains',
      map(JUMP, { min: 1 }),
      [],
    ),
  },
  {
    check(tests, at) {
      const isEmpty = Object.values(tests).every(test => Array.isArray(test) && test.length === 0);
      if (isEmpty) throw at.invalid(`${at.name} is empty`);
    },
    schema: { type: 'object', minProperties: 1 },
  },
);

export type TableTests = ValueOf<typeof TABLE_TESTS>;
export type Bounds = ValueOf<typeof BOUNDS>;
export type Jump = ValueOf<typeof JUMP>;
