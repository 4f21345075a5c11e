import { readText } from '../../files/text-source.ts';
import { type Json, jsonIn } from '../../json/index.ts';
import type { Context } from './context.ts';

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
