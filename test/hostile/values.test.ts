import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { leavesOf } from '../../src/commands/framework/define-command.ts';
import { tree } from '../../src/commands/tree.ts';
import { SANDBOX_API_KEY, startSandbox } from '../../src/sandbox/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type InProcess, NOON, run } from '../support/run.ts';
import { isFull } from '../support/runs.ts';
import { wireServer } from '../support/wire-server.ts';
import { CHART, CHART_FILES, type OutputKind, PRINTED, REPORT_FILES, ROW_FILES, written } from './outputs.ts';
import { HARD_VALUES, NEUTRAL_VALUES, renamed, rewriterTo } from './values.ts';

// Each command runs twice, in every format: with neutral values and with hard ones in the texts of the server and of the files it reads.
// What other programs read in the two outputs is equal up to the renaming.

interface Tried {
  readonly args: readonly string[];
  readonly input?: string;
  /** Outputs beyond those of every command. */
  readonly more?: readonly (readonly [string, OutputKind])[];
  /** Instead of those of every command. */
  readonly only?: readonly (readonly [string, OutputKind])[];
  /** Whether rows are stored in files that reject what is not valid Unicode. */
  readonly isStored?: boolean;
  /** Whether names that requests select by are replaced, too. */
  readonly withNames?: boolean;
}

const READER = ['--email', 'active@example.com'];
const DAYS = ['--from', '2026-03-01', '--to', '2026-03-05'];
const QUERY = ['--data-set', 'pageview', '-d', 'country', '-m', 'visits', ...DAYS];
const ROWS = [...ROW_FILES, ...CHART_FILES, ...CHART];

/** A session of a program that calls a tool. */
const MCP_INPUT = [
  {
    method: 'initialize',
    id: 1,
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { method: 'tools/list', id: 2 },
].map(message => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

const MCP_OUTPUT: OutputKind = {
  flags: () => [],
  read: bytes =>
    bytes
      .toString()
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.stringify(JSON.parse(line))),
  shown: [value => value],
};

const PROMETHEUS: OutputKind = {
  flags: path => ['--metrics', path],
  file: 'prom',
  read: bytes =>
    bytes
      .toString()
      .split('\n')
      .filter(line => !line.includes('timestamp')),
  shown: [],
  isPicture: true,
};

/** Every command that prints or writes texts from outside. */
const COMMANDS: Readonly<Record<string, readonly Tried[]>> = {
  access: [{ args: ['--product', 'gold', ...READER] }],
  'access audit': [
    { args: ['--product', 'gold', '--from-file', '-'], input: 'active@example.com\nexpired@example.com\n' },
  ],
  'access wait': [{ args: ['--product', 'gold', '--for', '0', ...READER] }],
  products: [{ args: READER }],
  reader: [{ args: READER }],
  purchases: [{ args: READER }],
  token: [{ args: READER }],
  'cdn ping': [{ args: [] }],
  'cdn purge': [
    { args: ['https://example.com/a', 'https://example.com/b'] },
    { args: ['https://example.com/a', '--impact'] },
    { args: ['https://example.com/a', '--dry-run'] },
  ],
  'cdn history': [{ args: [] }],
  'bda domains': [{ args: [], withNames: true }],
  'bda columns': [{ args: [], withNames: true }],
  'bda data-sets': [{ args: [], withNames: true }],
  'bda date-range': [{ args: [] }],
  'bda query': [
    { args: QUERY, more: ROWS },
    { args: [...QUERY, '-d', 'report_day'], more: CHART_FILES },
    { args: [...QUERY, '--compare', 'previous'], more: CHART_FILES },
    { args: ['--data-set', 'pageview', '-d', 'page_url', '-m', 'visits', ...DAYS, '--all'], more: ROW_FILES },
  ],
  'bda top': [{ args: ['countries', '--data-set', 'pageview', ...DAYS], more: CHART_FILES }],
  'bda why': [
    { args: ['--data-set', 'pageview', '-m', 'visits', '-d', 'country', '--last', '7d'], more: CHART_FILES },
  ],
  'bda watch': [
    {
      args: ['--data-set', 'pageview', '-m', 'visits', '--by', 'country', '--why'],
      more: [['metrics', PROMETHEUS]],
    },
  ],
  'bda report list': [{ args: [], withNames: true }],
  'bda report show': [{ args: ['Countries'] }],
  'bda report run': [
    { args: ['Countries', ...DAYS], more: ROW_FILES },
    { args: ['-d', 'country', '-m', 'visits', ...DAYS] },
  ],
  'bda report build': [{ args: ['report.yaml'], only: REPORT_FILES }],
  'bda segment list': [{ args: [], withNames: true }],
  'bda filter list': [{ args: [], withNames: true }],
  'bda multifilter list': [{ args: [], withNames: true }],
  'bda multifilter types': [{ args: [], withNames: true }],
  'bda sync plan': [{ args: ['sync.yaml'], isStored: true }],
  'bda sync run': [{ args: ['sync.yaml'], isStored: true, more: [['metrics', PROMETHEUS]] }],
  'bda sync verify': [{ args: ['sync.yaml'], isStored: true }],
  'bda sync status': [{ args: ['sync.yaml'], isStored: true }],
  'bda sync history': [{ args: ['sync.yaml'], isStored: true }],
  'bda sql': [
    { args: ['SELECT name, visits FROM cells', 'cells.ndjson'], more: ROWS },
    { args: ["SELECT {'inner': name} AS outer, [name] AS list FROM cells", 'cells.ndjson'] },
  ],
  'bda migrate-query': [{ args: ['v1.json'] }],
  doctor: [{ args: [] }],
  api: [{ args: ['/bdaservices/getreports/'], withNames: true }],
  mcp: [{ args: [], input: MCP_INPUT.join(''), only: [['session', MCP_OUTPUT]] }],
};

const OWN = 'prints texts of this machine or of gatectl only';
const WRITES = 'creates something from texts that the user types';
const EVENTS = 'prints what signed senders wrote: test/commands/cdn/listen.test.ts';
const ENGINE = 'needs a queue: check:warehouses';

/** Every other command, and why it is not tried. */
const WITHOUT: Readonly<Record<string, string>> = {
  ...own('reply list', 'reply show', 'reply edit', 'reply reset', 'token inspect', 'login', 'unlock'),
  ...own('bda query save', 'bda query run', 'bda query list', 'bda query show', 'bda query delete'),
  ...own('profile add', 'profile list', 'profile show', 'profile use', 'profile set', 'profile unset'),
  ...own('profile set-key', 'profile remove', 'profile path', 'alias set', 'alias list', 'alias delete'),
  ...own('log', 'log verify', 'log export', 'policy check', 'policy show'),
  ...own('plan show', 'plan approve', 'plan apply', 'plan key'),
  ...own('mcp install', 'completion install', 'completion uninstall', 'completion bash', 'completion zsh'),
  ...own('completion fish', 'completion powershell', 'schema', 'help', 'sandbox serve'),
  ...own('docs', 'docs search', 'skills install', 'skills show'),
  ...own(
    'trust',
    'trust list',
    'trust remove',
    'bda report init',
    'bda sync init',
    'bda sync ddl',
    'bda sync sweep',
  ),
  'cdn listen': EVENTS,
  'bda report create': WRITES,
  'bda segment create': WRITES,
  'bda sync submit': ENGINE,
  'bda sync worker': ENGINE,
  'bda sync drain': ENGINE,
  'bda sync retry': ENGINE,
  'bda sync cancel': ENGINE,
};

function own(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map(name => [name, OWN]));
}

