import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Gateway } from '../../../src/client/index.ts';
import { bdaGroup } from '../../../src/commands/bda/group.ts';
import { readParquet } from '../../support/duckdb.ts';
import { temporaryFolder } from '../../support/folder.ts';
import type { InProcess } from '../../support/run.ts';
import { isFull, STEP } from '../../support/runs.ts';
import { readWorkbook } from '../../support/workbook.ts';
import { syncing } from '../../sync/source.ts';
import { session } from '../mcp/session.ts';
import { analytics, KEY } from './analytics.ts';
import {
  type Asked,
  GATEWAYS,
  LIKE_HONEST_V1,
  type Page,
  type Row,
  rowsFor,
  serving,
} from './hostile-gateways.ts';

// Every command that produces rows, in front of every gateway that loses some of them. A result is that of an honest gateway, or it is
// flagged: a warning or an error, 7 or 6 with --strict, and complete: false where JSON is an object.

const DAYS = ['--from', '2026-02-01', '--to', '2026-02-28'];
const QUERY = ['bda', 'query', '--data-set', 'pageview', '-d', 'country', '-m', 'visits', ...DAYS];
const REPORT = ['bda', 'report', 'run', '-d', 'country', '-m', 'visits', ...DAYS];
const V1 = JSON.stringify({
  DimensionColumns: [{ Data: 'country', Type: 'string' }],
  MetricColumns: [{ Data: 'visits', Type: 'number' }],
  ...{ StartDate: '2026-02-01', EndDate: '2026-02-28', MaxItems: 2000 },
});
const BUILD = `title: T
sections:
  - query: { data-set: pageview, dimension: country, metric: visits, from: 2026-02-01, to: 2026-02-28 }
    table: 100
`;

/** The command lines of a row-producing command, by its name below bda; `FILE` is a file with `input`. */
const COMMANDS: Readonly<
  Record<string, { readonly input?: string; readonly lines: readonly (readonly string[])[] }>
> = {
  query: {
    lines: [
      [...QUERY, '--csv'],
      [...QUERY, '--json'],
      [...QUERY, '-o', 'ndjson', '--page-size', '9'],
      [...QUERY, '-o', 'md', '--all'],
      [...QUERY, '--limit', '2000', '--csv'],
      [...QUERY, '--limit', '20', '--json'],
      [...QUERY, '--out', 'rows.csv'],
      [...QUERY, '--out', 'rows.xlsx'],
      [...QUERY, '--out', 'rows.parquet'],
      [...QUERY, '--all', '-o', 'html'],
      [...QUERY, '--compare', 'previous', '--csv'],
      [...QUERY, '--domain', 'site-7.example.com,site-8.example.com', '--csv'],
      [...QUERY, '--domain', 'site-7.example.com,site-8.example.com', '--out', 'rows.parquet'],
    ],
  },
  'report run': {
    lines: [
      [...REPORT, '--csv'],
      [...REPORT, '--json'],
      [...REPORT, '-o', 'ndjson', '--page-size', '9'],
      [...REPORT, '--limit', '2000', '--csv'],
      [...REPORT, '--limit', '20', '--json'],
      [...REPORT, '--out', 'rows.csv'],
      [...REPORT, '--compare', 'previous', '--csv'],
      [...REPORT, '--domain', 'site-7.example.com,site-8.example.com', '--csv'],
      [...REPORT, '--domain', 'site-7.example.com,site-8.example.com', '--out', 'rows.parquet'],
    ],
  },
  'report build': {
    input: BUILD,
    lines: [
      ['bda', 'report', 'build', 'FILE', '--format', 'md'],
      ['bda', 'report', 'build', 'FILE', '--json'],
      ['bda', 'report', 'build', 'FILE', '--out', 'rows.xlsx'],
    ],
  },
  why: {
    lines: [['bda', 'why', '--data-set', 'pageview', '-m', 'visits', '-d', 'country', ...DAYS, '--json']],
  },
  watch: {
    lines: [['bda', 'watch', '--data-set', 'pageview', '-m', 'visits', '--json', '--state', 'STATE']],
  },
  'migrate-query': {
    input: V1,
    lines: [['bda', 'migrate-query', 'FILE', '--run', '--csv']],
  },
};

