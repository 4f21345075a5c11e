import { createReadStream } from 'node:fs';

/** Records with more text than this are cut. */
const MAX_CELL = 200;

/**
 * The first records of a CSV file that gatectl wrote (RFC 4180), and how many it has, the header included. Reads the file once, in
 * constant memory.
 */
export async function beginningOf(
  path: string,
  records: number,
): Promise<{ readonly records: readonly (readonly string[])[]; readonly count: number }> {
  const found: string[][] = [];
  let count = 0;
  let [isQuoted, wasQuote, isEmpty] = [false, false, true];
  let record: string[] = [];
  let cell = '';
  const endRecord = (): void => {
    count += 1;
    if (found.length < records) found.push([...record, cell]);
    record = [];
    cell = '';
    isEmpty = true;
  };
  for await (const chunk of createReadStream(path, 'utf8')) {
    for (const char of chunk as string) {
      if (char === '"') {
        if (!isQuoted && wasQuote) cell += '"';
        isQuoted = !isQuoted;
        wasQuote = !isQuoted;
        isEmpty = false;
        continue;
      }
      wasQuote = false;
      if (isQuoted) {
        if (found.length < records && cell.length < MAX_CELL) cell += char;
      } else if (char === '\n') endRecord();
      else if (char === ',') {
        if (found.length < records) record.push(cell);
        cell = '';
      } else if (char !== '\r') {
        isEmpty = false;
        if (found.length < records && cell.length < MAX_CELL) cell += char;
      }
    }
  }
  if (!isEmpty) endRecord();
  return { records: found, count };
}
