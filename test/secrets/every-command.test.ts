import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { version } from '../../package.json';
import { leavesOf } from '../../src/commands/framework/define-command.ts';
import { tree } from '../../src/commands/tree.ts';
import { temporaryFolder } from '../support/folder.ts';
import { rawServer } from '../support/raw-server.ts';
import { type InProcess, run } from '../support/run.ts';
import { isFull } from '../support/runs.ts';
import { type Received, type Reply, wireServer } from '../support/wire-server.ts';
import { CANARY, type Canary, leaks } from './canaries.ts';

const { email, token } = CANARY;
const DAYS = ['--from', '2026-03-01', '--to', '2026-03-02'];

/** Where no queue listens. */
const NO_ENGINE = 'redis://127.0.0.1:1';

interface Told {
  readonly args: readonly string[];
  readonly input?: string;
  /** What the answer itself shows, because it was asked for. */
  readonly shows?: readonly Canary[];
}

const SUMMARY = 'summary.md';
const PLAN = 'plan.json';

/** Every command, with secrets wherever it takes some. */
const COMMANDS: readonly Told[] = [
  { args: ['access', '--product', 'p', '--email', email] },
  { args: ['access', '--item', 'https://example.com/a', '--reader-token', token] },
  { args: ['access', '--product', 'p', '--reader-token-stdin'], input: `${token}\n` },
  { args: ['access', '--product', 'p', '--from-file', '-'], input: `${email}\n`, shows: ['email'] },
  { args: ['access', '--product', 'p', '--from-file', '-', '--mask'], input: `${email}\n` },
  { args: ['access', 'audit', '--product', 'p', '--from-file', '-'], input: `${email}\n`, shows: ['email'] },
  { args: ['access', 'audit', '--product', 'p', '--from-file', '-', '--mask'], input: `${email}\n` },
  { args: ['access', 'wait', '--product', 'p', '--for', '0', '--email', email] },
  {
    args: ['access', 'audit', '--product', 'p', '--from-file', '-'],
    input: `email\n${email}\n`,
    shows: ['email'],
  },
  { args: ['products', '--email', email] },
  { args: ['products', '--reader-token', token] },
  { args: ['purchases', '--email', email] },
  { args: ['reader', '--email', email, '--product', 'p'] },
  { args: ['reader', '--reader-token', token] },
  { args: ['reader', '--email', email, '--product', 'p', '--reply'] },
  { args: ['reader', `From: A <${email}>\nTo: desk@example.com`, '--product', 'p'] },
  { args: ['reader', '-', '--csv'], input: `ticket,email\n1,${email}\n` },
  { args: ['reply', 'list'] },
  { args: ['reply', 'show', 'denied'] },
  { args: ['reply', 'edit', 'denied', '--file', '-'], input: 'Hello\n' },
  { args: ['reply', 'reset', 'denied'] },
  { args: ['token', '--email', email] },
  { args: ['token', 'inspect'], input: `${token}\n` },
  { args: ['cdn', 'ping'] },
  { args: ['cdn', 'purge', 'https://example.com/a', 'https://example.com/b'] },
  { args: ['cdn', 'purge', '--key', 'k', '--domain', 'example.com'] },
  { args: ['cdn', 'purge', '--all', '--domain', 'example.com', '--yes'] },
  {
    args: ['cdn', 'purge', 'https://example.com/a', '--impact', '--max-impact', '5%', '--summary', SUMMARY],
  },
  { args: ['cdn', 'purge', 'https://example.com/a', 'https://example.com/b', '--stage', '1,100%'] },
  { args: ['cdn', 'purge', '--prefix', 'https://example.com/', '--known-from', 'analytics:7d'] },
  { args: ['cdn', 'purge', '--changed', '.', '--or-all', '--yes'] },
  { args: ['cdn', 'purge', '--explain', 'index.html', '--changed', '.'] },
  { args: ['cdn', 'purge', '--repeat-plan', '2026-03-01-1'] },
  { args: ['cdn', 'history'] },
  { args: ['bda', 'domains'] },
  { args: ['bda', 'columns'] },
  { args: ['bda', 'data-sets'] },
  { args: ['bda', 'date-range'] },
  { args: ['bda', 'query', '--data-set', 'd', '-d', 'a', '-m', 'b', ...DAYS] },
  { args: ['bda', 'top', 'a', '--data-set', 'd', '-m', 'b', ...DAYS] },
  { args: ['bda', 'query', 'save', 'other', '--data-set', 'd', '-m', 'b', '--last', '7d'] },
  { args: ['bda', 'query', 'save', 'leaky', '-m', 'b', '--filter', `a=${CANARY.key}`, '--last', '7d'] },
  { args: ['bda', 'query', 'run', 'saved'] },
  { args: ['bda', 'query', 'list'] },
  { args: ['bda', 'query', 'show', 'saved'] },
  { args: ['bda', 'query', 'delete', 'saved'] },
  { args: ['bda', 'report', 'list'] },
  { args: ['bda', 'report', 'show', 'r'] },
  { args: ['bda', 'report', 'run', 'r', ...DAYS] },
  { args: ['bda', 'report', 'run', '-d', 'a', '-m', 'b', '--all', ...DAYS] },
  { args: ['bda', 'why', '--data-set', 'pageview', '-m', 'visits', '-d', 'country', '--last', '7d'] },
  { args: ['bda', 'watch', '--data-set', 'pageview', '-m', 'visits', '--why', '--on-alert', 'cat; env'] },
  { args: ['bda', 'report', 'create', '-'], input: '{"ReportName":"x"}' },
  {
    args: ['bda', 'report', 'build', '-'],
    input: `{title: x, sections: [{query: {data-set: d, dimension: a, metric: b, from: 2026-03-01, to: 2026-03-02}}]}`,
  },
  { args: ['bda', 'report', 'init', '--data-set', 'd', '-m', 'b'] },
  { args: ['bda', 'sync', 'init', '--data-set', 'd', '-m', 'b', '--start', '2026-03-01'] },
  { args: ['bda', 'sync', 'plan', 'sync.yaml'] },
  { args: ['bda', 'sync', 'run', 'sync.yaml', '--metrics', 'run.prom'] },
  { args: ['bda', 'sync', 'sweep', 'sync.yaml', '--metrics', 'sweep.prom'] },
  { args: ['bda', 'sync', 'verify', 'sync.yaml'] },
  { args: ['bda', 'sync', 'status', 'sync.yaml'] },
  { args: ['bda', 'sync', 'history', 'sync.yaml'] },
  { args: ['bda', 'sync', 'ddl', 'sync.yaml', '--for', 'duckdb'] },
  { args: ['bda', 'sql', 'SELECT * FROM pages', '--sync', 'sync.yaml'] },
  { args: ['bda', 'sync', 'submit', 'sync.yaml', '--engine', NO_ENGINE] },
  { args: ['bda', 'sync', 'worker', 'sync.yaml', '--engine', NO_ENGINE, '--metrics', 'sync.prom'] },
  { args: ['bda', 'sync', 'drain', 'sync.yaml', '--engine', NO_ENGINE] },
  { args: ['bda', 'sync', 'retry', '--engine', NO_ENGINE] },
  { args: ['bda', 'sync', 'cancel', '--engine', NO_ENGINE] },
  { args: ['bda', 'sync', 'status', 'sync.yaml', '--engine', NO_ENGINE] },
  { args: ['bda', 'segment', 'list'] },
  { args: ['bda', 'segment', 'create', '--name', 'x', '--country', 'US'] },
  { args: ['bda', 'filter', 'list'] },
  { args: ['bda', 'multifilter', 'list'] },
  { args: ['bda', 'multifilter', 'types'] },
  {
    args: [
      'bda',
      'migrate-query',
      '--url',
      `https://gateway.example.com/bdaservices/getdata/?reportName=Countries&developerKey=${encodeURIComponent(CANARY.key)}`,
      '-',
    ],
    input: '{"StartDate":"2026-03-01","EndDate":"2026-03-02"}',
  },
  { args: ['api', 'GET', '/bdaservices/getreports/'] },
  {
    args: [
      'api',
      'GET',
      '/subscriptions/v1/products',
      '-f',
      'domain=example.com',
      '-H',
      `X-Service-Reader-Email: ${email}`,
      '-i',
    ],
  },
  { args: ['doctor'] },
  {
    args: ['profile', 'add', 'q', '--base-url', 'https://gateway.example.com', '--api-key-stdin'],
    input: `${CANARY.key}\n`,
  },
  { args: ['profile', 'set-key', '--api-key-stdin'], input: `${CANARY.key}\n` },
  { args: ['login', '--domain', 'example.com', '--api-key-stdin'], input: `${CANARY.key}\n` },
  { args: ['profile', 'list'] },
  { args: ['profile', 'show'] },
  { args: ['profile', 'use', 'p'] },
  { args: ['profile', 'set', 'api-key', CANARY.key] },
  { args: ['profile', 'unset', 'domain'] },
  { args: ['profile', 'path'] },
  { args: ['profile', 'remove', 'p'] },
  { args: ['log'] },
  { args: ['log', 'verify'] },
  { args: ['log', 'export'] },
  { args: ['plan', 'key'] },
  { args: ['plan', 'show', PLAN] },
  { args: ['plan', 'approve', PLAN, '--yes'] },
  { args: ['plan', 'apply', PLAN] },
  { args: ['policy', 'show'] },
  { args: ['policy', 'check', '--', 'cdn', 'purge', 'https://example.com/a'] },
  { args: ['cdn', 'purge', 'https://example.com/a', '--plan-out', PLAN] },
  { args: ['alias', 'set', 'p1', 'products --domain example.com'] },
  { args: ['alias', 'list'] },
  { args: ['alias', 'delete', 'p1'] },
  { args: ['trust'] },
  { args: ['trust', 'list'] },
  { args: ['trust', 'remove'] },
  { args: ['unlock'] },
  { args: ['cdn', 'listen', '--map', 'missing.yaml'] },
  { args: ['mcp'] },
  { args: ['mcp', 'install', 'cursor', '--yes'] },
  { args: ['schema'] },
  { args: ['docs', 'sync#s3'] },
  { args: ['docs', 'search', 'key'] },
  { args: ['skills', 'install'] },
  { args: ['skills', 'show'] },
  { args: ['completion', 'bash'] },
  { args: ['completion', 'zsh'] },
  { args: ['completion', 'fish'] },
  { args: ['completion', 'powershell'] },
  { args: ['completion', 'install', '--shell', 'bash'] },
  { args: ['completion', 'uninstall', '--shell', 'bash'] },
  { args: ['help', 'exit-codes'] },
];
/** A file that a command writes is one of its folder. */
function inFolder(args: readonly string[], folder: string): string[] {
  return args.map(arg => ([SUMMARY, PLAN].includes(arg) ? join(folder, arg) : arg));
}

