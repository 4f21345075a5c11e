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

/** What a newcomer types first, and the command that the error names. */
const FIRST_GUESSES: readonly [typed: string, meant: string][] = [
  ['bda query -m visits -d country --sort visits desc --last 7d', '--sort visits:desc --last 7d'],
  [
    'bda query -m visits --last 7d --filter device=mobile country=DE',
    '--filter device=mobile --filter country=DE',
  ],
  ['bda query -m visits --last 7d --filter country DE', '--last 7d --filter country=DE'],
  ['bda query -m visits --last 7d --filter country is DE', '--last 7d --filter country=DE'],
  ['bda top pages --last 7 days', '--last 7d'],
  ['bda top pages --last 2 weeks --limit 3', '--last 2w --limit 3'],
  ['bda query -m visits -d country --last 7d --compare last year', '--compare year'],
  ['bda query -m visits -d country --last 7d --vs last month', "--vs 'last month'"],
  ['bda top pages last 7 days', '--period last-7-days'],
  ['bda top 5 pages yesterday', '--limit 5 --period yesterday'],
  ['bda why visits fell last week', '-m visits --period last-week'],
];

test.each(FIRST_GUESSES)('gatectl %s is told what to type, and that works', async (typed, meant) => {
  const failed = await run([...typed.split(' '), '--sandbox']);
  expect(failed).toMatchObject({ code: 2, stdout: '' });
  const [, line = ''] = /\n {2}type (gatectl .*)\n/.exec(failed.stderr) ?? [];
  expect(line).toContain(meant);
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain);
  expect(await run(words.slice(1))).toMatchObject({ code: 0 });
});

test.each([
  [['--filter', 'visits > 1,000'], "type 'visits>1000'"],
  [['--filter', 'country IN (DE, AT)'], 'type country=DE,AT'],
  [['--filter', 'country is DE'], 'type country=DE'],
  [['--filter', 'country:DE'], 'type country=DE'],
  [['--country', 'DE'], 'type --filter country=VALUE'],
  [['--excel'], 'type -o xlsx --out FILE.xlsx'],
  [['-o', 'excel'], 'type -o xlsx --out FILE.xlsx'],
  [['-o', 'Markdown'], 'type -o md'],
  [['--pdf'], 'type -o html > FILE.html'],
  [['-f', 'country=DE'], 'did you mean --filter?'],
])('bda top pages %j is told what to type', async (words, hint) => {
  const { code, stderr } = await run(['bda', 'top', 'pages', '--last', '7d', ...words, '--sandbox']);
  expect(code).toBe(2);
  expect(stderr).toContain(hint);
});

test.each([
  [['bda', 'top', 'pages', '--sort', 'revenue'], '-m METRIC'],
  [['bda', 'top', '10'], 'type gatectl bda top pages --limit 10'],
  [['bda', 'query', 'country'], 'if country is a dimension, type -d country'],
  [['bda', 'report', 'run', '1010'], 'type gatectl bda report run --id 1010'],
  [['bda', 'report', 'build', 'weekly.yaml', '--email', 'a@example.com'], '--out FILE.eml'],
  [['bda', 'watch', '--email', 'a@example.com'], '--on-alert COMMAND'],
])('%j is told what to type', async (args, hint) => {
  const { code, stderr } = await run([...args, '--sandbox']);
  expect(code).not.toBe(0);
  expect(stderr).toContain(hint);
});

test('a word after a value is a file where there is one, and nothing that may be secret is repeated', async () => {
  const query = ['bda', 'query', '-m', 'visits', '--last', '7d', '--sandbox'];
  const file = await run([...query, '--filter', 'country', 'package.json']);
  expect(file.stderr).not.toContain('a word without a flag');
  const secret = await run([...query, '--sort', 'visits', 'desc', '--tz', 'x-Secret9']);
  expect(secret.stderr).toContain('type --sort visits:desc\n');
  expect(secret.stderr).not.toContain('Secret9');
});
