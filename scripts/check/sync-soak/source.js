import { readFileSync } from 'node:fs';

const FROM = '2026-02-20';
const TO = '2026-03-05';
export const DAY_MS = 86_400_000;
export const SITES = [7, 8];
export const METRICS = ['visits', 'revenue', 'bounce_rate'];
export const TABLES = {
  pages: { dimensions: ['device'], partition: 'day' },
  countries: { dimensions: ['country'], partition: 'month' },
};

const apiPath = /BDA_V2_PREFIX = '([^']+)'/.exec(
  readFileSync(new URL('../../../src/wire/bda-v2.ts', import.meta.url), 'utf8'),
)[1];

/** Everything is requested again in each run: what the gateway restates, it restates at any age. */
export const configOf = (destination, history) => `destination: ${destination}
lookback: 9999d
tables:
${Object.entries(TABLES)
  .map(
    ([name, { dimensions, partition }]) => `  ${name}:
    data_set: pageview
    dimensions: [${dimensions}]
    metrics: [${METRICS}]
    start: ${FROM}
    end: ${TO}
    partition: ${partition}
${history ? '    history: true\n' : ''}`,
  )
  .join('')}`;

/** Such as `2026-02` for a table with a partition a month. */
export const partitionOf = (table, day) => (TABLES[table].partition === 'day' ? day : day.slice(0, 7));

/** The rows of the source: a line of its cells for each row, by table, site and day. Read without any of gatectl's code. */
export async function sourceRows({ baseUrl, apiKey }) {
  const days = new Map();
  for (const [table, { dimensions }] of Object.entries(TABLES))
    for (const site of SITES) {
      const columns = ['report_day', ...dimensions, ...METRICS];
      const response = await fetch(`${baseUrl}${apiPath}/query`, {
        method: 'POST',
        headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          data_set: 'pageview',
          date_range: { start_date: FROM, end_date: TO },
          dimensions: ['report_day', ...dimensions],
          metrics: METRICS,
          domain_id: site,
          limit: 100_000,
        }),
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`the source: ${response.status} ${text}`);
      const rows = text.slice(text.indexOf('[') + 1, text.lastIndexOf(']'));
      for (const [row] of rows.matchAll(/\{[^}]*\}/g)) {
        const cells = new Map(
          [...row.matchAll(/"(\w+)":("(?:[^"\\]|\\.)*"|[^,}]+)/g)].map(([, name, value]) => [name, value]),
        );
        const line = columns.map(name => cellText(cells.get(name) ?? 'null')).join('|');
        const key = `${table}/${site}/${cells.get('report_day').slice(1, -1)}`;
        days.set(key, [...(days.get(key) ?? []), line]);
      }
    }
  for (const lines of days.values()) lines.sort();
  return days;
}

/** A JSON value as text; numbers without trailing zeros. */
function cellText(value) {
  if (value.startsWith('"')) return JSON.parse(value);
  if (value === 'null') return '';
  return plain(value);
}

export function plain(number) {
  if (/e/i.test(number)) return String(Number(number));
  return number.includes('.') ? number.replace(/^(-?)\./, '$10.').replace(/\.?0+$/, '') : number;
}
