import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Figures } from '../sync/source.ts';
import { countOf, figuresOf, SYNC_FILE, syncing } from '../sync/source.ts';
import { PostgresServer, program } from './servers/postgres.ts';

let server: PostgresServer;
let databases = 0;

/** The URL of a new database. */
async function newDatabase(): Promise<{ readonly url: string; readonly name: string }> {
  databases += 1;
  const name = `d${databases}`;
  return { url: await server.database(name), name };
}

function fileFor(url: string, file = SYNC_FILE): string {
  return file.replace('destination: lake', `destination: ${url}`);
}

/** The rows that the figures of an account become, sorted. */
function expectedRows(figures: Figures): string[] {
  const rows = [...figures].flatMap(([site, days]) =>
    [...days].flatMap(([day, all]) =>
      all.map(({ page, visits, revenue }) =>
        [site, `site-${site}.example.com`, day, JSON.parse(page), visits, revenue].join('|'),
      ),
    ),
  );
  return rows.sort();
}

async function storedRows(name: string): Promise<string[]> {
  const rows = await server.query(
    'SELECT domain_id, domain, report_day, page_url, visits, revenue FROM gatectl.pages',
    name,
  );
  return rows.map(row => row.join('|')).sort();
}

describe.skipIf(program.find() === undefined)('bda sync into PostgreSQL', () => {
  beforeAll(async () => {
    server = await PostgresServer.create();
  });
  afterAll(() => server?.remove());

  test('writes every cell of the source, and requests nothing again that is final', async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 72);
    const { url, name } = await newDatabase();
    const { sync } = await syncing(figures, fileFor(url));
    expect(await sync(['run'])).toEqual({
      code: 0,
      stdout: `6 partitions written to ${url}
TABLE  PARTITIONS  ADDED  CHANGED  UNCHANGED  FAILED  ROWS  REQUESTS
pages           6      6        0          0       0   432         2
`,
      stderr: '',
    });
    expect(await storedRows(name)).toEqual(expectedRows(figures));
    expect(countOf(figures)).toBe(432);
    const again = JSON.parse((await sync(['run', '-o', 'json'])).stdout);
    expect(again.tables[0]).toMatchObject({ partitions: 2, unchanged: 2, changed: 0 });
    expect(await sync(['verify'])).toMatchObject({ code: 0 });
  });
});
