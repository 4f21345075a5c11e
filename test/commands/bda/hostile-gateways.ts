import type { Received, Reply } from '../../support/wire-server.ts';

/** What is requested of a gateway. */
export interface Asked {
  readonly offset: number;
  readonly limit: number;
  /** The number of the request for the same rows. */
  readonly turn: number;
  readonly rows: readonly Row[];
}
export type Row = Readonly<Record<string, string | number>>;
export interface Page {
  readonly rows: readonly Row[];
  readonly total?: number | undefined;
}

const slice = ({ rows, offset, limit }: Asked, from = offset, most = limit): Page => ({
  rows: rows.slice(from, from + Math.min(limit, most)),
  total: rows.length,
});
const third = ({ rows }: Asked) => Math.ceil(rows.length / 3);
const withTotal = (asked: Asked, total: number | undefined): Page => ({ ...slice(asked), total });

/** Gateways that lose rows, or misstate them. */
export const GATEWAYS: Readonly<Record<string, (asked: Asked) => Page>> = {
  'is honest': asked => slice(asked),
  'caps its pages': asked => slice(asked, asked.offset, third(asked)),
  'caps its pages at an odd number': asked => slice(asked, asked.offset, third(asked) - 1),
  'caps its pages and counts offsets from 1': asked =>
    slice(asked, Math.max(0, asked.offset - 1), third(asked)),
  'caps its pages and repeats the first': asked => slice(asked, 0, third(asked)),
  'shortens its pages': asked => slice(asked, asked.offset, Math.max(1, asked.limit - 1, 0)),
  'loses the last rows': asked => ({
    ...slice({ ...asked, rows: asked.rows.slice(0, -2) }),
    total: asked.rows.length,
  }),
  'states a total that is too small': asked => withTotal(asked, 2),
  'states a total of zero': asked => withTotal(asked, 0),
  'states a total that is too large': asked => withTotal(asked, asked.rows.length + 9),
  'changes its total': asked => ({
    ...slice(asked, asked.offset, third(asked)),
    total: asked.rows.length + asked.turn,
  }),
  'states no total': asked => ({ rows: slice(asked, asked.offset, third(asked)).rows }),
  'is empty once': asked => (asked.turn === 0 ? { rows: [], total: asked.rows.length } : slice(asked)),
  'is always empty': asked => ({ rows: [], total: asked.rows.length }),
  'returns more rows than requested': asked => slice({ ...asked, limit: asked.limit + 5 }),
  'returns a row twice': asked => ({
    ...slice(asked),
    rows: slice(asked).rows.map((row, index, all) => (index === 1 ? (all[0] ?? row) : row)),
  }),
  'omits a column': asked => ({
    ...slice(asked),
    rows: slice(asked).rows.map(({ visits: _, ...row }) => row),
  }),
};
/** v1 states no total, so these gateways are the same as an honest one with fewer rows. */
export const LIKE_HONEST_V1: Readonly<Record<string, (rows: readonly Row[]) => readonly Row[]>> = {
  'loses the last rows': rows => rows.slice(0, -2),
  'is always empty': () => [],
  'is empty once': () => [],
};

const DAY_MS = 86_400_000;

const COUNTRIES = 23;
const SUM_OF_INDEXES = (COUNTRIES * (COUNTRIES - 1)) / 2;

/** The rows that a request selects. */
export function rowsFor(body: Record<string, unknown>): Row[] {
  const range = body.date_range as { start_date: string; end_date: string } | undefined;
  const [from, to] =
    range === undefined
      ? [String(body.StartDate ?? '2026-02-01'), String(body.EndDate ?? '2026-02-28')]
      : [range.start_date, range.end_date];
  if (String(body.dimensions).includes('report_day')) {
    const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
    return Array.from({ length: days }, (_, index) => {
      const day = new Date(Date.parse(from) + index * DAY_MS).toISOString().slice(0, 10);
      // Four weeks of a month have the visits of its countries.
      const mean = (COUNTRIES * 1000 - Number(day.slice(5, 7)) * SUM_OF_INDEXES) / 28;
      return { report_day: day, visits: Number((mean + ((index % 7) - 3) * 10).toFixed(6)) };
    });
  }
  const month = Number(from.slice(5, 7));
  return Array.from({ length: COUNTRIES }, (_, index) => ({
    country: `C${index}`,
    visits: 1000 - index * month,
  }));
}

/** Sites for several domains in a query. */
const DOMAINS = [7, 8].map(id => ({ id, domain: `site-${id}.example.com` }));

/** Answers queries of v1 and v2 with pages of `rows`; a number of the request is counted for each site and period. */
export function serving(
  page: (asked: Asked) => Page,
  rows: (body: Record<string, unknown>) => readonly Row[] = rowsFor,
): (request: Received) => Reply {
  const turns = new Map<string, number>();
  return ({ method, target, body: text }) => {
    if (method === 'GET' && /\/(get)?domains/.test(target))
      return { body: JSON.stringify({ domains: DOMAINS }) };
    if (method === 'GET') return { status: 404, body: '{}' };
    const body = JSON.parse(text);
    const isV1 = target.includes('/bdaservices/get');
    const {
      limit = 100,
      offset = 0,
      ...query
    } = isV1 ? { ...body, limit: body.MaxItems, offset: body.StartItem } : body;
    const key = JSON.stringify([query.date_range, query.StartDate, query.domain_id, query.DomainId]);
    const turn = turns.get(key) ?? 0;
    turns.set(key, turn + 1);
    const found = page({ offset, limit, turn, rows: rows(query) });
    return { body: JSON.stringify(isV1 ? found.rows : { rows: found.rows, total_rows: found.total }) };
  };
}
