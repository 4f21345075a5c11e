import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';

/** The first records of a CSV file, and how many it has, the header included. Reads the file once, in constant memory. */
export async function beginningOf(
  path: string,
  records: number,
): Promise<{ readonly records: readonly (readonly string[])[]; readonly count: number }> {
  const { parse } = await import('csv-parse');
  const parser = parse();
  // Errors are thrown by the loop over the records.
  pipeline(createReadStream(path), parser, () => {});
  const found: (readonly string[])[] = [];
  let count = 0;
  for await (const record of parser) {
    if (count < records) found.push(record);
    count += 1;
  }
  return { records: found, count };
}
