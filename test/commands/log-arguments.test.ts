import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { run } from '../support/run.ts';

const FOLDER = '.local/state/gatectl/log';

test.each([
  [['log', '--since', '2026-02-30'], "--since cannot be '2026-02-30'"],
  [['log', '--since', '2026-11-31T08:00:00Z'], "--since cannot be '2026-11-31T08:00:00Z'"],
  [['log', 'verify', '--hash', 'xyz'], "--hash cannot be 'xyz'"],
  [['log', 'verify', '--hash', 'A'.repeat(64)], `--hash cannot be '${'A'.repeat(64)}'`],
])('%j is refused, and is no sign of a change', async (words, message) => {
  const { code, stderr } = await run([...words, '--sandbox'], { homedir: temporaryFolder() });
  expect([code, stderr.split('\n')[0]]).toEqual([2, `error: ${message}`]);
});

test.each([['log'], ['log', 'verify'], ['log', 'export']])(
  '%s %s fails where the folder of the log is a file',
  async (...words) => {
    const homedir = temporaryFolder();
    mkdirSync(join(homedir, FOLDER, '..'), { recursive: true });
    writeFileSync(join(homedir, FOLDER), '');
    const { code, stdout } = await run([...words, '--sandbox'], { homedir });
    expect([code, stdout]).toEqual([9, '']);
  },
);

test('log export prints every line as it is, also what is no entry', async () => {
  const homedir = temporaryFolder();
  expect((await run(['cdn', 'purge', 'https://example.com/a', '--sandbox'], { homedir })).code).toBe(0);
  const { stdout: clean } = await run(['log', 'export', '--sandbox'], { homedir });
  const [file = ''] = clean.match(/\d{4}-\d\d(?=-)/) ?? [];
  const path = join(homedir, FOLDER, `${file}.ndjson`);
  writeFileSync(path, `${readFileSync(path, 'utf8')}garbage\n`);
  const { stdout } = await run(['log', 'export', '--sandbox'], { homedir });
  expect(stdout).toBe(readFileSync(path, 'utf8'));
  expect((await run(['log', 'verify', '--sandbox'], { homedir })).code).toBe(7);
});
