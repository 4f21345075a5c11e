import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseSyncConfig } from '../../src/sync/config-file.ts';
import { run } from '../support/run.ts';
import { SYNC_FILE } from './source.ts';

const printed = await run(['schema', '--sync'], { cwd: '/' });
const ajv = new Ajv({ allErrors: true });
formats.default(ajv);
const validate = ajv.compile(JSON.parse(printed.stdout));

/** The verdicts of an editor, which has the schema, and of gatectl. */
function verdicts(text: string) {
  let isRead = true;
  try {
    parseSyncConfig('gatectl.sync.yaml', text);
  } catch {
    isRead = false;
  }
  return { editor: validate(parse(text)), gatectl: isRead };
}

const with_ = (line: string) => `${SYNC_FILE}    ${line}\n`;
const without = (key: string) => SYNC_FILE.replace(new RegExp(`^ *${key}:.*\\n`, 'm'), '');

describe('gatectl schema --sync', () => {
  test('prints a JSON Schema', () => {
    expect({ code: printed.code, stderr: printed.stderr }).toEqual({ code: 0, stderr: '' });
  });

  test.each([
    [SYNC_FILE],
    [without('destination')],
    [without('dimensions')],
    [`lookback: auto\n${SYNC_FILE}`],
    [`lookback: 14\n${SYNC_FILE}`],
    [`lookback: 14d\n${SYNC_FILE}`],
    [`domains: all\n${SYNC_FILE}`],
    [`domains: [a.example.com, b.example.com]\n${SYNC_FILE}`],
    [SYNC_FILE.replace('lake', 'duckdb:news.duckdb')],
    [SYNC_FILE.replace('lake', 'postgres://loader@db.example.com:5432/news?schema=web')],
    [SYNC_FILE.replace('lake', 's3://news/lake')],
    [SYNC_FILE.replace('[visits, revenue]', 'visits')],
    [with_('end: 2026-02-01')],
    [with_('partition: day')],
    [with_('platform: original')],
    [with_('history: true')],
    [with_("filters: 'visits>=3'")],
    [with_("filters: ['visits>=3', 'revenue>0']")],
    [with_('additive: [visits]')],
    [with_('additive: {visits: sum, revenue: distinct}')],
    [with_('additive: {revenue: {weight: visits}}')],
    [with_('additive: {revenue: {weight: visits, numerator: visits, factor: 0.5}}')],
  ])('accepts what gatectl reads: %j', text => {
    expect(verdicts(text)).toEqual({ editor: true, gatectl: true });
  });

  test.each([
    ['destinaton: x\n'],
    [''],
    [without('data_set')],
    [without('metrics')],
    [without('start')],
    [`destinaton: x\n${SYNC_FILE}`],
    [`api_key: abc\n${SYNC_FILE}`],
    [`lookback: a week\n${SYNC_FILE}`],
    [`domains: []\n${SYNC_FILE}`],
    [SYNC_FILE.replace('lake', 'mysql://db.example.com/news')],
    [SYNC_FILE.replace('lake', 'postgres://loader:made-up@db.example.com/news')],
    [SYNC_FILE.replace('pages:', 'Pages:')],
    [SYNC_FILE.replace('[visits, revenue]', '[]')],
    [SYNC_FILE.replace('[visits, revenue]', '[visits, visits]')],
    [SYNC_FILE.replace('2026-01-01', '1 January')],
    [SYNC_FILE.replace('2026-01-01', '2026-02-30')],
    [with_('partition: week')],
    [with_('platform: other')],
    [with_('history: sometimes')],
    [with_('history: true').replace('lake', 'duckdb:news.duckdb')],
    [with_('additive: {visits: mean}')],
    [with_('additive: {revenue: {numerator: visits}}')],
    [with_('additive: {revenue: {weight: visits, factor: 2}}')],
    [with_('additive: {revenue: {weight: visits, factor: 0, numerator: visits}}')],
    [with_('additive: {revenue: {wieght: visits}}')],
    [with_('colour: red')],
    [with_('tests:')],
    [with_('tests: {}')],
    [with_('tests: {not_null: []}')],
    [with_('tests: {range:}')],
    [with_('tests: {day_on_day: {}}')],
    [with_('tests: {day_on_day: {visits: {accept: 2026-03-01}}}')],
    [with_('tests: {day_on_day: {visits: {max: 2, accept: yesterday}}}')],
  ])('rejects what gatectl rejects: %j', text => {
    expect(verdicts(text)).toEqual({ editor: false, gatectl: false });
  });

  test.each([
    [['schema', '--sync', '--openapi'], 'error: --openapi and --sync cannot be combined\n'],
    [
      ['schema', '--sync', 'bda', 'sync'],
      'error: --sync describes sync files, not gatectl bda sync\n  gatectl schema --sync\n',
    ],
  ])('%j is rejected', async (args, stderr) => {
    expect(await run(args)).toEqual({ code: 2, stdout: '', stderr });
  });
});