/** `query run` is `query` with another source. */
const COVERED_BY: Readonly<Record<string, string>> = { 'query run': 'query' };

interface Leaf {
  readonly name: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly commands?: readonly Leaf[];
}

function strictCommands({ commands = [], options = {} }: Leaf, path: readonly string[] = []): string[] {
  const own = 'strict' in options ? [path.join(' ')] : [];
  return [...own, ...commands.flatMap(command => strictCommands(command, [...path, command.name]))];
}

test('every command with --strict is in the matrix', () => {
  const all = strictCommands(bdaGroup as unknown as Leaf);
  expect(all.length).toBeGreaterThan(4);
  expect(all.filter(name => COMMANDS[COVERED_BY[name] ?? name] === undefined)).toEqual([]);
});

async function runAt(
  page: (asked: Asked) => Page,
  line: readonly string[],
  input: string,
  more: readonly string[] = [],
  rows = rowsFor,
) {
  const folder = temporaryFolder();
  const files = { FILE: join(folder, 'input'), STATE: join(folder, 'state.json') };
  writeFileSync(files.FILE, input);
  const { gatectl } = await analytics(serving(page, rows));
  const path = line.includes('--out') ? join(folder, line[line.indexOf('--out') + 1] ?? '') : undefined;
  const words = line.map((word, index) =>
    line[index - 1] === '--out' ? (path ?? word) : (files[word as keyof typeof files] ?? word),
  );
  const ran: InProcess = await gatectl([...words, ...more], { cwd: folder, sleep: async () => {} });
  const written = path === undefined ? '' : await readRows(path);
  return { ...ran, result: `${ran.stdout}${written}`.replace(/^.*"requests".*\n/m, '') };
}

/** What a file of rows says, in a form that is the same for the same rows. */
async function readRows(path: string): Promise<string> {
  if (!existsSync(path)) return 'no file';
  if (path.endsWith('.xlsx')) return JSON.stringify(readWorkbook(path).map(({ rows }) => rows));
  if (path.endsWith('.parquet')) return JSON.stringify(await readParquet(path));
  return readFileSync(path, 'utf8');
}

const HOSTILE = Object.entries(GATEWAYS).filter(([name]) => name !== 'is honest');
const HONEST = GATEWAYS['is honest'] as (asked: Asked) => Page;

/** The distance of the gateways that are tried in `npm test`, where each run costs tens of milliseconds. */
const EVERY = isFull ? 1 : 2 * STEP;

/** The gateways that one row of the matrix is tried with: all in a full run, else another share for each row. */
function tried(row: number): typeof HOSTILE {
  return HOSTILE.filter((_, index) => (index + row) % EVERY === 0);
}

const cases = Object.entries(COMMANDS)
  .flatMap(([name, { input = '', lines }]) =>
    lines.map(line => ({ title: `${name}: ${line.slice(-2).join(' ')}`, line, input })),
  )
  .map(({ title, ...entry }, row) => [title, { ...entry, row }] as const);

