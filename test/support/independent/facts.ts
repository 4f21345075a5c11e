// A small table of facts, and how rows are made of it. Both versions of the independent gateway answer from it; nothing here is shared
// with src.

export type Cell = string | number | null;
export type Row = Record<string, Cell>;

/** One line of the table. Revenue is in millionths, so that sums are exact. */
interface Fact {
  readonly day: string;
  readonly site: number;
  readonly country: string;
  readonly device: string;
  readonly platform: 'service' | 'original';
  readonly url: string;
  readonly visits: number;
  readonly pageviews: number;
  readonly bounces: number;
  readonly micros: number;
}

export const SITES = [5, 6];
export const FIRST_DAY = '2026-02-02';
export const LAST_DAY = '2026-03-15';

export const DIMENSIONS: Readonly<Record<string, (fact: Fact, url: string) => string>> = {
  report_day: ({ day }) => day,
  report_week: ({ day }) => mondayOf(day),
  report_month: ({ day }) => `${day.slice(0, 7)}-01`,
  country: ({ country }) => country,
  device: ({ device }) => device,
  page_url: (_, url) => url,
};

export const TIMES = ['report_day', 'report_week', 'report_month'];

interface Sums {
  visits: number;
  pageviews: number;
  bounces: number;
  micros: number;
}

export const METRICS: Readonly<Record<string, (sums: Sums) => number | null>> = {
  visits: ({ visits }) => visits,
  pageviews: ({ pageviews }) => pageviews,
  bounce_rate: ({ bounces, visits }) => (visits === 0 ? null : bounces / visits),
  revenue: ({ micros }) => micros / 1e6,
};

export interface Condition {
  readonly column: string;
  readonly matches: (value: Cell) => boolean;
}

/** What both versions mean by a request, in no version's words. */
export interface Question {
  readonly from: string;
  readonly to: string;
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
  /** Those of dimensions select facts, those of metrics select rows. */
  readonly conditions: readonly Condition[];
  readonly site: number | undefined;
  readonly platform: 'service' | 'original' | undefined;
  readonly keepsParams: boolean;
  readonly keepsFragments: boolean;
}

/** The rows of a question, by their dimensions from left to right. */
export function rowsOf(question: Question): Row[] {
  const groups = new Map<string, { cells: Row; sums: Sums }>();
  for (const fact of FACTS) {
    if (fact.day < question.from || fact.day > question.to) continue;
    if (question.site !== undefined && fact.site !== question.site) continue;
    if (question.platform !== undefined && fact.platform !== question.platform) continue;
    const url = urlOf(fact.url, question);
    const selects = ({ column, matches }: Condition) => {
      const read = DIMENSIONS[column];
      return read === undefined || matches(read(fact, url));
    };
    if (!question.conditions.every(selects)) continue;
    const cells = Object.fromEntries(
      question.dimensions.map(name => [name, DIMENSIONS[name]?.(fact, url) ?? null]),
    );
    const key = JSON.stringify(Object.values(cells));
    const group = groups.get(key) ?? { cells, sums: { visits: 0, pageviews: 0, bounces: 0, micros: 0 } };
    groups.set(key, group);
    for (const name of ['visits', 'pageviews', 'bounces', 'micros'] as const) group.sums[name] += fact[name];
  }
  const having = question.conditions.filter(({ column }) => METRICS[column] !== undefined);
  return [...groups]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .filter(([, { sums }]) => having.every(({ column, matches }) => matches(METRICS[column]?.(sums) ?? null)))
    .map(([, { cells, sums }]) => ({
      ...cells,
      ...Object.fromEntries(question.metrics.map(name => [name, METRICS[name]?.(sums) ?? null])),
    }));
}

/** Rows by one column; equal ones stay as they are. Null comes before any value. */
export function sorted(rows: readonly Row[], column: string, descending: boolean): Row[] {
  const rank = (value: Cell | undefined) => (value === null || value === undefined ? undefined : value);
  return [...rows].sort((left, right) => {
    const [one, other] = [rank(left[column]), rank(right[column])];
    if (one === other) return 0;
    const isLess = one === undefined || (other !== undefined && one < other);
    return isLess === descending ? 1 : -1;
  });
}

export function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

export function dayAfter(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10);
}

function mondayOf(day: string): string {
  return dayAfter(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7));
}

function urlOf(url: string, { keepsParams, keepsFragments }: Question): string {
  const [rest = '', fragment] = url.split('#');
  const page = keepsParams ? rest : (rest.split('?')[0] ?? '');
  return fragment !== undefined && keepsFragments ? `${page}#${fragment}` : page;
}

const FACTS: readonly Fact[] = makeFacts();

function makeFacts(): Fact[] {
  const facts: Fact[] = [];
  let state = 7;
  const next = (below: number) => {
    state = (state * 16_807) % 2_147_483_647;
    return state % below;
  };
  for (let day = FIRST_DAY; day <= LAST_DAY; day = dayAfter(day, 1))
    for (const site of SITES)
      for (const country of ['DE', 'FR', 'US'])
        for (const device of ['desktop', 'mobile'])
          for (const platform of ['service', 'original'] as const)
            for (const url of ['/a', '/a?x=1', '/b#top']) {
              // Uneven groups: some have no rows on some days, some have rows without visits.
              if (next(3) === 0) continue;
              const visits = next(9);
              const pageviews = visits + next(14);
              const micros = next(4) === 0 ? 0 : next(3_000_000);
              facts.push({
                day,
                site,
                country,
                device,
                platform,
                url,
                visits,
                pageviews,
                bounces: next(visits + 1),
                micros,
              });
            }
  return facts;
}
