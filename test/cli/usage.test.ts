import { describe, expect, test } from 'vitest';
import { QUERY_FLAGS } from '../../src/commands/bda/flags/query-flags.ts';
import { leavesOf } from '../../src/commands/framework/define-command.ts';
import { tree } from '../../src/commands/tree.ts';
import { run } from '../support/run.ts';

async function told(...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(words);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  return stderr;
}

const all = leavesOf(tree).map(({ words, leaf }) => [words, leaf] as const);
const withRequired = all.filter(([, { arguments: args }]) =>
  Object.values(args).some(({ syntax }) => syntax.startsWith('<')),
);

describe('a command line that lacks a word', () => {
  test('names it, explains it, shows what to type, and gives an example', async () => {
    expect(await told('api')).toBe(
      [
        'error: PATH is missing: path below the base URL, with or without a leading slash',
        '  type gatectl api [METHOD] PATH',
        '  such as: gatectl api /bdaservices/getreports/',
        '',
      ].join('\n'),
    );
  });

  test.each(withRequired.map(([words]) => [words.join(' '), words] as const))(
    'of gatectl %s does so, too',
    async (name, words) => {
      const [first = '', type = '', example = ''] = (await told(...words)).split('\n');
      expect(first).toMatch(/^error: [A-Z]+ is missing: ./);
      expect(type).toMatch(new RegExp(`^ {2}type gatectl ${name} \\[?[A-Z]+`));
      expect(example).toMatch(new RegExp(`^ {2}such as: gatectl ${name} `));
    },
  );
});

describe('an address', () => {
  test.each([
    [['eva@example.com'], "error: unknown command 'e***@example.com'"],
    [['--eva@example.com'], "error: unknown option '-***@example.com'"],
    [['reader', '--eva@example.com'], "error: unknown option '-***@example.com'"],
    [['cdn', 'eva@example.com'], "error: gatectl cdn has no command 'e***@example.com'"],
    [['cdn', 'purge', '-- Eva <eva@example.com>'], "error: unknown option '-- Eva <e***@example.com>'"],
  ])('%j is masked in the error', async (words, message) => {
    const said = await told(...words);
    expect(said).not.toContain('eva@example.com');
    expect(said.split('\n')[0]).toBe(message);
  });

  test.each([
    '-------- Forwarded Message --------\nSubject: locked out\nFrom: Eva <active@example.com>',
    '- Eva <active@example.com>',
    '--Eva, active@example.com',
  ])('is found in a paste that begins with dashes: %j', async text => {
    const reader = await run(['reader', text, '--jq', '.reader', '--sandbox']);
    expect([reader.code, reader.stdout]).toEqual([0, 'active@example.com\n']);
    const access = await run(['access', '--product', 'premium', text, '--jq', '.decision', '--sandbox']);
    expect([access.code, access.stdout]).toEqual([0, 'allowed\n']);
  });

  test('in the value of an option leaves the value as it is', async () => {
    const words = ['access', 'active@example.com', '--item', '- a b@c', '--sandbox'];
    expect((await run(words)).stdout).toContain('Access to the item - a b@c at');
  });
});

describe('a command line with too many words', () => {
  test('states the maximum and does not repeat them', async () => {
    expect(await told('profile', 'use', 'one', 'canary two')).toBe(
      [
        'error: gatectl profile use accepts one argument, but 2 were given',
        '  type gatectl profile use NAME',
        '  such as: gatectl profile use staging',
        '  quote words that contain blanks',
        '',
      ].join('\n'),
    );
    expect(await told('cdn', 'ping', 'one', 'two')).toBe(
      [
        'error: gatectl cdn ping accepts only flags, but 2 words without a flag were given',
        '  such as: gatectl cdn ping --quiet && ./deploy.sh',
        '  quote words that contain blanks; add --help to see the flags',
        '',
      ].join('\n'),
    );
  });
});