test.each(cases)('%s is complete or flagged at any gateway', async (_, { line, input, row }) => {
  const isV1 = line[1] === 'report' && line[2] === 'run';
  const honest = await runAt(HONEST, line, input);
  expect({ code: honest.code, stderr: honest.stderr }).toEqual({
    code: 0,
    stderr: expect.not.stringContaining('warning: received'),
  });
  expect(honest.result).toContain(line[1] === 'why' || line[1] === 'watch' ? 'visits' : 'C19');
  const silent: string[] = [];
  for (const [name, page] of tried(row)) {
    const plain = await runAt(page, line, input);
    const fewer = isV1 ? LIKE_HONEST_V1[name] : undefined;
    if (fewer !== undefined) {
      const same = await runAt(HONEST, line, input, [], body => [...fewer(rowsFor(body))]);
      expect([name, plain.code, plain.result]).toEqual([name, same.code, same.result]);
      continue;
    }
    const isFlagged = plain.code !== 0 || plain.stderr.includes('warning: ');
    if (plain.result === honest.result) continue;
    if (!isFlagged) silent.push(`${name}: ${plain.result.slice(0, 300)}`);
    const strict = await runAt(page, line, input, ['--strict']);
    if (![6, 7].includes(strict.code)) silent.push(`${name} --strict: ${strict.code} ${strict.stderr}`);
    if (line.includes('--json') && plain.stdout.startsWith('{') && plain.code === 0)
      if (!plain.stdout.includes('"complete": false')) silent.push(`${name}: complete`);
  }
  expect(silent).toEqual([]);
});

const RANGE = { from: '2026-02-01', to: '2026-02-28' };
const COLUMNS = { dimension: ['country'], metric: ['visits'] };
const TOOLS = [
  ['query', { data_set: 'pageview', ...COLUMNS, ...RANGE }],
  ['query', { data_set: 'pageview', ...COLUMNS, ...RANGE, limit: 2000 }],
  ['why', { data_set: 'pageview', metric: 'visits', dimension: ['country'], ...RANGE }],
  ['report', { name: 'Countries', ...RANGE }],
  ['watch', { data_set: 'pageview', metric: ['visits'] }],
] as const;

async function callAt(page: (asked: Asked) => Page, tool: string, given: object) {
  const { server } = await analytics(serving(page));
  const env = { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: KEY };
  const { call, close } = await session([], { env, sleep: async () => {} });
  const { isError, data } = await call(tool, given);
  const rows =
    typeof data.file === 'string'
      ? readFileSync(data.file, 'utf8')
      : JSON.stringify({ ...data.result, requests: 0 });
  await close();
  return { isError, rows, complete: data.complete ?? data.result?.complete };
}

test.each(TOOLS.map(([tool, given], row) => [tool, row, given] as const))(
  'the tool %s of mcp (%i) states whether its rows are complete, at any gateway',
  async (tool, row, given) => {
    const honest = await callAt(HONEST, tool, given);
    expect(honest).toMatchObject({ isError: false, complete: true });
    for (const [name, page] of tried(row)) {
      if (tool === 'report' && LIKE_HONEST_V1[name] !== undefined) continue;
      // The request for a saved report names no columns, so that none is missed.
      if (tool === 'report' && name === 'omits a column') continue;
      const { isError, complete, rows } = await callAt(page, tool, given);
      if (!isError && complete !== false) expect([name, rows]).toEqual([name, honest.rows]);
    }
  },
);

const SYNC_FILE = `destination: lake
tables:
  countries:
    data_set: pageview
    dimensions: [country]
    metrics: [visits]
    start: 2026-01-01
    end: 2026-02-28
`;

/** Three rows a day; sums for a day where a query names no other column. */
function syncRows(body: Record<string, unknown>): Row[] {
  const { start_date: from, end_date: to } = body.date_range as { start_date: string; end_date: string };
  const days = rowsFor({
    ...body,
    dimensions: ['report_day'],
    date_range: { start_date: from, end_date: to },
  });
  if (!String(body.dimensions).includes('country'))
    return days.map(({ report_day = '' }) => ({ report_day, visits: 33 }));
  return days.flatMap(({ report_day = '' }) =>
    [10, 11, 12].map(visits => ({ report_day, country: `C${visits}`, visits })),
  );
}

const SYNC_COLUMNS = ['report_day', 'country', 'visits'].map(name => ({
  name,
  type: { report_day: 'date', visits: 'number' }[name] ?? 'string',
  data_sets: ['pageview'],
}));

