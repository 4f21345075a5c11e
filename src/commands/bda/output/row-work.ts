import { openDaysOf } from '../../../operations/rows/open-days.ts';
import type { Remaining, RowEvent, RowWork } from '../../../operations/rows/row-progress.ts';
import { type Sentence, sentence } from '../../../output/sentence.ts';
import { type Io, isOnTerminal } from '../../../terminal/io.ts';
import type { Context } from '../../framework/context.ts';

/** What requesting rows takes, from the context of a command. `allCommand` requests all rows, if this command has no `--all`. */
export async function rowWork(context: Context, allCommand?: string): Promise<RowWork> {
  const { retries } = await context.settings();
  return {
    clock: context.clock,
    signal: context.signal,
    retries: retries.value,
    progress: (total, unit) => context.log.progress(total, unit),
    openDays: () => openDaysOf(context),
    report: event => printEvent(event, allCommand, context),
  };
}

function printEvent(event: RowEvent, allCommand: string | undefined, { log, io }: Context): void {
  const isWarning = event.kind === 'warning' || ('isUnasked' in event && event.isUnasked);
  const text = eventText(event, allCommand, io);
  if (isWarning) log.warn(text);
  else log.note(text);
}

function eventText(event: RowEvent, allCommand: string | undefined, io: Io): Sentence {
  switch (event.kind) {
    case 'note':
    case 'warning':
      return event.text;
    case 'some_compared':
      return sentence`${event.text}; ${allCommand ?? '--all'} compares all, including rows that disappeared`;
    case 'weekdays_differ':
      return `the periods do not have the same days of the week${event.canShift ? '; --match-weekdays shifts them by complete weeks' : ''}`;
    case 'kept_as_text': {
      const { column, example } = event;
      const how = example.includes('.') ? '; --decimals N rounds them' : '';
      return `the column ${column} is text, because a spreadsheet would change numbers such as ${example}${how}`;
    }
    case 'remaining': {
      const { site, isUnasked } = event;
      const shows = `${(isUnasked ? undefined : allCommand) ?? '--all'} shows all`;
      // Who redirects a table to a file usually expects data.
      const isData = isUnasked && site === undefined && !isOnTerminal(io);
      return remainingText(event, isData ? `${shows}, --csv prints all as CSV` : shows);
    }
  }
}

function remainingText({ site, rows, total }: Remaining & { readonly site?: string }, how: string): Sentence {
  const of = site === undefined ? '' : `${site}: `;
  return total === undefined
    ? sentence`${of}the first ${rows} rows; there may be more, ${how}`
    : sentence`${of}${rows} of ${total} rows; ${how}`;
}
