import { expect } from 'vitest';
import type { Figures } from '../sync/source.ts';
import type { ClickHouseServer } from './servers/clickhouse.ts';

/** A number without the zeros that its column adds. */
function plain(digits: string): string {
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
}

/** Compares every cell of the table `pages` with what the gateway has. */
export async function expectSameCells(
  server: ClickHouseServer,
  database: string,
  figures: Figures,
  until = '2026-03-13',
): Promise<void> {
  const stored = await server.query(
    `SELECT domain_id, domain, report_day, page_url, visits, revenue FROM ${database}.pages ORDER BY domain_id, report_day, page_url FORMAT TabSeparated`,
  );
  const expected = [...figures].flatMap(([site, days]) =>
    [...days]
      .filter(([day]) => day >= '2026-01-01' && day <= until)
      .flatMap(([day, rows]) =>
        rows.map(({ page, visits, revenue }) =>
          [site, `site-${site}.example.com`, day, JSON.parse(page), plain(visits), plain(revenue)].join('\t'),
        ),
      ),
  );
  const found = stored.map(line => {
    const cells = line.split('\t');
    return [...cells.slice(0, 4), ...cells.slice(4).map(plain)].join('\t');
  });
  expect(found.sort()).toEqual(expected.sort());
}