test('every command of the tree is tried, or has a reason', () => {
  const names = leavesOf(tree).map(({ words }) => words.join(' '));
  const declared = [...Object.keys(COMMANDS), ...Object.keys(WITHOUT)];
  expect(names.filter(name => !declared.includes(name))).toEqual([]);
  expect(declared.filter(name => !names.includes(name))).toEqual([]);
});

/** What a value becomes that cannot be used as it is. */
function fitFor({ isStored }: Tried, { fits }: OutputKind): (value: string) => string {
  return fits ?? (value => (isStored === true ? value.toWellFormed() : value));
}

interface Ran extends InProcess {
  readonly texts: readonly string[];
}

let sandbox: Awaited<ReturnType<typeof startSandbox>>;
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => NOON });
});
afterAll(() => sandbox.close());

const reportOf = (title: string) => `title: ${JSON.stringify(title)}
parameters: {site: example.com}
mail: {to: editors@example.com}
defaults: {data-set: pageview, from: 2026-03-01, to: 2026-03-05}
sections:
  - {title: Countries, query: {dimension: country, metric: visits}, chart: true}
  - {title: Days, query: {dimension: [report_day, country], metric: visits}, chart: true, table: 5}
  - {title: Why, why: {metric: visits, dimension: country}, chart: true}
`;
const SYNC = `destination: lake
domains: [example.com]
tables:
  pages: {data_set: pageview, dimensions: [report_day, country], metrics: [visits], start: 2026-03-10, end: 2026-03-11}
`;
const V1 = '{"ReportName":"Countries","StartDate":"2026-03-01","EndDate":"2026-03-05"}';