/** It runs until it is stopped, and knows no secret but its own made-up ones. */
const WITHOUT_SECRETS = ['sandbox serve'];

test('every command of the tree is among those that are tried', () => {
  const tried = COMMANDS.map(({ args }) => args.join(' '));
  const names = leavesOf(tree).map(({ words }) => words.join(' '));
  const missing = names.filter(name => !tried.some(each => `${each} `.startsWith(`${name} `)));
  expect(missing).toEqual(WITHOUT_SECRETS);
});

/** The requests of the API that change nothing, as its documentation lists them; doctor also asks whether the server answers at all. */
const DOCUMENTED_READS = [
  'GET ',
  ...['access', 'products', 'purchases'].map(name => `GET /subscriptions/v1/${name}`),
  'POST /cdnservices/ping',
  ...['getreports', 'getreport', 'getcolumns', 'getcustomreports', 'getsegments', 'getmultifilters'],
  ...['getmultifiltertypes', 'getdomains', 'getfilters'],
  ...['getdata', 'getCustomData'].map(name => `POST /bdaservices/${name}`),
  ...['domains', 'columns', 'data-sets', 'date-range'].map(name => `GET /bdaservices/v2/${name}`),
  'POST /bdaservices/v2/query',
].map(name => (name.startsWith('get') ? `GET /bdaservices/${name}` : name));

