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

/** A file of tsv lines with the numbers in some columns without zeros at the end of their decimals: 5 for 5.00. Throws FileError. */
export async function* withoutEndZeros(path: string, columns: readonly number[]): AsyncGenerator<Uint8Array> {
  const shortened = (line: string) => {
    const cells = line.split('\t');
    for (const column of columns)
      cells[column] = (cells[column] ?? '').replace(/^(-?\d+(?=\.)(?:\.\d*[1-9])?)\.?0+$/, '$1');
    return cells.join('\t');
  };
  let started = '';
  for await (const chunk of chunksOf(path)) {
    // As latin1, each character is one byte.
    const lines = (started + Buffer.from(chunk).toString('latin1')).split('\n');
    started = lines.pop() ?? '';
    yield Buffer.from(lines.map(line => `${shortened(line)}\n`).join(''), 'latin1');
  }
}
