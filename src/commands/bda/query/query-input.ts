import { FileError, UsageError } from '../../../errors/index.ts';
import { isRecord, type JsonRecord } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import { inputName, jsonIn, readInput } from '../../framework/json-input.ts';

/** A request as JSON from a file or, as `-`, from stdin; an empty one where no file is named. Throws UsageError or FileError. */
export async function requestFrom(
  file: string | undefined,
  context: Context,
  what = 'query',
): Promise<JsonRecord> {
  if (file === undefined) return {};
  const name = inputName(file);
  const body = jsonIn(await readInput(file, context), name);
  if (isRecord(body)) return body;
  throw new UsageError(`${name} holds no ${what}`, {
    code: 'invalid_input',
    hints: [`a ${what} is a JSON object: {…}`],
  });
}

/** A second name after -d without a comma looks like the name of a file; undefined for any other error. */
export function misplacedColumn(
  file: string | undefined,
  columns: readonly string[],
  error: unknown,
): UsageError | undefined {
  const isWord = file !== undefined && /^\w+$/.test(file);
  if (!isWord || columns.length === 0 || !(error instanceof FileError)) return undefined;
  return new UsageError(error.message, {
    code: 'invalid_value',
    hints: [`if ${file} is a column, write it with a comma: a,${file}`],
  });
}
