import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../support/runs.ts';
import { type Figures, figuresOf, SYNC_FILE, type SyncRuns, syncing } from './source.ts';

/** A number of hundredths, and another spelling of it. */
interface Spelled {
  readonly hundredths: number;
  readonly text: string;
}

function shortest(hundredths: number): string {
  return String(hundredths / 100);
}

const spelled: fc.Arbitrary<Spelled> = fc
  .tuple(
    fc.oneof(
      fc.integer({ min: -99_999, max: 99_999 }),
      fc.integer({ min: -999, max: 999 }).map(n => n * 100),
    ),
    fc.integer({ min: 0, max: 25 }),
    fc.constantFrom('plain', 'quoted', 'exponent'),
  )
  .map(([hundredths, zeros, form]) => {
    const sign = hundredths < 0 ? '-' : '';
    const digits = String(Math.abs(hundredths)).padStart(3, '0');
    const plain = `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}${'0'.repeat(zeros)}`;
    const text = { plain, quoted: `"${plain}"`, exponent: `${hundredths}e-2` }[form] as string;
    return { hundredths, text };
  });

const DAYS = ['2026-03-10', '2026-03-11', '2026-03-12', '2026-03-13'];
const rowsOfDays = fc.array(fc.array(spelled, { minLength: 1, maxLength: 3 }), {
  minLength: 4,
  maxLength: 4,
});

function figuresWith(days: readonly (readonly string[])[]): Figures {
  const figures = figuresOf([7], '2026-03-10', 4);
  for (const [index, day] of DAYS.entries())
    figures.get(7)?.set(
      day,
      (days[index] ?? []).map((revenue, row) => ({ page: `"/${row}"`, visits: `${row}.00`, revenue })),
    );
  return figures;
}

function fileWith(destination: string, pin = ''): string {
  const file = SYNC_FILE.replace('destination: lake', `destination: ${destination}`);
  return `${file.replace('2026-01-01', '2026-03-10')}    partition: day\n${pin}`;
}

/** The Parquet files of a lake, and its column types. */
function contentOf({ lake }: SyncRuns): Record<string, string> {
  const names = readdirSync(lake, { recursive: true, encoding: 'utf8' }).filter(name =>
    /data\.parquet$|tables.pages\.json$/.test(name),
  );
  return Object.fromEntries(
    names.sort().map(name => [name, readFileSync(join(lake, name)).toString('base64')]),
  );
}

/** The sums of revenue in a DuckDB file, by day. */
async function storedSums(folder: string): Promise<unknown[]> {
  const instance = await DuckDBInstance.create(join(folder, 'analytics.duckdb'));
  const connection = await instance.connect();
  try {
    const tables = await connection.runAndReadAll(
      `SELECT 1 FROM information_schema.tables WHERE table_name = 'pages'`,
    );
    if (tables.getRows().length === 0) return [];
    const days = await connection.runAndReadAll(
      'SELECT sum(revenue)::VARCHAR AS revenue FROM pages GROUP BY report_day ORDER BY report_day',
    );
    return days.getRowObjects().map(({ revenue }) => revenue);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

test('the bytes of a lake depend on the values of numbers, and not on how they are spelled', async () => {
  await fc.assert(
    fc.asyncProperty(rowsOfDays, async days => {
      const contents = [];
      for (const textOf of [({ text }: Spelled) => text, (one: Spelled) => shortest(one.hundredths)]) {
        const syncs = await syncing(figuresWith(days.map(rows => rows.map(textOf))), fileWith('lake'));
        expect((await syncs.sync(['run', '-q'])).code).toBe(0);
        contents.push(contentOf(syncs));
      }
      expect(contents[0]).toEqual(contents[1]);
    }),
    { numRuns: runs(30) },
  );
});

test.each(['lake', 'duckdb:analytics.duckdb'])(
  'a column that is pinned to bigint in %s takes the partitions all of whose values are integers',
  async destination => {
    await fc.assert(
      fc.asyncProperty(rowsOfDays, async days => {
        const { sync, folder } = await syncing(
          figuresWith(days.map(rows => rows.map(({ text }) => text))),
          fileWith(destination, '    types: {visits: bigint, revenue: bigint}\n'),
        );
        const { code, stdout } = await sync(['run', '-q', '-o', 'json']);
        const isInteger = (rows: readonly Spelled[]) =>
          rows.every(({ hundredths }) => hundredths % 100 === 0);
        const whole = days.filter(isInteger);
        const [table] = JSON.parse(stdout).tables;
        expect([code, table.added]).toEqual([whole.length === days.length ? 0 : 7, whole.length]);
        // Each partition that failed names a value of it that is no integer.
        for (const { from, error } of JSON.parse(stdout).failures) {
          const [, value, day] =
            /^quarantined: revenue is pinned to BIGINT, .*, such as (\S+) on (\S+)$/.exec(error) ?? [];
          const hundredths = Math.round(100 * Number(value));
          const rows = days[DAYS.indexOf(day ?? '')] ?? [];
          expect([day, rows.find(row => row.hundredths === hundredths) !== undefined]).toEqual([from, true]);
          expect(hundredths % 100).not.toBe(0);
        }
        if (destination === 'lake') return;
        const sums = whole.map(rows => rows.reduce((sum, { hundredths }) => sum + hundredths / 100, 0));
        expect(await storedSums(folder)).toEqual(sums.map(String));
      }),
      { numRuns: runs(20) },
    );
  },
);
