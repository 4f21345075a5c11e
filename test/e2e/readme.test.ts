import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandsOf, openShell, type Shell } from '../../scripts/docs/console-blocks.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Further pages are run by `npm run check:docs`. */
const PAGES = ['docs/tutorials/operator.md', 'docs/migrate.md'];
const texts = new Map(
  await Promise.all(
    PAGES.map(async (page): Promise<[string, string]> => [page, await readFile(join(ROOT, page), 'utf8')]),
  ),
);

describe.each(PAGES)('%s shows what its commands print', page => {
  let shell: Shell;
  beforeAll(async () => {
    shell = await openShell();
  });
  afterAll(() => shell.close());

  test.each(commandsOf(texts.get(page) ?? ''))('$ $command', async ({ command, output }) => {
    expect(await shell.run(command)).toBe(output);
  });
});

test('commands run in an empty home folder, with no variable that a reader would have to know', async () => {
  const shell = await openShell();
  const variables = await shell.run('env | cut -d= -f1 | sort | tr "\\n" " "');
  await shell.close();
  expect(variables.replace(/OLDPWD |SHLVL |_ /g, '')).toBe('HOME PATH PWD ');
});

test('the first two sh blocks of the README set up and run, and set up and test', async () => {
  const [first, second] = [
    ...(await readFile(join(ROOT, 'README.md'), 'utf8')).matchAll(/^```sh\n(.*?)^```/gms),
  ].map(match => match[1]);
  expect(first).toMatch(/^npm ci && npm run build && node bin\/gatectl\.js .* --sandbox\n$/);
  expect(second).toBe('npm ci && npm test\n');
});
