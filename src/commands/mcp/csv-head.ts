import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';

/** The first `limit` records of a CSV file and the number of all, both with the header. Reads the file once, in constant memory. */
export async function readCsvHead(
  path: string,
  limit: number,
): Promise<{ readonly records: readonly (readonly string[])[]; readonly count: number }> {
  const { parse } = await import('csv-parse');
  const parser = parse();
  // Errors are thrown by the loop over the records.
  pipeline(createReadStream(path), parser, () => {});
  const records: (readonly string[])[] = [];
  let count = 0;
  for await (const record of parser) {
    if (count < limit) records.push(record);
    count += 1;
  }
  return { records, count };
}
