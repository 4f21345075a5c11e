import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { version } from '../../package.json';
import { COMMAND_SYNONYMS } from '../../src/cli/synonyms.ts';
import type { Command } from '../../src/commands/framework/define-command.ts';
import { tree } from '../../src/commands/tree.ts';
import { periodText } from '../../src/output/presentation/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { run } from '../support/run.ts';

async function hintFor(line: string): Promise<string> {
  const { code, stdout, stderr } = await run(line.split(' '));
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  return stderr.split('\n').slice(1, -1).join('\n').trim();
}

describe('a command that people try first names the command to type', () => {
  test.each([
    ['purge https://example.com/', 'cdn purge …'],
    ['purge --all', 'cdn purge --all'],
    ['top pages --last 7d --sandbox', 'bda top pages --last 7d --sandbox'],
    ['query -m visits --sandbox -d country', 'bda query -m visits -d country --sandbox'],
    ['why visits', 'bda why visits'],
    ['watch', 'bda watch'],
    ['report build weekly.yaml', 'bda report build weekly.yaml'],
    ['inspect eyJhbGciOiJIUzI1NiJ9.e30.abc', 'token inspect …'],
    ['domains --api-key', 'bda domains …'],
    ['bda countries', 'bda top countries'],
    ['bda visits --last 7d', 'bda query -m visits --last 7d'],
    ['bda report weekly.yaml', 'bda report build weekly.yaml'],
    ['bda sync nightly.yml', 'bda sync run nightly.yml'],
    ['clear --all', 'cdn purge'],
    ['flush', 'cdn purge'],
    ['purge-all example.com', 'cdn purge'],
    ['cdn clear-all', 'cdn purge'],
    ['invalidate https://example.com/news', 'cdn purge'],
    ['cdn clear', 'cdn purge'],
    ['cdn invalidate', 'cdn purge'],
    ['cdn status', 'cdn ping'],
    ['export --out pages.csv', 'bda query'],
    ['query', 'bda query'],
    ['analytics', 'bda query'],
    ['stats', 'bda query'],
    ['metrics', 'bda query'],
    ['bda export', 'bda query'],
    ['bda stats', 'bda query'],
    ['report', 'bda report'],
    ['reports', 'bda report'],
    ['bda report get', 'bda report run'],
    ['bda report new', 'bda report init'],
    ['domains', 'bda domains'],
    ['sites', 'bda domains'],
    ['bda sites', 'bda domains'],
    ['bda dimensions', 'bda columns'],
    ['datasets', 'bda data-sets'],
    ['check', 'access'],
    ['user ana@example.com', 'reader'],
    ['subscriber', 'reader'],
    ['subscriptions', 'products'],
    ['orders', 'purchases'],
    ['jwt', 'token'],
    ['token verify', 'token inspect'],
    ['token decode abc', 'token inspect'],
    ['access watch', 'access wait'],
    ['why active@example.com', 'reader'],
    ['lookup active@example.com', 'reader'],
    ['mock', 'sandbox serve'],
    ['serve', 'sandbox serve'],
    ['sandbox start', 'sandbox serve'],
    ['status', 'doctor'],
    ['diagnose', 'doctor'],
    ['curl', 'api'],
    ['man', 'help'],
    ['examples', 'docs'],
    ['tutorial', 'docs'],
    ['profile create', 'profile add'],
    ['profile rm', 'profile remove'],
    ['profile ls', 'profile list'],
    ['profile switch', 'profile use'],
    ['alias rm', 'alias delete'],
    ['configure', 'login'],
    ['auth', 'login'],
    ['init', 'login'],
    ['setup', 'login'],
    ['config', 'login'],
    ['logout', 'profile remove'],
    ['whoami', 'profile show'],
    // Misspelled.
    ['acess', 'access'],
    ['docter', 'doctor'],
    ['cdn prge', 'cdn purge'],
    ['bda qeury', 'bda query'],
  ])('gatectl %s: %s', async (line, command) => {
    expect(await hintFor(line)).toBe(`did you mean gatectl ${command}?`);
  });
});

