import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Pages whose console blocks are run, each in a folder of its own. */
const PAGES = ['README.md', 'docs/migrate.md'];
const texts = new Map(
  await Promise.all(
    PAGES.map(async (page): Promise<[string, string]> => [page, await readFile(join(ROOT, page), 'utf8')]),
  ),
);

/** Fenced blocks of one language, in order. */
function blocks(page: string, language: string): string[] {
  return [...(texts.get(page) ?? '').matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
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

describe.each(PAGES)('what %s shows is what happens', page => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatectl-page-'));
    await symlink(join(ROOT, 'bin/gatectl.js'), join(folder, 'gatectl'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.each(blocks(page, 'console').flatMap(pairs))('$ $command', async ({ command, output }) => {
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
  const [first, second] = blocks('README.md', 'sh');
  expect(first).toMatch(/^npm ci && node bin\/gatectl\.js .* --sandbox\n$/);
  expect(second).toBe('npm ci && npm test\n');
});
