import { expect } from 'vitest';
import type { Figures } from '../sync/source.ts';
import type { ClickHouseServer } from './servers/clickhouse.ts';

/** A number without the zeros that its column adds. */
function plain(digits: string): string {
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
}

/** Compares every cell of the table `pages` of a database with what the gateway has, on each of some servers. */
export async function expectCells(
  figures: Figures,
  servers: readonly ClickHouseServer[],
  database = 'stats',
): Promise<void> {
  for (const server of servers) expect(await cellsOf(server, database)).toEqual(sourceCells(figures));
}

/** A line for each row, sorted. */
async function cellsOf(server: ClickHouseServer, database: string): Promise<readonly string[]> {
  const stored = await server.query(
    `SELECT domain_id, domain, report_day, page_url, visits, revenue FROM ${database}.pages FORMAT TabSeparated`,
  );
  return stored
    .map(line => {
      const cells = line.split('\t');
      return [...cells.slice(0, 4), ...cells.slice(4).map(plain)].join('\t');
    })
    .sort();
}

/** What `cellsOf` returns once the table contains all that the gateway has. */
function sourceCells(figures: Figures): readonly string[] {
  return [...figures]
    .flatMap(([site, days]) =>
      [...days]
        .filter(([day]) => day >= '2026-01-01' && day <= '2026-03-13')
        .flatMap(([day, rows]) =>
          rows.map(({ page, visits, revenue }) =>
            [site, `site-${site}.example.com`, day, JSON.parse(page), plain(visits), plain(revenue)].join(
              '\t',
            ),
          ),
        ),
    )
    .sort();
}
