import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ColumnNeeds, sqlType, type TableSchema } from '../../../src/sync/column-types.ts';
import { DuckDbSession } from '../../../src/sync/destinations/duckdb/session.ts';
import { viewOfLakeTable } from '../../../src/sync/sql/sync-tables.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { runs } from '../../support/runs.ts';
import { tableOf } from '../tables.ts';

const column = (name: string, kind: ColumnNeeds['kind'], whole = 0, scale = 0): ColumnNeeds => ({
  ...{ name, kind, whole, scale },
});
/** The types of each column, from the first to the widest one, with values of the first. */
const LADDERS: Readonly<Record<string, readonly [types: readonly ColumnNeeds[], values: readonly string[]]>> =
  {
    page_url: [[column('page_url', 'text')], ["'/a'", "''", 'NULL', "'it''s'"]],
    viewed: [
      [column('viewed', 'day'), column('viewed', 'text')],
      ["'2026-01-31'", 'NULL'],
    ],
    flag: [
      [column('flag', 'flag'), column('flag', 'text')],
      ['true', 'false', 'NULL'],
    ],
    filename: [[column('filename', 'text')], ["'x.html'", 'NULL']],
    visits: [
      [column('visits', 'number', 3), column('visits', 'number', 20, 0), column('visits', 'number', 38, 9)],
      ['0', '7', '999', 'NULL'],
    ],
    revenue: [
      [
        column('revenue', 'number', 5, 2),
        column('revenue', 'number', 5, 9),
        column('revenue', 'number', 30, 9),
      ],
      ['0.10', '-12345.67', 'NULL'],
    ],
  };
const NAMES = Object.keys(LADDERS);
const SITE = [column('domain_id', 'number', 3), column('domain', 'text'), column('report_day', 'day')];

const file = fc.record({
  site: fc.constantFrom(7, 8, 10),
  month: fc.constantFrom('2026-01', '2026-02', '2026-12'),
  columns: fc.subarray(NAMES),
  width: fc.array(fc.nat({ max: 2 }), { minLength: NAMES.length, maxLength: NAMES.length }),
  rows: fc.array(fc.tuple(fc.integer({ min: 1, max: 28 }), fc.nat({ max: 50 })), {
    minLength: 1,
    maxLength: 4,
  }),
});
type LakeFile = typeof file extends fc.Arbitrary<infer Value> ? Value : never;

const lake = fc
  .uniqueArray(file, { selector: ({ site, month }) => `${site}/${month}`, minLength: 1, maxLength: 6 })
  .map(files => files.sort((one, other) => (key(one) < key(other) ? -1 : 1)));
const key = ({ site, month }: LakeFile) => `${String(site).padStart(3)}/${month}`;

/** The type of a column in a file; the widest one in the table. */
function typeIn(name: string, width: number): ColumnNeeds {
  const [types] = LADDERS[name] ?? [[]];
  return types[Math.min(width, types.length - 1)] as ColumnNeeds;
}

const CONDITIONS = [
  'true',
  'domain_id = 7',
  'domain_id IN (7, 8) AND visits > 1',
  "month = '2026-02'",
  "month >= '2026-02' AND domain_id <> 8",
  "report_day = '2026-02-03'",
  "report_day >= '2026-01-20' AND report_day < '2026-02-10'",
  "domain_id = 10 OR report_day > '2026-12-01'",
  "page_url = '/a' OR revenue < 0",
  'year(report_day) = 2026 AND flag IS NULL',
];

test.each([
  ['few', 1000],
  ['many', 1],
])('a table of %s files has the rows of all, whatever columns and types they have', async (_, manyFiles) => {
  const session = await DuckDbSession.open(':memory:', 'memory', { config: { threads: '1' } });
  let count = 0;
  try {
    await fc.assert(
      fc.asyncProperty(lake, async files => {
        const folder = join(temporaryFolder(), `${count++}`);
        const paths: string[] = [];
        for (const { site, month, columns, width, rows } of files) {
          const at = join(folder, `domain_id=${site}/month=${month}`);
          mkdirSync(at, { recursive: true });
          const selected = rows.map(([day, seed]) => {
            const values = columns.map((name, index) => {
              const [, all] = LADDERS[name] ?? [[], []];
              const type = sqlType(typeIn(name, width[index] ?? 0));
              return `CAST(${all[(seed + index) % all.length]} AS ${type}) AS "${name}"`;
            });
            const own = `${site}::BIGINT AS domain_id, 'site-${site}' AS "domain", DATE '${month}-${String(day).padStart(2, '0')}' AS report_day`;
            return `SELECT ${[own, ...values].join(', ')}`;
          });
          paths.push(join(at, 'data.parquet'));
          await session.run(`COPY (${selected.join(' UNION ALL ')}) TO '${paths.at(-1)}'`);
        }
        const widest = NAMES.map(name => typeIn(name, 9));
        const schema: TableSchema = { version: 3, columns: [...SITE, ...widest] };
        await session.run('DROP VIEW IF EXISTS pages');
        await viewOfLakeTable(session, paths, tableOf({ name: 'pages' }), schema, manyFiles);
        const found = NAMES.filter(name => files.some(({ columns }) => columns.includes(name)));
        const all = widest.map(each => {
          const value = found.includes(each.name) ? `"${each.name}"` : 'NULL';
          return `CAST(${value} AS ${sqlType(each)}) AS "${each.name}"`;
        });
        await session.run('DROP TABLE IF EXISTS expected');
        await session.run(
          `CREATE TABLE expected AS SELECT domain_id, "domain", report_day, ${all.join(', ')}, month
           FROM read_parquet([${paths.map(path => `'${path}'`).join(', ')}], union_by_name = true,
             hive_partitioning = true, hive_types = {domain_id: BIGINT, month: VARCHAR})`,
        );
        expect(await session.rows('DESCRIBE pages')).toEqual(await session.rows('DESCRIBE expected'));
        for (const condition of CONDITIONS) {
          const rowsOf = (table: string) =>
            session.rows(`SELECT * FROM ${table} WHERE ${condition} ORDER BY ALL`);
          expect(await rowsOf('pages'), condition).toEqual(await rowsOf('expected'));
        }
        const totals = (table: string) =>
          session.rows(
            `SELECT domain_id, month, count(*) AS n, sum(visits) AS visits, sum(revenue)::DECIMAL(20,4) AS revenue, max(viewed) AS viewed
             FROM ${table} GROUP BY ALL ORDER BY ALL`,
          );
        expect(await totals('pages')).toEqual(await totals('expected'));
      }),
      { numRuns: runs(10) },
    );
  } finally {
    session.close();
  }
});