/** The rows of each partition in the lake. */
async function syncAt(page: (asked: Asked) => Page, line: readonly string[]) {
  const answer = serving(page, syncRows);
  const { sync, lake } = await syncing(new Map(), SYNC_FILE, request =>
    request.target.endsWith('/columns')
      ? { body: JSON.stringify({ columns: SYNC_COLUMNS }) }
      : answer(request),
  );
  const { code, stderr } = await sync(line, { sleep: async () => {} });
  const files = existsSync(lake) ? readdirSync(lake, { recursive: true, encoding: 'utf8' }) : [];
  const parts: Record<string, string> = {};
  for (const path of files.filter(name => name.endsWith('.parquet')).sort()) {
    const { rows } = await readParquet(join(lake, path));
    const key = path.replace(/[^/]*$/, '');
    parts[key] = `${parts[key] ?? ''}${JSON.stringify(rows)}`;
  }
  return { code, stderr, parts };
}

test('bda sync run writes a partition completely, or says that it did not, at any gateway', async () => {
  const honest = await syncAt(HONEST, ['run']);
  expect(honest.code, honest.stderr).toBe(0);
  expect(Object.keys(honest.parts).length).toBeGreaterThan(3);
  for (const [name, page] of tried(0)) {
    const { code, stderr, parts } = await syncAt(page, ['run']);
    for (const [key, rows] of Object.entries(parts))
      expect([name, key, rows], stderr).toEqual([name, key, honest.parts[key]]);
    const isFlagged = code !== 0 || stderr.includes('warning: ');
    if (!isFlagged) expect([name, parts], stderr).toEqual([name, honest.parts]);
  }
});

test('a parity is proven by complete rows only, at any gateway', async () => {
  const verify = ['bda', 'migrate-query', 'FILE', '--verify'];
  for (const [name, page] of [['is honest', HONEST] as const, ...tried(0)]) {
    const { code, stderr } = await runAt(page, verify, V1);
    const rows = /agree in ([\d,]+) rows?/.exec(stderr)?.[1];
    if (name === 'is honest') expect(code, stderr).toBe(0);
    expect({ name, code, rows }, stderr).toEqual(
      code === 0 ? { name, code, rows: '23' } : { name, code: 7, rows },
    );
  }
});

test('the client states whether its rows are complete, at any gateway', async () => {
  const rowsOfAll = rowsFor({});
  for (const [name, page] of [['is honest', HONEST] as const, ...tried(3)]) {
    const { server } = await analytics(serving(page));
    const { bda, bdaV1 } = new Gateway({ baseUrl: server.baseUrl, apiKey: KEY, retries: 1 });
    const range = { start_date: RANGE.from, end_date: RANGE.to };
    const query = { data_set: 'pageview', date_range: range, dimensions: ['country'], metrics: ['visits'] };
    const columns = {
      DimensionColumns: [{ Data: 'country', Type: 'string' as const }],
      MetricColumns: [{ Data: 'visits', Type: 'number' as const }],
      ...{ StartDate: RANGE.from, EndDate: RANGE.to },
    };
    const limits = [{}, { limit: 2000 }].map(limit => bda.query({ ...query, ...limit }, { numbers: Number }));
    const most = [{}, { MaxItems: 2000 }].map(limit =>
      bdaV1.data('columns', { ...columns, ...limit }, { numbers: Number }),
    );
    const isUnseen = LIKE_HONEST_V1[name] !== undefined;
    for (const rows of [...limits, ...(isUnseen ? [] : most)]) {
      const found = await rows.toArray().catch((error: { kind: string }) => error.kind);
      if (rows.stats?.complete && found !== 'partial') expect([name, found]).toEqual([name, rowsOfAll]);
      else
        expect([name, found === 'partial' || (rows.stats?.warnings.length ?? 0) > 0]).toEqual([name, true]);
    }
  }
});
