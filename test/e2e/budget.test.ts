import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';

// What is loaded is counted, not the time that it takes: that is the same on every machine.

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DIST = join(ROOT, 'dist');
const HOOK = fileURLToPath(new URL('../support/loaded.cjs', import.meta.url));
const KB = 1000;

/** What each file of the bundle is made of: packages, and modules of src. */
const contents: Record<string, string[]> = JSON.parse(readFileSync(join(DIST, 'contents.json'), 'utf8'));

interface Loaded {
  /** Packages, bundled or not. */
  readonly packages: readonly string[];
  /** Modules of src. */
  readonly modules: readonly string[];
  /** Node's own modules, beyond those of an empty program. */
  readonly builtins: readonly string[];
  /** Of all files of the bundle that were loaded. */
  readonly bytes: number;
}

/** Runs a command line in an empty environment and returns the files it loaded. */
async function loadedBy(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd = ROOT,
  code = 0,
): Promise<Loaded> {
  const folder = temporaryFolder();
  const to = join(folder, 'loaded.json');
  const all = ['--require', HOOK, join(ROOT, 'bin/gatectl.js'), ...args];
  const { exitCode, stderr } = await execa(process.execPath, all, {
    reject: false,
    extendEnv: false,
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: folder, LANG: 'C.UTF-8', TZ: 'UTC', LOADED_TO: to, ...env },
  });
  expect({ exitCode, stderr: code === 0 ? stderr : '' }).toEqual({ exitCode: code, stderr: '' });
  const { files, builtins } = JSON.parse(readFileSync(to, 'utf8')) as { files: string[]; builtins: string[] };
  const chunks = files.filter(path => path.startsWith(DIST)).map(path => relative(DIST, path));
  const parts = chunks.flatMap(chunk => contents[chunk] ?? expect.unreachable(`${chunk} is not listed`));
  const outside = files.flatMap(path => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  const isModule = (part: string) => part.startsWith('src/') || part === 'package.json';
  return {
    packages: [...new Set([...parts.filter(part => !isModule(part)), ...outside])].sort(),
    modules: parts.filter(isModule),
    builtins,
    bytes: chunks.reduce((sum, chunk) => sum + statSync(join(DIST, chunk)).size, 0),
  };
}

/** A gateway that lets everybody in, and has no rows; resolves to the environment that asks it. */
async function gateway(): Promise<Record<string, string>> {
  const answers = { success: true, Success: true, data: { decision: 'allowed' }, rows: [], total_rows: 0 };
  const server = createServer((_, response) => response.end(JSON.stringify(answers)));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return {
    GATECTL_BASE_URL: `http://127.0.0.1:${port}`,
    GATECTL_DOMAIN: 'example.com',
    GATECTL_API_KEY: 'a-key',
  };
}

const ASK_ACCESS = ['access', '--product', 'premium', '--email', 'reader@example.com'];
/** What every command line needs that is more than a version. */
const TO_READ_A_LINE = ['commander'];
/** What every request needs besides. */
const TO_ASK = [...TO_READ_A_LINE, 'lossless-json', 'undici'];
/** Also to print a table for people. */
const TO_PRINT = ['cli-table3', ...TO_ASK];
/** Node's own modules that take longest to load. */
const DEAR = [
  'assert',
  'child_process',
  'crypto',
  'fs/promises',
  'http',
  'http2',
  'https',
  'readline',
  'tls',
  'worker_threads',
  'zlib',
];

/** What decides how people read columns and figures. */
const isForReading = (path: string) => path.startsWith('src/output/presentation/');

