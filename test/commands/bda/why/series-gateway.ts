import type { Series } from '../../../series/read-series.ts';
import type { Received, Reply } from '../../../support/wire-server.ts';

/** The metrics of a gateway by its dimensions: each column of a series is a value. All dimensions have the same days. */
export interface Metrics {
  readonly [metric: string]: { readonly [dimension: string]: Series };
}

/** The series with the figures of some days multiplied, of one column or of all. */
export function changed(
  series: Series,
  { from, to, column, factor }: { from: string; to: string; column?: string; factor: number },
): Series {
  const columns = [...series.columns].map(([name, values]) => {
    const isChanged = (at: number) => {
      const day = series.days[at] ?? '';
      return day >= from && day <= to && (column === undefined || column === name);
    };
    return [name, values.map((value, at) => (isChanged(at) ? Math.round(value * factor) : value))] as const;
  });
  return { days: series.days, columns: new Map(columns) };
}

/** Replies as a gateway that has these figures. Days without a row in any column are left out. */
export function gatewayOf(metrics: Metrics): (request: Received) => Reply {
  const [first = {}] = Object.values(metrics);
  const [{ days } = { days: [] }] = Object.values(first);
  const columns = JSON.stringify([
    { name: 'report_day', type: 'date' },
    ...Object.keys(first).map(name => ({ name, type: 'string' })),
    ...Object.keys(metrics).map(name => ({ name, type: 'number' })),
  ]);
  const range = JSON.stringify({ earliest: days[0], latest: days.at(-1) });
  return ({ method, target, body }) => {
    if (method === 'GET') return { body: target.includes('date-range') ? range : columns };
    const rows = rowsFor(JSON.parse(body) as Query, metrics);
    return { body: JSON.stringify({ rows, total_rows: rows.length }) };
  };
}

interface Query {
  readonly date_range: { readonly start_date: string; readonly end_date: string };
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
}

function rowsFor(
  { date_range: { start_date: from, end_date: to }, dimensions, metrics: names }: Query,
  metrics: Metrics,
): Record<string, string | number>[] {
  const [dimension = ''] = dimensions;
  const rows = new Map<string, Record<string, string | number>>();
  for (const metric of names) {
    const series = metrics[metric]?.[dimension] ?? (Object.values(metrics[metric] ?? {})[0] as Series);
    for (const [column, values] of series.columns)
      for (const [at, day] of series.days.entries()) {
        const figure = values[at] ?? 0;
        // A gateway has no rows for what did not happen.
        if (day < from || day > to || (figure === 0 && names.length === 1)) continue;
        const value = dimension === 'report_day' ? day : column;
        const row = rows.get(value) ?? {
          [dimension]: value,
          ...Object.fromEntries(names.map(name => [name, 0])),
        };
        row[metric] = Number(row[metric]) + figure;
        rows.set(value, row);
      }
  }
  return [...rows.values()];
}
