import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../support/folder.ts';
import { run } from '../../../support/run.ts';
import { analytics } from '../analytics.ts';

const asked = (metric: string) => ['bda', 'why', '-m', metric, '-d', 'device', '--last', '7d', '--sandbox'];

/** The explanation in Markdown: sentences, and the cells of the table without padding. */
async function explained(metric: string): Promise<{ sentences: string[]; rows: string[] }> {
  const { stdout } = await run([...asked(metric), '-o', 'md', '--quiet']);
  const lines = stdout.split('\n');
  return {
    sentences: lines.flatMap(line => (line.startsWith('- ') ? [line.slice(2)] : [])),
    rows: lines.flatMap(line => (line.startsWith('| ') ? [cellsOf(line)] : [])),
  };
}

function cellsOf(line: string): string {
  return line.replaceAll(/ +/g, ' ').replaceAll(/-+/g, '-');
}

describe('the figures of an explanation for people', () => {
  test('a duration is in hours in the sentences, as in the table', async () => {
    const { sentences } = await explained('engaged_time');
    expect(sentences.slice(0, 3)).toEqual([
      'Engaged time fell by 20 h 33 m (−3.5 %), as usual (−11.2 % to +12.6 %).',
      'From 580 h 9 m (28 February to 6 March 2026) to 559 h 36 m (7 to 13 March 2026).',
      'By device: desktop makes up 60 % of the fall (−12 h 24 m).',
    ]);
  });

  test('money has its currency in the headline, the sentences and the headings', async () => {
    const { sentences, rows } = await explained('revenue');
    expect(sentences).toEqual([
      'Revenue fell by 23.96 USD (−3.0 %), as usual (−5.0 % to +5.3 %).',
      'From 797.18 USD (28 February to 6 March 2026) to 773.23 USD (7 to 13 March 2026).',
      'By device: mobile makes up 79 % of the falls of 24.75 USD (−19.44 USD).',
    ]);
    expect(rows[0]).toBe(
      '| Dimension | Value | Before (USD) | Now (USD) | Contribution (USD) | Share of rises/falls | Status |',
    );
  });

  test('programs get the sentences with all digits and names of the API', async () => {
    const { stdout } = await run([...asked('engaged_time'), '--json', '--quiet']);
    expect(JSON.parse(stdout).sentences[0]).toMatch(/^engaged_time fell by 73,981\.39 \(-3\.5 %\)/);
  });

  test.each(['engaged_time', 'revenue', 'bounce_rate', 'epmv'])('a report has those of %s', async metric => {
    const { sentences, rows } = await explained(metric);
    const path = join(temporaryFolder(), 'report.yaml');
    writeFileSync(
      path,
      `title: Weekly\ndefaults: {data-set: pageview, last: 7d}\nsections:\n  - title: Why\n    why: {metric: ${metric}, dimension: device}\n`,
    );
    const { stdout } = await run(['bda', 'report', 'build', path, '-o', 'md', '--sandbox', '--quiet']);
    expect(sentences.length).toBeGreaterThan(2);
    for (const sentence of sentences) expect(stdout).toContain(sentence);
    const built = stdout.split('\n').map(cellsOf);
    for (const row of rows) expect(built).toContain(row);
  });
});

test('a quotient of a metric in percent is in percent, and its changes are in points', async () => {
  const figures = { before: [12, 600], now: [24, 800] } as const;
  const { gatectl } = await analytics(({ target, method, body }) => {
    const column = (name: string, type: string, unit?: string) => ({ name, type, ...(unit && { unit }) });
    if (method === 'GET' && target.includes('/columns'))
      return {
        body: JSON.stringify({
          columns: [
            column('report_day', 'date'),
            column('device', 'string'),
            column('conversion', 'number', 'percent'),
            column('signups', 'number', 'count'),
            column('visits', 'number', 'count'),
          ],
        }),
      };
    if (method === 'GET') return { status: 404, body: '{}' };
    const [signups, visits] = figures[body.includes('2026-03-07') ? 'now' : 'before'];
    const rows = body.includes('report_day') ? [] : [{ device: 'mobile', signups, visits }];
    return { body: JSON.stringify({ rows, total_rows: rows.length }) };
  });
  const asked = [...'bda why --data-set pageview -m conversion -d device --tz UTC'.split(' '), '-o', 'md'];
  const days = ['--from', '2026-03-07', '--to', '2026-03-13'];
  const plain = await gatectl([...asked, ...days, '--ratio', 'conversion=signups/visits']);
  expect(plain.stdout, plain.stderr).toContain('Conversion rose by 1.0 pp (+50.0 %)');
  expect(plain.stdout).toContain('From 2.0 % (28 February to 6 March 2026) to 3.0 % (7 to 13 March 2026).');
  const thousands = await gatectl([...asked, ...days, '--ratio', 'conversion=1000*signups/visits']);
  expect(thousands.stdout).toContain('From 20.0 % (28 February to 6 March 2026) to 30.0 % (');
  const invalid = await gatectl([...asked, ...days, '--ratio', 'conversion=x*signups/visits']);
  expect(invalid.stderr).toContain("'METRIC=1000*DIVIDED/WEIGHT'");
});

test.each(['rpm=revenue/revenue', 'rpm=0*revenue/visits', 'rpm=revenue/rpm'])(
  '--ratio %s defines no quotient',
  async ratio => {
    const ran = await run(['bda', 'why', '-m', 'rpm', '--ratio', ratio, '--last', '7d', '--sandbox']);
    expect([ran.code, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr).toContain("type --ratio 'METRIC=DIVIDED/WEIGHT', such as ");
  },
);