describe('what a start loads', () => {
  test('--version loads no package', async () => {
    const { packages, modules, builtins, bytes } = await loadedBy(['--version']);
    expect(packages).toEqual([]);
    expect(modules).toEqual([
      'package.json',
      'src/cli/code-cache.ts',
      'src/cli/compile-cache.ts',
      'src/cli/entry.ts',
      'src/cli/exit-when-done.ts',
      'src/cli/process-io.ts',
      'src/config/platform.ts',
      'src/files/process-table.ts',
    ]);
    expect(builtins).not.toContain('stream');
    expect(bytes).toBeLessThan(10.2 * KB);
  });

  test('--help loads no package and no command', async () => {
    const { packages, modules, builtins, bytes } = await loadedBy(['--help']);
    expect(packages).toEqual([]);
    const commands = modules.filter(path => /^src\/commands\/(?!framework\/).*\//.test(path));
    expect(commands).toEqual([]);
    expect(builtins.filter(name => [...DEAR, 'stream', 'net'].includes(name))).toEqual([]);
    expect(bytes).toBeLessThan(40 * KB);
  });

  test('aliases cost --help nothing of what checks profiles', async () => {
    const home = temporaryFolder();
    const may = ['alias', 'set', 'may', 'access --product premium --email $1'];
    await execa(process.execPath, [join(ROOT, 'bin/gatectl.js'), ...may, '--quiet'], {
      extendEnv: false,
      env: { GATECTL_CONFIG_DIR: home },
    });
    const { packages, modules, builtins, bytes } = await loadedBy(['--help'], { GATECTL_CONFIG_DIR: home });
    expect(packages).toEqual([]);
    expect(modules).toContain('src/config/config-file.ts');
    expect(modules).not.toContain('src/config/profiles-file.ts');
    expect(builtins.filter(name => [...DEAR, 'stream', 'net'].includes(name))).toEqual([]);
    expect(bytes).toBeLessThan(40 * KB);
  });

  test('a Tab loads no package, no parser and no command', async () => {
    const { packages, modules, builtins, bytes } = await loadedBy([
      '__complete',
      'fish',
      '.--',
      'bda',
      'query',
    ]);
    expect(packages).toEqual([]);
    expect(modules.filter(path => /^src\/(?:commands\/(?!framework\/)|cli\/parser)/.test(path))).toEqual([]);
    expect(builtins.filter(name => [...DEAR, 'net'].includes(name))).toEqual([]);
    expect(bytes).toBeLessThan(250 * KB);
  });

  test('access loads no other command, and neither prompts, colours, tables of scripts nor what writes profiles', async () => {
    const { packages, modules, builtins, bytes } = await loadedBy(ASK_ACCESS, await gateway());
    expect(packages).toEqual(TO_PRINT);
    expect(
      modules.filter(path =>
        /^src\/(commands\/(?!(?:access|reader|framework)\/|[a-z-]+\.ts)|export|sandbox)/.test(path),
      ),
    ).toEqual([]);
    expect(modules.filter(isForReading)).toEqual([]);
    expect(builtins.filter(name => DEAR.includes(name))).toEqual([]);
    expect(bytes).toBeLessThan(482 * KB);
  });

  test('a processor without SIMD has a parser for responses too', async () => {
    const env = { ...(await gateway()), UNDICI_NO_WASM_SIMD: '1' };
    const { bytes } = await loadedBy(ASK_ACCESS, env);
    expect(bytes).toBeGreaterThan((await loadedBy(ASK_ACCESS, await gateway())).bytes);
  });

  test('a profile costs access no package more', async () => {
    const env = await gateway();
    const folder = temporaryFolder();
    const home = { GATECTL_CONFIG_DIR: folder };
    const add = ['profile', 'add', 'a', '--base-url', env.GATECTL_BASE_URL ?? '', '--domain', 'example.com'];
    await execa(process.execPath, [join(ROOT, 'bin/gatectl.js'), ...add, '--api-key-stdin', '--quiet'], {
      extendEnv: false,
      env: home,
      input: 'a-key\n',
    });
    const { packages } = await loadedBy(ASK_ACCESS, home);
    expect(packages).toEqual(TO_PRINT);
  });

  test('a project file is read with a YAML library that no other start loads', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, '.gatectl.yaml'), 'data-set: pageview\n');
    const { packages } = await loadedBy(ASK_ACCESS, await gateway(), cwd);
    expect(packages).toEqual([...TO_PRINT, 'yaml']);
  });

  test('a purge of pages loads neither public suffixes nor sitemaps', async () => {
    const purge = ['cdn', 'purge', 'https://example.com/news'];
    const { packages, modules, bytes } = await loadedBy(purge, await gateway());
    expect(packages).toEqual(TO_PRINT);
    expect(modules.filter(isForReading)).toEqual([]);
    expect(bytes).toBeLessThan(570 * KB);
  });

  test('an export to csv loads neither tables, charts nor parquet', async () => {
    const query = [
      'bda',
      'query',
      '--data-set',
      'pageview',
      '-m',
      'visits',
      '--from',
      '2026-01-01',
      '--to',
      '2026-01-31',
    ];
    const out = join(temporaryFolder(), 'rows.csv');
    const { packages, modules, bytes } = await loadedBy(
      [...query, '--all', '--out', out, '--quiet'],
      await gateway(),
    );
    expect(packages).toEqual(TO_ASK);
    expect(modules.filter(path => isForReading(path) || path === 'src/output/table.ts')).toEqual([]);
    expect(bytes).toBeLessThan(627 * KB);
  });
});

describe('a response that is not HTTP', () => {
  test.each([
    'HTTP/1.1 000 ',
    'HTTP/1.1 000 OK',
    'HTTP/1.1 099 OK',
    'HTTP/1.1 1',
    'HTTP/1.1 99999 OK',
    'HTTP/9.9 200 OK',
    'NONSENSE',
  ])(
    '%s ends in an error, without the assertions of Node, which parse the bundle for their message',
    async status => {
      const server = createTcpServer(socket => {
        socket.on('error', () => {});
        socket.once('data', () => socket.end(`${status}\r\ncontent-length: 0\r\n\r\n`));
      });
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
      const { port } = server.address() as AddressInfo;
      const env = { ...(await gateway()), GATECTL_BASE_URL: `http://127.0.0.1:${port}` };
      const { builtins } = await loadedBy([...ASK_ACCESS, '--retries', '0'], env, ROOT, 6);
      expect(builtins.filter(name => /^assert|acorn/.test(name))).toEqual([]);
    },
  );
});

test('the bundle stays below 5.4 MB', () => {
  const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' });
  const bytes = files
    .filter(name => name.endsWith('.cjs'))
    .reduce((sum, name) => sum + statSync(join(DIST, name)).size, 0);
  expect(bytes).toBeLessThan(5400 * KB);
});
