import type { Received, Reply } from '../../../support/wire-server.ts';

/** Accounts whose figures changed for a known reason. */
export interface Scenario {
  readonly metric: 'revenue' | 'visits' | 'epmv';
  readonly cause: { readonly dimension: string; readonly value: string };
  /** Answers listings and queries like the gateway. */
  readonly reply: (request: Received) => Reply;
}

const DAY_MS = 86_400_000;
/** The first day of the requested week in all scenarios. */
export const FIRST_DAY = '2026-03-07';
export const LAST_DAY = '2026-03-13';
const DIMENSIONS: Readonly<Record<string, readonly string[]>> = {
  country: ['US', 'GB', 'DE', 'CA', 'FR', 'NL', 'ES', 'IT'],
  device: ['mobile', 'desktop', 'tablet'],
  traffic_source: ['search', 'social', 'direct', 'newsletter', 'referral'],
  gender: ['female', 'male', 'unknown'],
};
const NAMES = Object.keys(DIMENSIONS);
/** From one week to the next, figures vary by so much either way. */
const NOISE = 0.03;
const DRIFT = 0.04;
/** The requested week and those before it. */
const WEEKS = Array.from({ length: 14 }, (_, week) => week);

interface Cell {
  readonly values: Readonly<Record<string, string>>;
  readonly visits: number;
  readonly rate: number;
}

/** A scenario by its number: the same number gives the same figures. */
export function scenario(seed: number): Scenario {
  const random = randomBy(seed);
  const pick = <Value>(list: readonly Value[]): Value => list[Math.floor(random() * list.length)] as Value;
  const weights = new Map(
    Object.entries(DIMENSIONS).flatMap(([name, values]) =>
      values.map(value => [`${name} ${value}`, 0.4 + random()] as const),
    ),
  );
  const cells: Cell[] = [];
  const fill = (left: readonly string[], values: Readonly<Record<string, string>>, weight: number): void => {
    const [name, ...others] = left;
    if (name === undefined) {
      cells.push({ values, visits: 400 * weight, rate: 0.02 + 0.02 * random() });
      return;
    }
    for (const value of DIMENSIONS[name] ?? [])
      fill(others, { ...values, [name]: value }, weight * (weights.get(`${name} ${value}`) ?? 1));
  };
  fill(NAMES, {}, 1);

  const metric = pick(['revenue', 'visits', 'epmv'] as const);
  const dimension = pick(NAMES);
  const cause = { dimension, value: pick(DIMENSIONS[dimension] ?? []) };
  const factor = random() < 0.7 ? 0.3 + 0.35 * random() : 1.6 + random();
  const noise = new Map<string, number>();
  const varied = (key: string, by: number): number => {
    const known = noise.get(key) ?? 1 + by * (2 * random() - 1);
    noise.set(key, known);
    return known;
  };

  const figuresOf = (cell: Cell, week: number) => {
    const drift = varied(`week ${week}`, DRIFT);
    const own = NAMES.reduce((all, name) => all * varied(`${week} ${name} ${cell.values[name]}`, NOISE), 1);
    const isCaused = week === 0 && cell.values[cause.dimension] === cause.value;
    const visits = Math.round(cell.visits * drift * own * (isCaused && metric !== 'epmv' ? factor : 1));
    const rate = cell.rate * varied(`rate ${week}`, NOISE) * (isCaused && metric === 'epmv' ? factor : 1);
    return { visits, revenue: Math.round(visits * rate * 1e9) };
  };
  // In a fixed order, so that the figures do not depend on the order of the requests.
  const weeks = WEEKS.map(week => {
    const all = cells.map(cell => figuresOf(cell, week));
    return {
      visits: all.reduce((sum, cell) => sum + cell.visits, 0),
      revenue: all.reduce((sum, cell) => sum + BigInt(cell.revenue), 0n),
    };
  });

  /** The days of all weeks: the first of each has what its week has, so that the sums are exact. */
  const daysReply = (metrics: readonly string[]): string => {
    const rows = WEEKS.flatMap(week => {
      const none = { visits: 0, revenue: 0n };
      return [0, 1, 2, 3, 4, 5, 6].map(at => {
        const day = new Date(Date.parse(FIRST_DAY) - (7 * week - at) * DAY_MS).toISOString().slice(0, 10);
        return rowText('report_day', day, metrics, at === 0 ? (weeks[week] ?? none) : none);
      });
    });
    return `{"rows":[${rows.join(',')}],"total_rows":${rows.length}}`;
  };

  const reply = ({ method, target, body }: Received): Reply => {
    if (method === 'GET') return { body: target.includes('date-range') ? DAYS : COLUMNS };
    const query = JSON.parse(body) as {
      date_range: { start_date: string };
      dimensions: string[];
      metrics: string[];
      filters?: { column: string; values: string[] }[];
    };
    const start = Date.parse(query.date_range.start_date);
    const week = (Date.parse(FIRST_DAY) - start) / (7 * DAY_MS);
    const [name = ''] = query.dimensions;
    if (name === 'report_day') return { body: daysReply(query.metrics) };
    const groups = new Map<string, { visits: number; revenue: bigint }>();
    for (const cell of cells) {
      if (query.filters?.some(({ column, values }) => !values.includes(cell.values[column] ?? ''))) continue;
      const key = cell.values[name] ?? '';
      const { visits, revenue } = figuresOf(cell, week);
      const known = groups.get(key) ?? { visits: 0, revenue: 0n };
      groups.set(key, { visits: known.visits + visits, revenue: known.revenue + BigInt(revenue) });
    }
    const rows = [...groups].map(([value, figures]) => rowText(name, value, query.metrics, figures));
    return { body: `{"rows":[${rows.join(',')}],"total_rows":${rows.length}}` };
  };
  return { metric, cause, reply };
}

function rowText(
  dimension: string,
  value: string,
  metrics: readonly string[],
  { visits, revenue }: { readonly visits: number; readonly revenue: bigint },
): string {
  const digits = revenue.toString().padStart(10, '0');
  const figures: Record<string, string> = {
    visits: String(visits),
    revenue: `${digits.slice(0, -9)}.${digits.slice(-9)}`,
  };
  const fields = metrics.map(column => `"${column}":${figures[column]}`);
  return `{"${dimension}":"${value}",${fields.join(',')}}`;
}

const DAYS = '{"earliest_date":"2025-03-01","latest_date":"2026-03-13"}';
const COLUMNS = JSON.stringify(
  ['report_day', ...NAMES, 'page_url']
    .map(name => ({ name, type: name === 'report_day' ? 'date' : 'string' }))
    .concat(['visits', 'revenue', 'epmv'].map(name => ({ name, type: 'number' }))),
);

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomBy(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
