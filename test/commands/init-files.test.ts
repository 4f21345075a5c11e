import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { run } from '../support/run.ts';

const SYNC = ['bda', 'sync', 'init', '--data-set', 'pageview', '--start', '2026-01-01'];

test.each([
  [['-m', 'visits', '--destination', 's3://']],
  [['-m', 'visits', '--destination', 'clickhouse://']],
  [['-m', 'visits', '-d', 'country,country']],
])('bda sync init %j leaves no file that cannot work', async flags => {
  const cwd = temporaryFolder();
  const { code } = await run([...SYNC, ...flags, '--sandbox'], { cwd, homedir: temporaryFolder() });
  expect([code, readdirSync(cwd)]).toEqual([2, []]);
});

test.each([
  [[...SYNC, '-m', 'visits']],
  [['bda', 'report', 'init', '--data-set', 'pageview', '-m', 'visits']],
])('the command that %j shows next can be pasted', async words => {
  const [, noun = '', verb = '', ...flags] = words;
  const { code, stderr } = await run(['bda', noun, verb, 'a$(id).yaml', ...flags, '--sandbox'], {
    cwd: temporaryFolder(),
    homedir: temporaryFolder(),
  });
  expect(code, stderr).toBe(0);
  expect(stderr).toContain("'a$(id).yaml'");
});
