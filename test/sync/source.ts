import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { addDays, type Day } from '../../src/apis/bda/days.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type InProcess, type InProcessOptions, NOON, run } from '../support/run.ts';
import { type Received, type Reply, type WireServer, wireServer } from '../support/wire-server.ts';

export const KEY = 'key-for-sync-0001';

/** A row without its day: page, visits and revenue, as JSON texts. */
export interface SourceRow {
  readonly page: string;
  readonly visits: string;
  readonly revenue: string;
}

/** The figures of an account: rows by site id and day. */
export type Figures = Map<number, Map<Day, SourceRow[]>>;

const COLUMNS = [
  { name: 'report_day', type: 'date', data_sets: ['pageview'] },
  { name: 'page_url', type: 'string', data_sets: ['pageview'] },
  { name: 'visits', type: 'number', data_sets: ['pageview', 'visit'] },
  { name: 'revenue', type: 'number', data_sets: ['pageview'] },
  { name: 'bounce_rate', type: 'number', data_sets: ['visit'] },
];
const FIELD = { page_url: 'page', visits: 'visits', revenue: 'revenue' } as const;

/** Figures of sites and days, with `rows` rows a day. */
export function figuresOf(
  sites: readonly number[],
  from: Day,
  days: number,
  rows: (site: number, day: number) => number = () => 3,
): Figures {
  return new Map(
    sites.map(site => [
      site,
      new Map(
        Array.from({ length: days }, (_, day) => [
          addDays(from, day),
          Array.from({ length: rows(site, day) }, (_, row) => ({
            page: `"/page-${String(row).padStart(4, '0')}"`,
            visits: String(site + day + row),
            // No day has only integers, which would begin the column as one of integers.
            revenue: `${row}.${String(day % 100 === 0 ? 50 : day).padStart(2, '0')}`,
          })),
        ]),
      ),
    ]),
  );
}

/** How many of the smallest unit make 1. */
export const UNITS = 1_000_000_000n;

/** An exact sum of a column, by adding integers of its smallest unit. */
export function sumOf(figures: Figures, column: 'visits' | 'revenue'): bigint {
  let sum = 0n;
  for (const days of figures.values())
    for (const rows of days.values())
      for (const row of rows) {
        const [whole = '0', fraction = ''] = row[column].split('.');
        sum += BigInt(whole + fraction.padEnd(9, '0'));
      }
  return sum;
}

export function countOf(figures: Figures): number {
  return [...figures.values()]
    .flatMap(days => [...days.values()])
    .reduce((sum, rows) => sum + rows.length, 0);
}

/** Responds as BDA v2 does, from figures that may change between requests. */
export function respondFrom(figures: Figures): (request: Received) => Reply {
  return ({ method, target, body }) => {
    if (method === 'GET') {
      const domains = [...figures.keys()].map(id => ({ id, domain: `site-${id}.example.com` }));
      if (target.endsWith('/domains')) return { body: JSON.stringify({ domains }) };
      return { body: JSON.stringify({ columns: COLUMNS }) };
    }
    const query = JSON.parse(body) as {
      date_range: { start_date: Day; end_date: Day };
      dimensions: string[];
      metrics: string[];
      limit: number;
      offset?: number;
      domain_id: number;
    };
    const days = [...(figures.get(query.domain_id) ?? [])]
      .filter(([day]) => day >= query.date_range.start_date && day <= query.date_range.end_date)
      .sort(([one], [other]) => (one < other ? -1 : 1));
    const byPage = query.dimensions.includes('page_url');
    const rows = days.flatMap(([day, all]) => {
      const groups = byPage ? all : totalsOf(all);
      return groups.map(row => {
        const fields = [...query.dimensions.slice(1), ...query.metrics].map(
          name => `"${name}":${row[FIELD[name as keyof typeof FIELD]]}`,
        );
        return `{"report_day":"${day}"${fields.map(field => `,${field}`).join('')}}`;
      });
    });
    const { limit, offset = 0 } = query;
    return { body: `{"rows":[${rows.slice(offset, offset + limit).join(',')}],"total_rows":${rows.length}}` };
  };
}

function totalsOf(rows: readonly SourceRow[]): SourceRow[] {
  if (rows.length === 0) return [];
  const one: Figures = new Map([[0, new Map([['', [...rows]]])]]);
  const decimal = (units: bigint) => `${units / UNITS}.${String(units % UNITS).padStart(9, '0')}`;
  return [
    {
      page: '""',
      visits: String(sumOf(one, 'visits') / UNITS),
      revenue: decimal(sumOf(one, 'revenue')),
    },
  ];
}

export const SYNC_FILE = `destination: lake
tables:
  pages:
    data_set: pageview
    dimensions: [page_url]
    metrics: [visits, revenue]
    start: 2026-01-01
`;

export interface SyncRuns {
  readonly server: WireServer;
  readonly folder: string;
  readonly lake: string;
  /** Runs `gatectl bda sync …` in the folder. */
  sync(args: readonly string[], options?: InProcessOptions): Promise<InProcess>;
}

/** A gateway with these figures, and a folder with a sync file. */
export async function syncing(
  figures: Figures,
  file: string = SYNC_FILE,
  reply: (request: Received, index: number) => Reply | Promise<Reply> = respondFrom(figures),
): Promise<SyncRuns> {
  const server = await wireServer(reply);
  onTestFinished(() => server.close());
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'gatectl.sync.yaml'), file);
  return {
    server,
    folder,
    lake: join(folder, 'lake'),
    sync: (args, options = {}) =>
      run(['bda', 'sync', ...args], {
        now: NOON,
        cwd: folder,
        ...options,
        env: { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: KEY, TZ: 'UTC', ...options.env },
      }),
  };
}

/** The queries that a server got. */
export function queriesOf({ received }: WireServer): {
  domain_id: number;
  date_range: object;
  dimensions: string[];
}[] {
  return received.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));
}
