import { lastDays } from '../../../analysis/relative-dates.ts';
import { FileError, UsageError } from '../../../errors/index.ts';
import { isRecord, type JsonRecord, jsonIn } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import { inputName, readInput } from '../../framework/json-input.ts';

/** Reads a request as JSON from a file or from stdin (`-`); an empty one without a file. Throws UsageError or FileError. */
export async function requestFrom(
  file: string | undefined,
  context: Context,
  what = 'query',
): Promise<JsonRecord> {
  if (file === undefined) return {};
  const name = inputName(file);
  const body = jsonIn(await readInput(file, context), name);
  if (isRecord(body)) return body;
  throw new UsageError(`no ${what} in ${name}`, {
    code: 'invalid_input',
    hints: [`a ${what} is a JSON object: {…}`],
  });
}

/**
 * A data set without its flag, and a second name after -d without a comma, look like the name of a file; undefined for any other
 * error.
 */
export function misplacedName(
  file: string | undefined,
  {
    columns,
    hasDataSet,
    last,
    isSaved,
  }: {
    readonly columns: readonly string[];
    readonly hasDataSet: boolean;
    /** The value of --last; the word may be its unit. */
    readonly last: string | undefined;
    /** Whether a saved query has this name. */
    readonly isSaved: (name: string) => boolean;
  },
  error: unknown,
): UsageError | undefined {
  if (file !== undefined && error instanceof FileError && isSaved(file))
    return new UsageError(error.message, {
      code: 'invalid_value',
      hints: [`to run the saved query, type gatectl bda query run ${file}`],
    });
  const isWord = file !== undefined && /^\w+$/.test(file);
  if (!isWord || !(error instanceof FileError)) return undefined;
  if (last !== undefined && lastDays(`${last} ${file}`, '2026-01-01') !== undefined)
    return new UsageError(`--last ${last} ${file} is two words`, {
      code: 'invalid_value',
      hints: [`type --last '${last} ${file}' or --last ${last}${file.charAt(0)}`],
    });
  const hints = [
    ...(hasDataSet ? [] : [`if ${file} is a data set, type --data-set ${file}`]),
    ...(columns.length === 0 ? [] : [`if ${file} is a column, separate it with a comma: a,${file}`]),
  ];
  return hints.length === 0 ? undefined : new UsageError(error.message, { code: 'invalid_value', hints });
}
