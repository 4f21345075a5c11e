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
  'json',
  'errors',
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
