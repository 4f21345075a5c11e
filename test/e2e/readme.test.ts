import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const readme = await readFile(join(ROOT, 'README.md'), 'utf8');

/** Fenced blocks of one language, in order. */
function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    match => match[1] ?? '',
  );
}

/** A block's commands with the output that is printed under each. */
function pairs(block: string): { command: string; output: string }[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map(part => {
      const [, command = '', output = ''] = /^((?:[^\n]*\\\n)*[^\n]*)\n([\s\S]*)$/.exec(part) ?? [];
      return { command, output };
    });
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatectl-readme-'));
  await symlink(join(ROOT, 'bin/gatectl.js'), join(folder, 'gatectl'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('what the README shows is what happens', () => {
  test.each(blocks('console').flatMap(pairs))('$ $command', async ({ command, output }) => {
    const { all } = await execa('sh', ['-c', command], {
      all: true,
      cwd: folder,
      reject: false,
      extendEnv: false,
      stripFinalNewline: false,
      env: {
        PATH: `${folder}${delimiter}${process.env.PATH}`,
        HOME: folder,
        LANG: 'C.UTF-8',
        TZ: 'UTC',
        GATECTL_SANDBOX_CLOCK: '2026-03-14T12:00:00Z',
      },
    });
    expect(all).toBe(output);
  });
});

test('the first two sh blocks set up and run, and set up and test', () => {
  const [first, second] = blocks('sh');
  expect(first).toMatch(/^npm ci && node bin\/gatectl\.js .* --sandbox\n$/);
  expect(second).toBe('npm ci && npm test\n');
});
