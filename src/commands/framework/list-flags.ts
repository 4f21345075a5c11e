import type { ListProblems } from '../../apis/subscriptions/readers-file.ts';
import { invalidInput } from '../../errors/usage.ts';
import { ENCODINGS } from '../../files/text-encoding.ts';
import { pluralize } from '../../terminal/numbers.ts';
import type { Context } from './context.ts';
import { boolean, oneOf, string, type ValuesOf } from './define-command.ts';

/** The flags that control how a list of readers is read. */
export const LIST_FLAGS = {
  emailColumn: string('--email-column <name>', 'column with the addresses (default: detected)'),
  encoding: oneOf(
    '--encoding <name>',
    'encoding without a byte order mark (default: detected in a file, else utf-8)',
    ENCODINGS,
  ),
  skipInvalid: boolean('--skip-invalid', 'skip invalid lines instead of stopping'),
};

/** `fromFile` is a path, or `-` for stdin. */
type ListFlags = ValuesOf<typeof LIST_FLAGS> & { readonly fromFile: string };

/** What reading a list found. */
interface ListReport {
  readonly problems: ListProblems;
  readonly duplicates: number;
  readonly repaired: number;
  /** Number of readers to check. */
  readonly size: number;
}

/** Prints what was skipped or repaired in a list. Throws UsageError for invalid lines, unless they are skipped, and for no readers. */
export function reportList(
  { problems, duplicates, repaired, size }: ListReport,
  { fromFile, skipInvalid }: Pick<ListFlags, 'fromFile' | 'skipInvalid'>,
  { log }: Pick<Context, 'log'>,
): void {
  const isEmpty = size === 0 && (problems.count === 0 || skipInvalid);
  if (isEmpty || (problems.count > 0 && !skipInvalid)) {
    const named = fromFile === '-' ? 'the readers on stdin' : fromFile;
    throw invalidInput(
      `${named} cannot be used, and nothing was sent`,
      ...(isEmpty
        ? [...problems.lines, 'the list contains no reader']
        : [...problems.lines, 'fix them, or pass --skip-invalid']),
    );
  }
  if (problems.count > 0) log.warn(`skipped ${pluralize(problems.count, 'invalid line')}`, problems.lines);
  if (repaired > 0)
    log.note(`removed quotes, brackets or invisible characters around ${pluralize(repaired, 'line')}`);
  if (duplicates > 0)
    log.note(duplicates === 1 ? 'skipped 1 duplicate address' : `skipped ${duplicates} duplicate addresses`);
}
