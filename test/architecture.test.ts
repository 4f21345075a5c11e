import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SRC = fileURLToPath(new URL('../src', import.meta.url));

/** Top to bottom: a layer may import those below it and itself. */
const LAYERS = [
  'cli',
  'commands',
  'client',
  'operations',
  'sync',
  'export',
  'migrate',
  'analysis',
  'apis',
  'config',
  'http',
  'output',
  'terminal',
  'sandbox',
  'objects',
  'files',
  'documents',
  'json',
  'errors',
  'text',
  'wire',
];

interface Edge {
  readonly from: string;
  readonly to: string;
}

const textOf = (file: string) => readFileSync(join(SRC, file), 'utf8');

async function edges(): Promise<Edge[]> {
  const entries = await readdir(SRC, { recursive: true });
  const files = entries.filter(name => name.endsWith('.ts'));
  return files.flatMap(file => {
    const text = readFileSync(join(SRC, file), 'utf8');
    const targets = [...text.matchAll(/(?:from|import|import\()\s*'(\.[^']+)'/g)].map(
      match => match[1] ?? '',
    );
    return targets.map(target => ({ from: file, to: relative(SRC, resolve(SRC, dirname(file), target)) }));
  });
}

const layerOf = (file: string) => LAYERS.indexOf(file.split('/')[0] ?? '');

test('every folder of src is a layer', async () => {
  const folders = (await readdir(SRC, { withFileTypes: true })).map(entry => entry.name);
  expect(folders.filter(name => !LAYERS.includes(name))).toEqual([]);
});

test('imports point down only', async () => {
  const inside = (await edges()).filter(({ to }) => !to.startsWith('..'));
  expect(inside.length).toBeGreaterThan(100);
  expect(inside.filter(({ from, to }) => layerOf(to) < layerOf(from))).toEqual([]);
});

/**
 * The command that a file belongs to: `cdn`, `products.ts`, `bda/why`. What lies in `framework`, and in the `flags` and `output` of `bda`
 * (how the words of a request become values, and rows become output), is shared.
 */
function commandOf(file: string): string | undefined {
  const [room, name = '', leaf = '', ...deeper] = file.split('/');
  if (room !== 'commands' || name === 'framework') return undefined;
  if (name !== 'bda') return name;
  if (['flags', 'output'].includes(leaf)) return undefined;
  return deeper.length > 0 ? `bda/${leaf}` : 'bda';
}

/** The files that put the commands into a tree. */
const TREES = ['commands/tree.ts', 'commands/bda/group.ts'];
/** Commands that import another one. Remove a line once the two share an operation instead. */
const BETWEEN_COMMANDS: readonly string[] = [];

test('no command imports another command, and what commands share imports none', async () => {
  const crossing = (await edges()).flatMap(({ from, to }) => {
    const [importer, imported] = [commandOf(from), commandOf(to)];
    if (!from.startsWith('commands/') || imported === undefined || importer === imported) return [];
    const isListing = imported === 'bda' && importer?.startsWith('bda/');
    return isListing || TREES.includes(from) ? [] : [`${importer ?? from} -> ${imported}`];
  });
  expect([...new Set(crossing)].sort()).toEqual(BETWEEN_COMMANDS);
});

test('no imports form a cycle, within a layer either', async () => {
  const all = await edges();
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) cycles.push([...path.slice(at), file].join(' -> '));
    if (at >= 0 || done.has(file)) return;
    for (const { to } of all.filter(({ from }) => from === file)) visit(to, [...path, file]);
    done.add(file);
  };
  for (const { from } of all) visit(from, []);
  expect(cycles).toEqual([]);
});

test('the embedded gateway shares nothing with the client but the wire types and "did you mean"', async () => {
  const shared = ['sandbox/', 'wire/', 'errors/nearest.ts'];
  const foreign = (await edges()).filter(
    ({ from, to }) => from.startsWith('sandbox/') && !shared.some(path => to.startsWith(path)),
  );
  expect(foreign).toEqual([]);
});