describe('a flag without its value', () => {
  test.each([
    [['bda', 'query', '--compare', '-o', 'json'], '--compare', '-o', 'type --compare PERIOD'],
    [['bda', 'query', '--from', '--json'], '--from', '--json', 'type --from DAY'],
    [['bda', 'query', '--limit', '--output=csv'], '--limit', undefined, 'type --limit N'],
    [['bda', 'query', '-d', '-m', 'visits'], '--dimension', '-m', 'type --dimension COLUMNS'],
    [['bda', 'watch', '--min-change', '--sandbox'], '--min-change', '--sandbox', 'type --min-change PERCENT'],
  ])('is not given the next flag: %j', async (words, flag, next, hint) => {
    const { code, stdout, stderr } = await run(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.startsWith('{')).toBe(/json/.test(words.join()));
    expect(stderr).toContain(`${flag} requires a value: `);
    expect(stderr).toContain(hint);
    if (next === undefined) expect(stderr).not.toContain('is the value');
    else expect(stderr).toContain(`if ${next} is the value, type ${flag}=${next}`);
  });

  test.each([
    ['--sort', '-pageviews'],
    ['--title', '-o json'],
    ['--from', '-7d'],
    ['--filter', '-x=1'],
  ])('is given a value that starts with a dash: %s %s', async (flag, value) => {
    const { stderr } = await run(['bda', 'query', flag, value]);
    expect(stderr).not.toContain('requires a value');
  });

  test.each([
    [
      ['access', 'wait', '--product'],
      '--product requires a value: the product handle',
      'type --product HANDLE',
    ],
    [
      ['bda', 'query', '-d'],
      `--dimension requires a value: ${QUERY_FLAGS.dimension.summary}`,
      'type --dimension COLUMNS',
    ],
    [['doctor', '-p'], '--profile requires a value: profile to use', 'type --profile NAME'],
    [
      ['doctor', '-o'],
      '--output requires a value',
      'one of: table, json, ndjson, csv, tsv, md, html, parquet, xlsx',
    ],
  ])('%j explains its purpose', async (words, message, hint) => {
    expect(await told(...words)).toBe(`error: ${message}\n  ${hint}\n`);
  });
});

test.each([
  [['cdn', 'purge', 'https://example.com/', '--failed-to', 'f'], '--failed-to', '--failed-file'],
  [['cdn', 'purge', 'https://example.com/', '--again=5'], '--again', '--repeat-after'],
  [['access', '--product', 'p', '--from-file', '-', '--failed-to', 'f'], '--failed-to', '--failed-file'],
  [['bda', 'query', '--complete-only'], '--complete-only', '--complete-periods'],
  [['bda', 'migrate-query', '--only', 'Busy'], '--only', '--label'],
])('%j: a former option name gives a hint with the current one', async (args, former, present) => {
  expect(await run(args)).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: unknown option '${former}'\n  did you mean ${present}?\n`,
  });
});

test('a former name of another command is unknown like any other', async () => {
  const { code, stderr } = await run(['cdn', 'ping', '--again', '5']);
  expect([code, stderr.split('\n')[0], stderr.includes('--repeat-after')]).toEqual([
    2,
    "error: unknown option '--again'",
    false,
  ]);
});

test.each([
  ['products', '--api-key', 'hunter2'],
  ['products', '--api-key=hunter2'],
  ['--api-key', 'hunter2', 'products'],
  ['cdn', '--api-key=hunter2', 'ping'],
  ['cdn', 'ping', '--key', 'hunter2'],
  ['cdn', 'ping', '--token', 'hunter2'],
  ['doctor', '--password=hunter2'],
  ['bda', 'query', '--secret-key', 'hunter2'],
])('a key in an option is the documented error, and is not repeated: %s %s %s', async (...words) => {
  const ran = await run([...words, '-o', 'json']);
  const { error } = JSON.parse(ran.stderr);
  expect([ran.code, error.code]).toEqual([2, 'key_on_command_line']);
  expect(ran.stderr + ran.stdout).not.toContain('hunter2');
});

test('--token of a command with a session token names that option', async () => {
  const ran = await run(['products', '--token', 'x']);
  expect(ran.stderr).toBe("error: unknown option '--token'\n  did you mean --reader-token?\n");
});
