import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readReport } from '../../../../../src/commands/bda/report/build/report-file.ts';
import { run } from '../../../../support/run.ts';
import { WEEKLY } from './report.ts';

const printed = await run(['schema', '--report'], { cwd: '/' });
const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(JSON.parse(printed.stdout));
const example = (name: string) =>
  readFileSync(new URL(`../../../../../docs/reports/${name}.yaml`, import.meta.url), 'utf8');

/** The verdicts of an editor, which has the schema, and of gatectl. */
function verdicts(text: string, given: Readonly<Record<string, string>> = {}) {
  let isRead = true;
  try {
    readReport('weekly.yaml', text, new Map(Object.entries(given)));
  } catch {
    isRead = false;
  }
  return { editor: validate(parse(text)), gatectl: isRead };
}

const report = (...lines: string[]) => `title: T\n${lines.join('\n')}\nsections: [{text: x}]\n`;
const section = (text: string) => `title: T\nparameters: {n: 5, word: year}\nsections:\n  - ${text}\n`;

describe('gatectl schema --report', () => {
  test('prints a JSON Schema', () => {
    expect({ code: printed.code, stderr: printed.stderr }).toEqual({ code: 0, stderr: '' });
  });

  test.each([
    ['weekly', {}],
    ['monthly', { month: '2026-02' }],
    ['page', {}],
  ])('accepts the example %s.yaml', (name, given) => {
    expect(verdicts(example(name), given)).toEqual({ editor: true, gatectl: true });
  });

  test.each([
    [WEEKLY],
    [report()],
    ['title: 2026\nsections: [{text: 5}, {text: true}]\n'],
    [report('subtitle:', 'decimals:', 'parameters:', 'defaults:', 'mail:')],
    [report('subtitle: 2026-02', 'decimals: 0')],
    [report('decimals: 15')],
    [report('parameters: {d: 3}', `decimals: \${d}`)],
    [report('parameters: {month: 2026-02, a-b_1: true}')],
    [report('mail: {}')],
    [report('mail: {from: a@example.com, to: [b@example.com, c@example.com], cc: [], subject: x}')],
    [report('defaults: {last: 7d, metric: [visits, revenue], top: 5, include-today: false}')],
    [section('{title: x, text: "# x"}')],
    [section('{query: top-pages}')],
    [section('{query: }')],
    [section('{query: {saved: top-pages, last: 30d}}')],
    [section('{query: {dimension: [country, device], metric: visits, filter: "visits>=3", limit: 20}}')],
    [section('{query: {metric: visits, compare: previous, match-weekdays: true, limit: }}')],
    [section(`{query: {metric: visits, compare: "\${word}", limit: "\${n}"}}`)],
    [section('{query: {metric: visits, limit: 20}, table: 5, chart: false, columns: visits}')],
    [section('{query: {metric: visits}, table: false, chart: true}')],
    [section('{query: {metric: visits}, table: , chart: }')],
    [section(`{query: {metric: visits}, table: "\${n}", columns: [country, visits]}`)],
    [section('{why: {metric: revenue, dimension: [country], depth: 2, top: 10}, chart: true}')],
    [section('{why: {metric: revenue}, table: false}')],
    [section('{why: {}}')],
    [section('{why: }')],
  ])('accepts what gatectl reads: %j', text => {
    expect(verdicts(text)).toEqual({ editor: true, gatectl: true });
  });

  test.each([
    [''],
    ['title: T\n'],
    ['sections: [{text: x}]\n'],
    ['title:\nsections: [{text: x}]\n'],
    ['title: [T]\nsections: [{text: x}]\n'],
    ['title: T\nsections: []\n'],
    ['title: T\nsections: {text: x}\n'],
    ['title: T\nsections: [x]\n'],
    [report('titel: x')],
    [report('api_key: abc')],
    [report('subtitle: [a]')],
    [report('decimals: 16')],
    [report('decimals: -1')],
    [report('decimals: 1.5')],
    [report('decimals: few')],
    [report('decimals: "3"')],
    [report('parameters: [a]')],
    [report('parameters: {1a: x}')],
    [report('parameters: {a: [x]}')],
    [report('parameters: {a: "x\\ny"}')],
    [report('defaults: {lats: 7d}')],
    [report('defaults: [last]')],
    [report('mail: {to: b@example.com, bcc: c@example.com}')],
    [report('mail: {to: {a: b}}')],
    [report('mail: {to: [a@example.com, ]}').replace(', ]', ', null]')],
    [section('{}')],
    [section('{title: x}')],
    [section('{text: }')],
    [section('{text: x, chart: true}')],
    [section('{text: x, columns: [a]}')],
    [section('{text: x, query: top-pages}')],
    [section('{query: {metric: visits}, why: {metric: visits}}')],
    [section('{query: [top-pages]}')],
    [section('{query: {metric: visits}, table: false}')],
    [section('{query: {metric: visits}, table: false, chart: false}')],
    [section('{query: {metric: visits}, table: 0}')],
    [section('{query: {metric: visits}, table: many}')],
    [section('{query: {metric: visits}, chart: 1}')],
    [section('{query: {metric: visits}, columns: [{a: b}]}')],
    [section('{query: {metrics: visits}}')],
    [section('{query: {metric: visits, out: x.csv}}')],
    [section('{query: {metric: visits, this: fortnight}}')],
    [section('{query: {metric: visits, include-today: maybe}}')],
    [section('{query: {metric: visits, limit: 0}}')],
    [section('{query: {metric: visits, limit: many}}')],
    [section('{query: {metric: visits, limit: "20"}}')],
    [section('{text: x, query: top-pages, chart: false}')],
    [section('{query: {metric: {a: b}}}')],
    [section('{why: revenue}')],
    [section('{why: {metric: [visits, revenue]}}')],
    [section('{why: {metric: revenue, depth: 3}}')],
  ])('rejects what gatectl rejects: %j', text => {
    expect(verdicts(text)).toEqual({ editor: false, gatectl: false });
  });

  test.each([
    [['schema', '--report', '--sync'], 'error: --sync and --report cannot be combined\n'],
    [
      ['schema', '--report', 'bda', 'report'],
      'error: --report describes report files, not gatectl bda report\n  gatectl schema --report\n',
    ],
  ])('%j is rejected', async (args, stderr) => {
    expect(await run(args)).toEqual({ code: 2, stdout: '', stderr });
  });
});
