import { FileError, UsageError } from '../../../errors/index.ts';
import { isRecord, type JsonRecord } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import { inputName, jsonIn, readInput } from '../../framework/json-input.ts';

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
  { columns, hasDataSet }: { readonly columns: readonly string[]; readonly hasDataSet: boolean },
  error: unknown,
): UsageError | undefined {
  const isWord = file !== undefined && /^\w+$/.test(file);
  if (!isWord || !(error instanceof FileError)) return undefined;
  const hints = [
    ...(hasDataSet ? [] : [`if ${file} is a data set, type --data-set ${file}`]),
    ...(columns.length === 0 ? [] : [`if ${file} is a column, separate it with a comma: a,${file}`]),
  ];
  return hints.length === 0 ? undefined : new UsageError(error.message, { code: 'invalid_value', hints });
}
