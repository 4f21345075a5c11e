import { UsageError } from '../../errors/index.ts';
import { readText } from '../../files/text-source.ts';
import { InvalidJsonError, type Json, parseJson } from '../../json/index.ts';
import type { Context } from './context.ts';

/** Reads JSON; `name` is the name of the text in messages. Throws UsageError. */
export function jsonIn(text: string, name: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof InvalidJsonError)) throw error;
    const { line, column } = error.position;
    throw new UsageError(`${name} is not JSON: ${error.message} (line ${line}, column ${column})`, {
      code: 'invalid_input',
    });
  }
}

/** The JSON of a file. Throws UsageError or FileError. */
export async function jsonFile(path: string, { signal }: Pick<Context, 'signal'>): Promise<Json> {
  return jsonIn(await readText(path, { signal }), path);
}

/** The text of a file, or of stdin as `-`. Ctrl-C ends the wait for either. Throws UsageError or FileError. */
export async function readInput(
  file: string,
  { io, signal }: Pick<Context, 'io' | 'signal'>,
): Promise<string> {
  return await readText(file === '-' ? io.stdin : file, { signal });
}

/** A file, or stdin as `-`, as messages name it. */
export function inputName(file: string): string {
  return file === '-' ? 'stdin' : file;
}