/** Runs a command with a gateway and files that have these values. */
async function runWith(
  given: readonly string[],
  name: string,
  tried: Tried,
  kind: OutputKind,
  turn: number,
): Promise<Ran> {
  const fits = fitFor(tried, kind);
  const values = given.map(fits);
  const rewrite = rewriterTo(values, tried.withNames === true, turn);
  const server = await wireServer(async ({ method, target, headers, body }) => {
    const names = ['content-type', 'x-api-key', 'x-service-reader-email', 'x-service-reader-token'];
    const sent = names.flatMap(name => (headers[name] === undefined ? [] : [[name, String(headers[name])]]));
    const response = await fetch(`${sandbox.baseUrl}${target}`, {
      method,
      headers: Object.fromEntries(sent),
      ...(body !== '' && { body }),
    });
    return { status: response.status, body: rewrite(await response.text()) };
  });
  const folder = temporaryFolder();
  const path = join(folder, `out.${kind.file}`);
  const cells = values.map((name, visits) =>
    JSON.stringify({ name: name.toWellFormed(), visits: visits + 1 }),
  );
  writeFileSync(join(folder, 'cells.ndjson'), cells.join('\n'));
  writeFileSync(join(folder, 'report.yaml'), reportOf(values[0] ?? ''));
  writeFileSync(join(folder, 'sync.yaml'), SYNC);
  writeFileSync(join(folder, 'v1.json'), V1);
  const inFolder = (word: string) => (/\.(?:yaml|ndjson|json)$/.test(word) ? join(folder, word) : word);
  const args = [...name.split(' '), ...tried.args.map(inFolder), ...kind.flags(path), '--retries', '0'];
  const ran = await run(args, {
    cwd: folder,
    env: {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: SANDBOX_API_KEY,
      GATECTL_DOMAIN: 'example.com',
      GATECTL_CONFIG_DIR: folder,
      XDG_CACHE_HOME: folder,
      XDG_STATE_HOME: folder,
    },
    ...(tried.input !== undefined && { input: tried.input }),
  }).finally(() => server.close());
  const clean = (text: string) =>
    text
      .replaceAll(folder, 'FOLDER')
      .replaceAll(server.baseUrl, 'SERVER')
      .replaceAll(/[\d.,]+ (?:ms|B|kB|bytes)\b/g, '1 ms');
  const isWritten = kind.file === undefined || existsSync(path);
  const texts =
    isWritten && ran.stdout + (kind.file ?? '') !== ''
      ? await kind.read(written(kind, ran.stdout, path), path)
      : [];
  return { ...ran, texts: texts.map(clean) };
}

/** Texts without padding, rules, bars and order: values have other lengths, and sort elsewhere. */
function comparable(texts: readonly string[]): string[] {
  return texts
    .map(text => text.replaceAll(/[\s─\-:|\u2500-\u259f]+/g, ' ').trim())
    .filter(text => text !== '')
    .sort();
}

/** The same for texts within others, such as JSON in a cell, which are escaped by the rules of both: without escapes, and without marks that names have as escapes. */
function unescaped(texts: readonly string[]): string[] {
  const plain = (text: string) =>
    text
      .normalize('NFD')
      .replaceAll(/\p{Mn}/gu, '?')
      .replaceAll(/\\+(?:u[\da-f]{4}|u\{[\da-f]+\}|x[\da-f]{2}|[nrt])/gi, '?')
      .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\u2028\u2029\ufffd?]+/gu, '?')
      .replaceAll(/[\\"]/g, '');
  return comparable(texts.map(plain));
}

/** Outputs that were compared and were not errors. */
let compared = 0;

async function check(name: string, tried: Tried, kind: OutputKind, turn: number): Promise<void> {
  const neutral = await runWith(NEUTRAL_VALUES, name, tried, kind, turn);
  const hard = await runWith(HARD_VALUES, name, tried, kind, turn);
  expect(neutral.stderr).not.toContain('gatectl itself failed');
  expect({ code: hard.code, stderr: hard.stderr.slice(0, 2000) }).toMatchObject({ code: neutral.code });
  expect(hard.stderr).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e\u2028\u2029]/u);
  if (neutral.code === 0 && neutral.texts.length > 0) compared += 1;
  if (kind.isPicture) return expect(hard.texts).toEqual(neutral.texts);
  const isEqual = (expected: readonly string[], found: readonly string[]) =>
    expected.length === found.length && expected.every((text, at) => text === found[at]);
  const fits = fitFor(tried, kind);
  const expected = kind.shown.map(shown =>
    neutral.texts.map(text => renamed(text, value => shown(fits(value)))),
  );
  if (expected.some(texts => isEqual(comparable(texts), comparable(hard.texts)))) return;
  expect(unescaped(hard.texts)).toEqual(unescaped(expected[0] ?? []));
}

describe('the output is the same with hard values, up to the renaming', () => {
  // Which values a case begins with: responses have fewer texts than there are values.
  let turns = 0;
  const cases = Object.entries(COMMANDS).flatMap(([name, all]) =>
    all.flatMap((tried, at) =>
      [...(tried.only ?? PRINTED), ...(tried.more ?? [])].map(
        ([output, kind]) =>
          [`${name}${at === 0 ? '' : ` (${at + 1})`}`, output, name, tried, kind, turns++] as const,
      ),
    ),
  );

  // A part of them in a short run, another command in another format each; files are always tried.
  const chosen = cases.filter(([, , , , { file }], at) => isFull || at % (file === undefined ? 7 : 4) === 0);

  test.each(chosen)('%s as %s', async (_, __, name, tried, kind, turn) => {
    await check(name, tried, kind, turn);
  });

  test('most of them print something', () => {
    expect(compared).toBeGreaterThan(chosen.length / 2);
  });
});
