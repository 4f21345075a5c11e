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
