import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'lossless-json';
import { expect, test } from 'vitest';
import { PATCHES, patched } from '../patches/plugin.js';
import { patchedFiles } from '../patches/register.js';
import { run } from './support/run.ts';

const root = fileURLToPath(new URL('../node_modules', import.meta.url));
const changes = PATCHES.flatMap(({ library, changes }) => changes.map(change => ({ library, ...change })));

test.each(changes)('$library/$file is patched, since $reason', ({ library, file, line, by }) => {
  const path = `${root}/${library}/${file}`;
  const text = patched(path, readFileSync(path, 'utf8'), { isBundle: true });
  expect(text).toContain(by);
  expect(text === undefined || text.includes(line)).toBe(by.includes(line));
});

test('a version without the line fails the build, with a message on what to do', () => {
  const path = `${root}/undici/lib/core/diagnostics.js`;
  expect(() => patched(path, '// moved elsewhere')).toThrow(
    /^patches\/undici\.js: undici\/lib\/core\/diagnostics\.js no longer contains .*\n.*API key.*\n.*write the change for the new text/,
  );
});

test('unit tests run with the patches, as the bundle does', async () => {
  await run(['bda', 'columns', '--sandbox']);
  const files = [...patchedFiles].map(path => path.replaceAll('\\', '/'));
  expect(files).toContainEqual(expect.stringMatching(/undici\/lib\/dispatcher\/client-h1\.js$/));
  expect(files).toContainEqual(expect.stringMatching(/commander\/lib\/command\.js$/));
  expect(
    patched(
      `${root}/lossless-json/lib/esm/parse.js`,
      readFileSync(`${root}/lossless-json/lib/esm/parse.js`, 'utf8'),
    ),
  ).toBeDefined();
  expect(parse.toString()).toContain('text.slice(from, i + 1)');
});

test('reading what a patch removed throws instead of being undefined', () => {
  const removed = changes.filter(({ by }) => /=\s*undefined\b/.test(by));
  expect(removed).toEqual([]);
  const http = changes.find(({ line }) => line === "const http = require('node:http')");
  const read = new Function(`${http?.by}; return http;`)();
  expect(read.maxHeaderSize).toBe(16384);
  expect(() => read.request).toThrow('patches/undici.js removed node:http request');
});