/** All that a server was told, thrown back. */
const told = ({ target, headers, body }: Received) => `${target} ${JSON.stringify(headers)} ${body}`;

/** Servers that throw back what they were told, in every way there is. */
const ECHOES: Readonly<Record<string, (request: Received) => Reply>> = {
  ...Object.fromEntries(
    [200, 302, 400, 401, 403, 404, 429, 503].map(status => [
      `status ${status}`,
      (request: Received): Reply => ({
        status,
        headers: { location: `https://elsewhere.example${request.target}` },
        body: JSON.stringify({
          success: false,
          Success: false,
          message: told(request),
          Error: told(request),
          error: {
            code: 'validation_error',
            message: told(request),
            details: [{ field: told(request), message: told(request) }],
          },
        }),
      }),
    ]),
  ),
  'a page of HTML': request => ({ headers: { 'content-type': 'text/html' }, body: `<p>${told(request)}` }),
  'plain text': request => ({
    status: 500,
    headers: { 'content-type': 'text/plain' },
    body: told(request).slice(0, 250),
  }),
  'broken rows': request => ({ body: `{"rows":[{"a":${told(request)}` }),
  'base64 of it': request => ({
    status: 400,
    body: JSON.stringify({ success: false, message: Buffer.from(told(request)).toString('base64') }),
  }),
  'odd headers': request => ({
    status: 200,
    headers: { 'content-encoding': encodeURIComponent(told(request)) },
    body: '{}',
  }),
};

