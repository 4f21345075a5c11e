import { readFileSync } from 'node:fs';
import type { Day } from '../../src/apis/bda/days.ts';

/** A daily series of test/series or of another folder: what each column had on each day. */
export interface Series {
  readonly days: readonly Day[];
  readonly columns: ReadonlyMap<string, readonly number[]>;
}

/** Reads a CSV file whose first column is the day. */
export function readSeries(name: string, folder: URL = new URL('.', import.meta.url)): Series {
  const lines = readFileSync(new URL(name, folder), 'utf8').trimEnd().split('\n');
  const [head = [], ...rows] = lines.map(line => line.split(','));
  const columns = head.slice(1).map((column, at) => {
    const values = rows.map(row => Number(row[at + 1]));
    return [column, values] as const;
  });
  return { days: rows.map(([day = '']) => day), columns: new Map(columns) };
}