test('no API imports a sibling', async () => {
  const apiOf = (file: string) => /^apis\/([a-z0-9-]+)\//.exec(file)?.[1];
  const crossing = (await edges()).filter(({ from, to }) => {
    const [here, there] = [apiOf(from), apiOf(to)];
    if (here === undefined || there === undefined || here === there) return false;
    // What v1 and v2 share lies in the folder above them both.
    return !(here.startsWith('bda-') && there === 'bda');
  });
  expect(crossing).toEqual([]);
});

test('folders are created with their parents in one place, which returns in every file system', async () => {
  const files = (await readdir(SRC, { recursive: true })).filter(name => name.endsWith('.ts'));
  const recursive = /\bmkdir(?:Sync)?\([^;]*\brecursive\b/;
  expect(files.filter(name => recursive.test(readFileSync(join(SRC, name), 'utf8')))).toEqual([]);
});

/** Files below the command line that reach the disk in another way. */
const OTHER_DISKS = [
  // The embedded gateway shares nothing with the client: it reads recordings as a server of its own would.
  'sandbox/recording/recording.ts',
  'sandbox/recording/replay.ts',
];

test('below the command line, one module has the calls of the file system, so that tests can replace the disk', async () => {
  const files = (await readdir(SRC, { recursive: true })).filter(name => name.endsWith('.ts'));
  const using = files.filter(
    name => !name.startsWith('cli/') && /['"](?:node:)?fs(?:\/promises)?['"]/.test(textOf(name)),
  );
  expect(using.sort()).toEqual(['files/disk.ts', ...OTHER_DISKS]);
});

test('only the entry, its loader and its end touch the process', async () => {
  const entries = await readdir(SRC, { recursive: true });
  const touching = entries.filter(
    name =>
      name.endsWith('.ts') &&
      !['cli/process-io.ts', 'cli/code-cache.ts', 'cli/exit-when-done.ts', 'client/runtime.ts'].includes(
        name,
      ) &&
      /\bprocess\.(?:exit|env|argv|std|on|cwd|exitCode)\b|\bDate\.now\(\)|\bMath\.random\(\)/.test(
        readFileSync(join(SRC, name), 'utf8').replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, ''),
      ),
  );
  expect(touching).toEqual([]);
});

/** What a hint of a lower layer must not name. */
const OF_GATECTL =
  /(?<!clickhouse-client) --[a-z]|['`]--[a-z]|GATECTL_|\bgatectl (?:access|alias|api|bda|cdn|doctor|login|mcp|profile|reply|trust|unlock)\b/;
/** Files whose hints still do. Remove a file once its errors have reasons. */
const NAMING = ['apis/subscriptions/audit/audit-list.ts', 'apis/subscriptions/readers-file.ts'];
/** Files below the commands with hints of their own, which name neither. Remove a file once its errors have reasons. */
const WITH_HINTS = [
  'apis/bda/filter-expression.ts',
  'apis/subscriptions/audit/audit-list.ts',
  'apis/subscriptions/readers-file.ts',
  'client/redact-error.ts',
  'client/settings.ts',
  'config/key-format.ts',
  'config/key.ts',
  'config/resolve.ts',
  'config/store.ts',
  'config/values.ts',
  'documents/located.ts',
  'errors/index.ts',
  'errors/usage.ts',
  'objects/s3-errors.ts',
  'objects/s3-location.ts',
  'sync/config.ts',
  'sync/destinations/clickhouse/address.ts',
  'sync/destinations/clickhouse/clickhouse.ts',
  'sync/destinations/clickhouse/cluster.ts',
  'sync/destinations/clickhouse/diagnosis.ts',
  'sync/destinations/clickhouse/schemas.ts',
  'sync/destinations/clickhouse/server-failure.ts',
  'sync/destinations/clickhouse/shard.ts',
  'sync/destinations/clickhouse/shards.ts',
  'sync/destinations/duckdb/duckdb.ts',
  'sync/destinations/duckdb/session.ts',
  'sync/destinations/lake/folder-store.ts',
  'sync/destinations/lake/lake.ts',
  'sync/destinations/postgres/failures.ts',
  'sync/destinations/postgres/own-tables.ts',
  'sync/destinations/postgres/postgres.ts',
  'sync/destinations/postgres/service-file.ts',
  'sync/destinations/postgres/settings.ts',
  'sync/destinations/postgres/tables.ts',
  'sync/destinations/schemes.ts',
  'sync/engine/connect.ts',
  'sync/engine/engine-url.ts',
  'sync/engine/unit-job.ts',
  'sync/sql/data-files.ts',
  'sync/sql/query.ts',
  'sync/sync-form.ts',
];

/** The code of the files below the commands, without comments. */
async function lowCode(): Promise<{ readonly file: string; readonly code: string }[]> {
  const files = (await readdir(SRC, { recursive: true })).filter(name => name.endsWith('.ts'));
  return files
    .filter(file => !/^(?:cli|commands)\//.test(file))
    .map(file => ({
      file,
      code: readFileSync(join(SRC, file), 'utf8').replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, ''),
    }));
}

test('no hint below the commands names a command, a flag or a variable of gatectl', async () => {
  const naming = (await lowCode()).flatMap(({ file, code }) =>
    [...code.matchAll(/(?:\bhints?\??[:(=]|_HINTS? =)\s*(?:\[[^\]]*\]|[^\n]*)/g)]
      .filter(([text]) => OF_GATECTL.test(text))
      .map(() => file),
  );
  expect([...new Set(naming)].sort()).toEqual(NAMING);
});

test('hints are given by the command line: below it, a shrinking list of files has some of its own', async () => {
  const hinting = (await lowCode()).filter(({ code }) => /\bhints?\b\??[:,(]|\.hints?\b/.test(code));
  expect(hinting.map(({ file }) => file).sort()).toEqual(WITH_HINTS);
});

test('no exit code of gatectl is below the commands', async () => {
  // Those of the key command and of jq.
  const others = ['config/key-command.ts', 'output/jq.ts'];
  const exiting = (await lowCode()).filter(
    ({ file, code }) => !others.includes(file) && /\bexit(?:[ _-]?codes?|s? \d|: \d)/i.test(code),
  );
  expect(exiting).toEqual([]);
});

/** Programs import these, so that all of their exports are used. */
const ENTRIES = ['src/client/index.ts', 'src/migrate/index.ts', 'src/sandbox/library.ts'];

test('what nobody else uses is not exported', async () => {
  const read = async (folder: string) => {
    const names = await readdir(join(SRC, '..', folder), { recursive: true });
    const files = names.filter(name => /\.[cm]?[jt]s$/.test(name) && !name.includes('node_modules'));
    return files.map(name => ({
      path: `${folder}/${name}`,
      text: readFileSync(join(SRC, '..', folder, name), 'utf8'),
    }));
  };
  const texts = (await Promise.all(['src', 'test', 'scripts', 'bench', 'examples'].map(read))).flat();
  const users = new Map<string, number>();
  for (const { text } of texts)
    for (const word of new Set(text.match(/\w+/g))) users.set(word, (users.get(word) ?? 0) + 1);
  const DECLARED = /^export (?:interface|type|const|(?:async )?function\*?|(?:abstract )?class|enum) (\w+)/gm;
  const unused = texts
    .filter(({ path }) => path.startsWith('src/') && !path.endsWith('.d.ts') && !ENTRIES.includes(path))
    .flatMap(({ path, text }) => [...text.matchAll(DECLARED)].map(([, name = '']) => ({ path, name })))
    .filter(({ name }) => users.get(name) === 1);
  expect(unused).toEqual([]);
});