describe('an option that people try first names the option to type', () => {
  const query = 'bda query --data-set pageview';
  test.each([
    [`${query} --format csv`, '--output'],
    ['products --format json', '--output'],
    ['products --as csv', '--output'],
    [`${query} --top 10`, '--limit'],
    [`${query} --max-rows 10`, '--limit'],
    [`${query} -n 10`, '--limit'],
    [`${query} --timezone UTC`, '--tz'],
    [`${query} --since 2026-01-01`, '--from'],
    [`${query} --start-date 2026-01-01`, '--from'],
    [`${query} --until 2026-01-31`, '--to'],
    [`${query} --date yesterday`, '--period'],
    [`${query} --quarter 2026-Q3`, '--period'],
    [`${query} --year 2026`, '--period'],
    [`${query} --in 2026-Q3`, '--period'],
    [`${query} --range 2026-10`, '--period'],
    [`${query} --days 7`, '--last'],
    [`${query} --week`, '--this or --previous'],
    [`${query} --round 2`, '--decimals'],
    [`${query} --caption Visits`, '--title'],
    [`${query} --end_date 2026-01-31`, '--to'],
    [`${query} --group-by country`, '--dimension'],
    [`${query} --metrics visits`, '--metric'],
    [`${query} --where visits>3`, '--filter'],
    [`${query} --order-by visits`, '--sort'],
    [`${query} --output-file x.csv`, '--out'],
    [`${query} --graph`, '--chart'],
    [`${query} --out x.csv --continue`, '--resume'],
    [`${query} --out x.csv --restart`, '--no-resume'],
    ['access --user ana@example.com', '--email'],
    ['access --sku premium', '--product'],
    ['access --url https://example.com/a', '--item'],
    ['products --url https://gateway.example.com', '--base-url'],
    ['products --endpoint https://gateway.example.com', '--base-url'],
    ['products --silent', '--quiet'],
    ['products --debug', '--verbose'],
    ['products --demo', '--sandbox'],
    ['products --config file', '--profile'],
    ['products --no-prompt', '--no-input'],
    ['cdn purge --everything', '--all'],
    ['cdn purge --all --force', '--yes'],
    ['cdn purge --tag news', '--key'],
    ['cdn purge --dry', '--dry-run'],
    ['products --dry-run', '--curl'],
    ['cdn purge --list urls.txt', '--file'],
    ['products --baseurl https://gateway.example.com', '--base-url'],
    ['products --quite', '--quiet'],
    ['products --jsno', '--json'],
    [`${query} --data_set pageview`, '--data-set'],
    [`${query} --dimensoin country`, '--dimension'],
  ])('gatectl %s: %s', async (line, option) => {
    expect(await hintFor(line)).toBe(`did you mean ${option}?`);
  });

  test.each([
    ['cdn purge --url https://example.com/', 'type the URLs as arguments: gatectl cdn purge URL…'],
    ['products --save file.json', 'redirect stdout to a file: gatectl … > FILE'],
    ['products --weather', 'add --help to see the options'],
    ['completion install --dry-run', 'add --help to see the options'],
    [
      'token inspect abc',
      'such as: gatectl token inspect < token.txt\n  quote words that contain blanks; add --help to see the flags',
    ],
    [`${query} --yesterday`, 'type --period yesterday'],
    ['bda top 10 countries', 'type gatectl bda top countries --limit 10'],
    ['bda top country visits', 'type gatectl bda top country -m visits'],
    ['bda top pages by visits --last 4w', 'type gatectl bda top pages -m visits --last 4w'],
    ['bda query visits by country', 'type gatectl bda query -m visits -d country --last 7d'],
    ['bda why visits revenue --last 7d', 'type gatectl bda why -m visits,revenue --last 7d'],
    [
      'bda top pages secret0123456789',
      'type gatectl bda top DIMENSION\n  such as: gatectl bda top pages\n  quote words that contain blanks',
    ],
    ...['-d country', '--dimension country'].map(option => [
      `bda watch -m visits ${option}`,
      'omit it: watch judges totals; pass --filter country=US for one value, or --why to explain an alert',
    ]),
    ...['--last 7d', '--from 2026-01-01', '--previous week', '--vs 2026-01', '--start_date 2026-01-01'].map(
      option => [
        `bda watch -m visits ${option}`,
        'omit it: watch judges the last settled day by the weeks before it',
      ],
    ),
    [`${query} --force`, 'omit it: --out replaces an existing file'],
    [`${query} --append`, 'write to another file: --out replaces an existing one'],
    [`${query} -o parquet`, 'type --out FILE.parquet, with a command that has --out, such as bda query'],
    [`${query} -m visits --last 3 months`, `type gatectl ${query} -m visits --last 3m`],
    [`${query} --previous 3`, 'for several, up to yesterday, type --last 3m'],
    [
      `${query} --last month`,
      'for the previous month, pass --previous month\n  for the days up to yesterday, pass --last 1m',
    ],
    ['cdn purge all', 'argument 1: all is not a URL: type --all to purge everything on the domain'],
    [
      'access active@example.com',
      'type --product HANDLE, or --item KEY for a one-time purchase\n  gatectl reader EMAIL checks the products that the reader holds or held',
    ],
    [
      'access active@example.com premium',
      'for a product, type --product HANDLE\n  quote a text with blanks in it; for several readers, type @FILE',
    ],
    ['sandbox --port 0', 'type gatectl sandbox serve --port …'],
    [
      'bda query visits',
      'if visits is a data set, type --data-set visits\n  if visits is a metric, type -m visits',
    ],
    ['bda query visits --data-set pageview', 'if visits is a metric, type -m visits'],
    [
      `${query} -o pages.csv`,
      'it names a format; rows are written with --out FILE, other output with > FILE',
    ],
    ['doctor --url https://gateway.example.com', 'did you mean --base-url?'],
    ['sandbox serve -p 9000', 'type --port 9000'],
    [
      'cdn purge /news',
      'argument 1: /news is a path: type the full URL, such as https://www.example.com/news',
    ],
    [
      'cdn purge /news --domain example.org',
      'argument 1: /news is a path: type the full URL, such as https://example.org/news',
    ],
    ['api GET', 'type gatectl api GET PATH'],
    ['api /query -X POST', 'type the method before the path: gatectl api POST PATH'],
  ])('gatectl %s: %s', async (line, hint) => {
    expect(await hintFor(line)).toBe(hint);
  });
});