const RAW: Readonly<Record<string, (socket: Socket, request: string) => void>> = {
  'a reset': socket => socket.resetAndDestroy(),
  'the request as the response': (socket, request) => socket.end(request),
  'the request in the status line': (socket, request) =>
    socket.end(`HTTP/1.1 400 ${request.replaceAll(/\r\n/g, ' ')}\r\n\r\n`),
};

/** Every file below a folder that holds a canary, and which. */
function leakingFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap(entry => {
    if (!entry.isFile()) return [];
    const path = join(entry.parentPath, entry.name);
    const found = leaks(`${entry.name} ${readFileSync(path, 'utf8')}`);
    return found.length === 0 ? [] : [`${path}: ${found.join(', ')}`];
  });
}

/** Tries every command with a server; one in three where tests are shortened, others with each server. */
async function tryCommands(
  baseUrl: string,
  what: string,
  extra: Readonly<Record<string, string>> = {},
  more: readonly string[] = [],
): Promise<void> {
  for (const [index, { args, input, shows = [] }] of COMMANDS.entries()) {
    // For people and for programs in turns: from one server to the next a command's turn changes.
    const turn = [...what].reduce((sum, letter) => sum + letter.charCodeAt(0), index);
    const format = turn % 2 === 0 ? 'table' : 'json';
    if (!isFull && turn % 6 >= 2) continue;
    const folder = temporaryFolder();
    // Stored with its key in the header for one half of the commands, in the query for the other.
    const p = { 'base-url': baseUrl, domain: 'example.com', 'key-in': index % 2 === 0 ? 'header' : 'query' };
    writeFileSync(
      join(folder, 'config.json'),
      JSON.stringify({ version: 1, current: 'p', profiles: { p } }),
      { mode: 0o600 },
    );
    mkdirSync(join(folder, 'queries'));
    writeFileSync(join(folder, 'queries', 'saved.yaml'), 'data-set: d\nmetric: b\nlast: 7d\n', {
      mode: 0o600,
    });
    writeFileSync(
      join(folder, 'sync.yaml'),
      'tables: {t: {data_set: d, metrics: [b], start: 2026-03-01, end: 2026-03-02}}\n',
    );
    const env = { GATECTL_CONFIG_DIR: folder, GATECTL_API_KEY: CANARY.key, TMPDIR: folder, ...extra };
    const flags = ['--retries', '0', '--timeout', '0.5', '--verbose', '-o', format, ...more];
    const ran: InProcess = await run([...inFolder(args, folder), ...flags], {
      env,
      cwd: folder,
      ...(input !== undefined && { input }),
    });
    const line = `${what}: ${args.join(' ')} -o ${format}`;
    expect(leaks(ran.stderr), line).toEqual([]);
    expect(leaks(ran.stdout, shows), line).toEqual([]);
    // A key that a profile was given is in one file, which only its owner can read.
    const profiles = `${join(folder, 'config.json')}: key`;
    const found = leakingFiles(folder);
    // Other commands store it only where the gateway accepts it, and none for plain http.
    const mayBeStored = args.includes('--api-key-stdin') && found.includes(profiles);
    const stored = (args[0] === 'profile' && args[1] === 'add') || mayBeStored;
    expect(found, args.join(' ')).toEqual(stored ? [profiles] : []);
  }
}

