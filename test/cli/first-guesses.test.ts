import { describe, expect, test } from 'vitest';
import { version } from '../../package.json';
import { COMMAND_SYNONYMS } from '../../src/cli/synonyms.ts';
import type { Command } from '../../src/commands/framework/define-command.ts';
import { tree } from '../../src/commands/tree.ts';
import { run } from '../support/run.ts';

async function hintFor(line: string): Promise<string> {
  const { code, stdout, stderr } = await run(line.split(' '));
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  return stderr.split('\n').slice(1, -1).join('\n').trim();
}

describe('a command that people try first names the command to type', () => {
  test.each([
    ['purge https://example.com/', 'cdn purge'],
    ['clear --all', 'cdn purge'],
    ['flush', 'cdn purge'],
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
    ['bda report new', 'bda report create'],
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
    ['mock', 'sandbox serve'],
    ['serve', 'sandbox serve'],
    ['sandbox start', 'sandbox serve'],
    ['status', 'doctor'],
    ['diagnose', 'doctor'],
    ['curl', 'api'],
    ['man', 'help'],
    ['profile create', 'profile add'],
    ['profile rm', 'profile remove'],
    ['profile ls', 'profile list'],
    ['profile switch', 'profile use'],
    ['alias rm', 'alias delete'],
    ['configure', 'login'],
    ['auth', 'login'],
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
    ['sandbox --port 0', 'type gatectl sandbox serve --port …'],
    ['bda query pageview', 'if pageview is a data set, type --data-set pageview'],
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
      expect(commands.filter(name => targets.includes(name))).not.toEqual([]);
      const taken = words.split(' ').filter(word => commands.includes(`${group} ${word}`.trim()));
      expect(taken).toEqual([]);
    }
  },
);

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