const commands = (function namesIn(below: readonly Command[], path: string): string[] {
  return below.flatMap(command => {
    const name = `${path}${command.name}`;
    return [name, ...namesIn(command.commands ?? [], `${name} `)];
  });
})(tree, '');

test.each(Object.entries(COMMAND_SYNONYMS))(
  'below "%s", every other word leads to a command',
  (group, entries) => {
    for (const [words, ...targets] of entries) {
      const paths = targets.map(target => target.replace(/ (?:-.*|\$1)$/, ''));
      expect(commands.filter(name => paths.includes(name))).not.toEqual([]);
      const taken = words.split(' ').filter(word => commands.includes(`${group} ${word}`.trim()));
      expect(taken).toEqual([]);
    }
  },
);

test.each([
  ['--month 2026-02', '2026-02-01', '2026-02-28'],
  ['--month Feb', '2026-02-01', '2026-02-28'],
  ['--period 2026-02', '2026-02-01', '2026-02-28'],
  ['--period 2025-Q3', '2025-07-01', '2025-09-30'],
  ['--period 2025', '2025-01-01', '2025-12-31'],
  ['--period last_month', '2026-02-01', '2026-02-28'],
  ['--period this_week', '2026-03-09', '2026-03-13'],
  ['--period yesterday', '2026-03-13', '2026-03-13'],
  ['--from 1_Feb --to 3_Feb', '2026-02-01', '2026-02-03'],
  ['--from 2026/02/01 --to 2026/02/03', '2026-02-01', '2026-02-03'],
  ['--from 2026-02 --to 2026-02', '2026-02-01', '2026-02-28'],
  ['--from -7d', '2026-03-07', '2026-03-13'],
  ['--last 7', '2026-03-07', '2026-03-13'],
  ['--last 2_weeks', '2026-02-28', '2026-03-13'],
  ['--last 1m', '2026-02-14', '2026-03-13'],
  ['--previous month', '2026-02-01', '2026-02-28'],
  ['--this month', '2026-03-01', '2026-03-13'],
])('days in natural language: %s is %s to %s, as a note prints', async (words, from, to) => {
  const typed = words.split(' ').map(word => word.replaceAll('_', ' '));
  const asked = [
    'bda',
    'query',
    '--data-set',
    'pageview',
    '-m',
    'visits',
    '--tz',
    'UTC',
    '--print',
    ...typed,
  ];
  const { code, stdout, stderr } = await run(asked);
  expect({ code, days: JSON.parse(stdout).date_range }).toEqual({
    code: 0,
    days: { start_date: from, end_date: to },
  });
  expect(stderr).toMatch(new RegExp(`^note: ${periodText({ from, to })}, \\d+ days? \\(UTC\\)\\n$`));
});

test('a file of URLs without @ is rejected with the argument to type', async () => {
  const file = join(temporaryFolder(), 'urls.txt');
  writeFileSync(file, 'https://example.com/\n');
  expect(await hintFor(`cdn purge ${file} --sandbox`)).toBe(
    `argument 1: ${file} is a file: type @${file} to purge the URLs that it lists`,
  );
});

test.each(['weather', 'x', 'qwertyuiop'])(
  'gatectl %s resembles nothing: no command is suggested',
  async word => {
    expect(await hintFor(word)).toBe('gatectl --help lists the commands');
  },
);

test('gatectl version prints the version', async () => {
  expect(await run(['version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test.each([
  [['purge', '--help'], 'gatectl cdn purge'],
  [['help', 'purge'], 'gatectl cdn purge'],
  [['cdn', 'clear', '-h'], 'gatectl cdn purge'],
  [['stats', '--help'], 'gatectl bda query'],
  [['help', 'bda', 'export'], 'gatectl bda query'],
  [['help', 'why'], 'gatectl bda why'],
  [['help', 'explain'], 'gatectl reader'],
])('%j prints the help of %s', async (words, command) => {
  const { code, stdout, stderr } = await run(words);
  expect({ code, stderr, usage: stdout.split('\n')[0] }).toEqual({
    code: 0,
    stderr: '',
    usage: expect.stringMatching(new RegExp(`^Usage: ${command} `)),
  });
});

test('help for a word that means nothing exits 2', async () => {
  expect(await run(['help', 'weather'])).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^error: no help for 'weather'\n {2}gatectl --help lists the commands/),
  });
});

test('-p for a product with --sandbox explains what -p means', async () => {
  expect(await hintFor('access active@example.com -p premium --sandbox')).toBe(
    'give one of them; -p is short for --profile',
  );
});