describe('no command prints a secret, whatever the response', () => {
  test.each(Object.keys(ECHOES))('%s', async name => {
    const server = await wireServer(request => ECHOES[name]?.(request) ?? {});
    onTestFinished(() => server.close());
    await tryCommands(server.baseUrl, name);
    const agents = server.received.map(({ target, headers }) => `${target}: ${headers['user-agent']}`);
    expect(agents.length).toBeGreaterThan(10);
    expect(agents.filter(agent => !agent.endsWith(`: gatectl/${version}`))).toEqual([]);
  });

  test.each(Object.keys(RAW))('%s', async name => {
    const requests = new WeakMap<Socket, string>();
    const server = await rawServer(socket => RAW[name]?.(socket, requests.get(socket) ?? ''), {
      onData: (socket, chunk) => requests.set(socket, `${requests.get(socket) ?? ''}${chunk}`),
    });
    onTestFinished(() => server.close());
    await tryCommands(server.baseUrl, name);
  });

  test('a proxy that echoes the request', async () => {
    const heard = new WeakMap<Socket, string>();
    const proxy = await rawServer(
      socket => socket.end(`HTTP/1.1 407 ${(heard.get(socket) ?? '').replaceAll(/\r\n/g, ' ')}\r\n\r\n`),
      { onData: (socket, chunk) => heard.set(socket, String(chunk)) },
    );
    onTestFinished(() => proxy.close());
    const address = proxy.baseUrl.replace(
      'http://',
      `http://me:${encodeURIComponent(CANARY.proxyPassword)}@`,
    );
    const env = { HTTP_PROXY: address, HTTPS_PROXY: address };
    await tryCommands('http://gateway.example.com', 'a proxy', env, ['--insecure-http']);
    expect(proxy.connections()).toBeGreaterThan(10);
  });

  test('and where only reads are allowed, none sends anything else', async () => {
    const server = await wireServer(() => ({ status: 200, body: '{"success":true,"data":[],"rows":[]}' }));
    onTestFinished(() => server.close());
    // Each tries one half of the commands where tests are shortened.
    for (const half of ['a', 'c']) await tryCommands(server.baseUrl, half, { GATECTL_READ_ONLY: '1' });
    const sent = server.received.map(
      // doctor looks for each API with and without the path of the gateway.
      ({ method, target }) =>
        `${method} ${new URL(target, server.baseUrl).pathname.replace(/\/$/, '').replace(/^\/gateway/, '')}`,
    );
    const kinds = new Set(sent);
    expect([...kinds].filter(each => !DOCUMENTED_READS.includes(each))).toEqual([]);
    expect(kinds.size).toBeGreaterThan(10);
  });

  test('--curl and --dry-run', async () => {
    const server = await wireServer(request => ({
      status: 400,
      body: JSON.stringify({ message: told(request) }),
    }));
    onTestFinished(() => server.close());
    const env = {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: CANARY.key,
      GATECTL_DOMAIN: 'example.com',
      GATECTL_CONFIG_DIR: temporaryFolder(),
    };
    const cwd = temporaryFolder();
    for (const { args, input } of COMMANDS.filter(({ args: [first = ''] }) => first !== 'profile')) {
      for (const flag of args[1] === 'purge' ? ['--curl', '--dry-run'] : ['--curl']) {
        const ran = await run([...inFolder(args, cwd), flag], {
          env,
          cwd,
          ...(input !== undefined && { input }),
        });
        // A command to repeat the question holds the address that was typed.
        expect(leaks(ran.stdout + ran.stderr, ['email']), args.join(' ')).toEqual([]);
      }
    }
  });
});
