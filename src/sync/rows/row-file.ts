import { chunksOf } from '../../export/stored-rows.ts';

/** A file of rows, each after a comma, as a JSON array. Throws FileError. */
export async function* arrayIn(path: string): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of chunksOf(path)) {
    if (isFirst) yield Buffer.from('[');
    yield isFirst ? chunk.subarray(1) : chunk;
    isFirst = false;
  }
  yield Buffer.from(']');
}

/** A file of lines with the names of its columns before them. Throws FileError. */
async function* withHeader(path: string, columns: readonly string[]): AsyncGenerator<Uint8Array> {
  const isCsv = path.endsWith('.csv');
  const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
  const cells = columns.map(name =>
    isCsv
      ? `"${name.replaceAll('"', '""')}"`
      : name.replaceAll(/[\\\t\n\r]/g, found => escapes[found] ?? found),
  );
  yield Buffer.from(`${cells.join(isCsv ? ',' : '\t')}\n`);
  yield* chunksOf(path);
}

/** The rows in a file of a partition as a file for people: a JSON array, or lines with a header. Throws FileError. */
export function completeFile(path: string, columns: readonly string[]): AsyncGenerator<Uint8Array> {
  return path.endsWith('.json') ? arrayIn(path) : withHeader(path, columns);
}
