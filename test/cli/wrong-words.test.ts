import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { run } from '../support/run.ts';

test.each([
  [['docs', 'serch', 'purge'], 'did you mean gatectl docs search?'],
  [['docs', ''], 'PAGE is empty'],
  [['reader', 'a@example.com', '--lang', 'de'], 'did you mean --language?'],
  [['reply', 'list', '--lang', 'de'], 'did you mean --language?'],
  [['access', 'a@example.com', '--lang', 'de'], '--reply --language CODE'],
  [['reader', 'a@example.com', '--url', 'https://example.com/a'], 'did you mean --item?'],
  [['access', 'a@example.com', '--url', 'https://example.com/a'], 'did you mean --item?'],
  [['reader', 'a@example.com', '--reply', 'de'], 'type --reply --language de'],
])('%j is told what to type', async (args, hint) => {
  const { code, stdout, stderr } = await run([...args, '--sandbox']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(hint);
});

test.each(['docs/tutorials/support.md', 'tutorials/support.md', './docs/tutorials/support.md'])(
  'docs finds the page of the path %s',
  async path => {
    const [page] = JSON.parse((await run(['docs', path, '--json'])).stdout);
    expect(page).toMatchObject({ page: 'support', section: 'Tutorials' });
  },
);

test.each(['paywall', 'paywal'])('docs search %s answers with support, readers and access', async word => {
  const found = JSON.parse((await run(['docs', 'search', word, '--json'])).stdout);
  const first = found.slice(0, 4).map(({ open }: { open: string }) => open);
  expect(first).toEqual(
    expect.arrayContaining(['gatectl docs support', 'gatectl help reader', 'gatectl help access']),
  );
});

test('schema --search without a match says so', async () => {
  const { code, stdout, stderr } = await run(['schema', '--search', 'qqqzzz']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '[]\n' });
  expect(stderr).toContain('note: no command matches');
});

test('skills install ignores the letter case of the assistant', async () => {
  const ran = await run(['skills', 'install', 'Codex', '--dry-run', '--json'], { cwd: temporaryFolder() });
  expect(JSON.parse(ran.stdout).path).toContain('.agents');
});

test('access writes several typed readers to a file, as it does a list', async () => {
  const out = join(temporaryFolder(), 'a.csv');
  const readers = ['active@example.com', 'expired@example.com'];
  const both = await run(['access', ...readers, '--product', 'premium', '--out', out, '--sandbox']);
  expect([both.code, existsSync(out)]).toEqual([0, true]);
  const one = await run(['access', 'active@example.com', '--product', 'premium', '--out', out, '--sandbox']);
  expect(one.code).toBe(2);
  expect(one.stderr).toContain('one reader and --out cannot be combined');
});
