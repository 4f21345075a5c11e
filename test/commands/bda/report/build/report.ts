import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../support/folder.ts';
import type { InProcess } from '../../../../support/run.ts';
import type { Received, Reply } from '../../../../support/wire-server.ts';
import { analytics, dailyRows } from '../../analytics.ts';

export const WEEKLY = `title: Week of \${site}
subtitle: Compared with the week before
parameters:
  site: example.com
mail:
  from: Analytics <analytics@example.com>
  to: [Zoë Müller <zoe@example.com>, editors@example.com]
  cc: chief@example.com
  subject: Überblick über \${site} – eine Woche mit einem langen Betreff, der nicht in eine Zeile passt
defaults: {data-set: pageview, from: 2026-03-07, to: 2026-03-13}
sections:
  - text: |
      # Summary

      All figures are **net**. <script>alert(1)</script>
  - title: Countries
    query: {dimension: country, metric: visits, compare: previous}
    chart: true
    table: 2
  - title: Why
    why: {metric: visits, dimension: country}
    chart: true
`;

const LISTING = {
  columns: [
    { name: 'country', type: 'string' },
    { name: 'visits', type: 'integer', unit: 'count' },
    { name: 'revenue', type: 'decimal', unit: 'USD' },
  ],
};

const NOW = '{"country":"DE","visits":40},{"country":"US","visits":101},{"country":"NZ","visits":7}';
const BEFORE = '{"country":"DE","visits":100},{"country":"US","visits":100},{"country":"<b>","visits":3}';

/** Replies with the rows of two weeks and their totals, and with a listing of columns. */
export function weeks({ method, body, target }: Received): Reply {
  if (method !== 'GET') {
    const isNow = body.includes('2026-03-07');
    if (body.includes('report_day')) return { body: dailyRows('visits', '2026-02-28', [203, 148]) };
    if (!body.includes('"dimensions"'))
      return { body: `{"rows":[{"visits":${isNow ? 148 : 203}}],"total_rows":1}` };
    return { body: `{"rows":[${isNow ? NOW : BEFORE}],"total_rows":3}` };
  }
  return target.includes('columns') ? { body: JSON.stringify(LISTING) } : { status: 404, body: '{}' };
}

/** Builds a report in a folder of its own; `name` is that of the written file. */
export async function build(
  text: string,
  args: readonly string[] = [],
  { name, reply = weeks }: { readonly name?: string; readonly reply?: (request: Received) => Reply } = {},
): Promise<
  InProcess & {
    readonly written: () => Buffer;
    readonly path: string;
    readonly requests: readonly Received[];
  }
> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'weekly.yaml'), text);
  const path = join(folder, name ?? 'none');
  const { server, gatectl } = await analytics(reply);
  const out = name === undefined ? [] : ['--out', path];
  const result = await gatectl([
    'bda',
    'report',
    'build',
    join(folder, 'weekly.yaml'),
    '--tz',
    'UTC',
    ...out,
    ...args,
  ]);
  return {
    ...result,
    stderr: result.stderr.replaceAll(`${folder}/`, ''),
    stdout: result.stdout.replaceAll(`${folder}/`, ''),
    path,
    written: () => readFileSync(path),
    requests: server.received,
  };
}

/** A report with these lines of sections. */
export function withSections(...lines: readonly string[]): string {
  return `title: T\ndefaults: {data-set: pageview, from: 2026-03-07, to: 2026-03-13}\nsections:\n${lines.map(line => `  ${line}\n`).join('')}`;
}
