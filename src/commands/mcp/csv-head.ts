import { pipeline } from 'node:stream';
import { createReadStream } from '../../files/disk.ts';

/** The first `limit` records of a CSV file, with the header. */
export async function readCsvHead(path: string, limit: number): Promise<readonly (readonly string[])[]> {
  const { parse } = await import('csv-parse');
  const parser = parse({ to: limit });
  // Errors are thrown by the loop over the records.
  pipeline(createReadStream(path), parser, () => {});
  const records: (readonly string[])[] = [];
  for await (const record of parser) records.push(record);
  return records;
}
