import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { GLOBAL_OPTIONS, HELP_FLAG, VERSION_FLAG } from '../../src/cli/globals.ts';
import { CommandLine } from '../../src/cli/parser.ts';
import {
  type Command,
  flagName,
  isGroup,
  type Leaf,
  type Option,
} from '../../src/commands/framework/define-command.ts';
import { type Outlined, outlineOf } from '../../src/commands/framework/outline.ts';
import { tree } from '../../src/commands/tree.ts';
import { UsageError } from '../../src/errors/index.ts';
import { type InProcessOptions, run } from '../support/run.ts';
import { positions } from '../support/runs.ts';

interface Place {
  readonly words: readonly string[];
  readonly leaf: Leaf;
  /** This command alone, so that a command line is parsed quickly. */
  readonly outline: readonly Outlined[];
}

function places(commands: readonly Command[], path: readonly string[] = []): Place[] {
  return commands.flatMap((command): Place[] => {
    const words = [...path, command.name];
    const below = places(command.commands ?? [], words).map(place => ({
      ...place,
      outline: [{ name: command.name, summary: command.summary, commands: place.outline }],
    }));
    return isGroup(command) ? below : [{ words, leaf: command, outline: [outlineOf(command)] }, ...below];
  });
}

const all = places(tree).map(place => [place.words.join(' '), place] as const);
const globals: readonly Option<unknown>[] = [...Object.values(GLOBAL_OPTIONS), HELP_FLAG, VERSION_FLAG];
const formsOf = (options: readonly Option<unknown>[]) =>
  options.flatMap(option => option.flags.replace(/ [<[].*$/, '').split(', '));
const globalForms = formsOf(globals);
/** What people's lists hold: an address, a key and a handle that begin with a dash. */
const oddValues = ['-Vera@example.com', '-vip', '-qq', '--', '-', '--exit-code', '--output=json', ''];

const operandsOf = (leaf: Leaf): string[] =>
  Object.values(leaf.arguments)
    .filter(({ syntax }) => syntax.startsWith('<'))
    .map(() => 'word');

/** In a full run every command is tried with every global option. */
const valuesFor = (command: number) => [
  ...positions(globalForms.length).map(at => globalForms[(at + command) % globalForms.length] as string),
  ...oddValues,
];

async function parse(outline: readonly Outlined[], argv: readonly string[]) {
  try {
    return await new CommandLine(outline, undefined).parse(argv);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

/** The value that the command gets, or the error that the user gets. */
function readBy(option: Option<unknown>, value: string): unknown {
  if (option.isPasted && value === '') return new UsageError(`${flagName(option.flags)} is empty`);
  try {
    const read = option.read(value);
    // Fields of a request know where they stood among their like.
    return typeof read === 'object' && !Array.isArray(read) ? { ...read, turn: expect.any(Number) } : read;
  } catch (error) {
    return error;
  }
}

describe('the value of an option is used unchanged', () => {
  test.each(all)(
    'by gatectl %s, whatever it starts with, but an option is no value without =',
    async (_, place) => {
      const { words, leaf, outline } = place;
      const values = valuesFor(all.findIndex(each => each[1] === place));
      const options = Object.entries(leaf.options).filter(([, { kind }]) => kind !== 'switch');
      const own = [...words, ...operandsOf(leaf)];
      for (const value of values) {
        const read = options.map(([key, option]) => ({ key, option, value: readBy(option, value) }));
        const typed = (option: Option<unknown>): string[][] => {
          const name = flagName(option.flags);
          return [[`${name}=${value}`], option.flags.includes('[') ? [`${name}=${value}`] : [name, value]];
        };
        const good = read.filter(each => !(each.value instanceof Error));
        const input = Object.fromEntries(
          good.map(({ key, option, value }) => [key, option.kind === 'list' ? [value] : value]),
        );
        const isOption = formsOf([...Object.values(leaf.options), ...globals]).includes(
          value.split('=')[0] ?? '',
        );
        for (const form of isOption ? [0] : [0, 1]) {
          const line = [...own, ...good.flatMap(({ option }) => typed(option)[form] ?? [])];
          expect(await parse(outline, line), line.join(' ')).toMatchObject({
            kind: 'run',
            input,
            globals: { quiet: false, verbose: false, curl: false, flags: { profile: undefined } },
          });
        }
        for (const { option, value: wanted } of read) {
          const line = [...own, ...(typed(option)[1] ?? [])];
          if (isOption && line.at(-1) === value) {
            expect(String(await parse(outline, line)), line.join(' ')).toContain(
              `${flagName(option.flags)} requires a value`,
            );
            continue;
          }
          if (!(wanted instanceof Error)) continue;
          expect(String(await parse(outline, line)), line.join(' ')).toBe(String(wanted));
        }
      }
    },
  );
});

describe('a global option', () => {
  test.each(all)('is accepted before and after gatectl %s', async (_, { words, leaf, outline }) => {
    const given = ['-p', 'news', '--retries=7', '-qv', '--timeout', '9', '-o', 'csv', '--no-color'];
    const expected = {
      kind: 'run',
      globals: {
        flags: { profile: 'news', retries: 7, timeout: '9', output: 'csv' },
        quiet: true,
        verbose: true,
        noColor: true,
        noInput: false,
      },
    };
    const own = [...words, ...operandsOf(leaf)];
    for (let at = 0; at <= words.length; at += 1) {
      const argv = [...own.slice(0, at), ...given, ...own.slice(at)];
      expect(await parse(outline, argv), argv.join(' ')).toMatchObject(expected);
    }
    expect(await parse(outline, [...own, ...given])).toMatchObject(expected);
  });

  test('given before and behind the command is given twice', async () => {
    expect(await run(['-o', 'csv', 'products', '-o', 'csv', '--sandbox'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: --output was given twice\n  give it once\n',
    });
    expect((await run(['-q', 'products', '-q', '--sandbox', '--email', 'active@example.com'])).code).toBe(0);
  });

  test('is checked also where help or the version is requested', async () => {
    for (const line of ['-o yaml --help', '--retries x products --help', 'products --version -o yaml']) {
      expect(await run(line.split(' ')), line).toMatchObject({ code: 2, stdout: '' });
    }
  });

  test('after a bad value still selects the format of the error', async () => {
    const { code, stderr } = await run(['access', '--concurrency', 'many', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stderr).error.message).toBe("invalid --concurrency 'many'");
  });
});

describe('gatectl without a command', () => {
  test.each([
    ['-v'],
    ['-q'],
    ['--json'],
    ['--sandbox'],
    ['-vq', '--no-color'],
    ['--profile', 'news'],
    ['--'],
  ])('prints its help, also with %j', async (...words) => {
    const { code, stdout, stderr } = await run(words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe((await run(['--help'])).stdout);
  });
});

describe('an unexpected argument', () => {
  test.each([
    ['access --emial a@example.com --help', "unknown option '--emial'", 'did you mean --email?'],
    ['access --verbos', "unknown option '--verbos'", 'did you mean --verbose?'],
    ['--bogus --help', "unknown option '--bogus'", 'add --help to see the options'],
    ['acess --help', "unknown command 'acess'", 'did you mean gatectl access?'],
    ['acess --exit-code --version', "unknown command 'acess'", 'did you mean gatectl access?'],
    ['cdn prge --help', "gatectl cdn has no command 'prge'", 'did you mean gatectl cdn purge?'],
  ])('is rejected: %s', async (line, message, hint) => {
    expect(await run(line.split(' '))).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: ${message}\n  ${hint}\n`,
    });
  });
});

describe('with --exit-code, only the decision allowed exits 0', () => {
  const asked = ['access', '--product', 'premium', '--sandbox'];
  const active = ['--email', 'active@example.com'];
  const denied = ['--email', 'denied@example.com'];

  test.each([
    ['-Vera@example.com', 3],
    ['-vera@example.com', 3],
    ['--version', 2],
    ['--help', 2],
    ['--curl', 2],
    ['--exit-code', 2],
    ['--', 2],
    ['', 2],
  ])('an address %j is an address', async (email, code) => {
    for (const form of [['--email', email], [`--email=${email}`]])
      expect((await run([...asked, ...form, '--exit-code', '--quiet'])).code).toBe(code);
  });

  test.each([
    ['--reader-token', '--version'],
    ['--item', '-V123'],
    ['--product', '-h'],
  ])('nor does %s %s', async (option, value) => {
    const product = option === '--reader-token' ? ['--product', 'premium'] : active;
    const { code, stdout } = await run(['access', option, value, ...product, '--sandbox', '--exit-code']);
    expect(code).not.toBe(0);
    expect(stdout).not.toMatch(/^(?:Usage|\d)/);
  });

  test.each(['--version', '-V', '--help', '-h', '--curl', '-vh', '-qV'])(
    '%s is rejected in any position',
    async flag => {
      const lines = [
        [...asked, ...active, '--exit-code', flag],
        [flag, ...asked, ...active, '--exit-code'],
        ['--exit-code', flag, ...asked, ...active],
        ['--exit-code', ...asked, ...active, flag],
        ['access', flag, '--exit-code'],
        ['help', 'access', '--exit-code', flag],
      ];
      for (const line of lines)
        expect(await run(line), line.join(' ')).toMatchObject({ code: 2, stdout: '' });
    },
  );

  test('names the options that cannot be combined', async () => {
    expect((await run([...asked, ...active, '--exit-code', '--curl'])).stderr).toBe(
      'error: --exit-code and --curl cannot be combined\n  give one of them\n',
    );
  });

  test('a pipe that was closed hides no decision', async () => {
    const closed = (): InProcessOptions => ({
      stdout: new Writable({
        write(_chunk, _encoding, done) {
          done(Object.assign(new Error('closed'), { code: 'EPIPE' }));
        },
      }),
    });
    expect((await run([...asked, ...denied, '--exit-code'], closed())).code).toBe(3);
    expect((await run([...asked, ...active, '--exit-code'], closed())).code).toBe(0);
    expect((await run([...asked, ...denied], closed())).code).toBe(0);
    const list = ['--from-file', '-', '--exit-code', '--csv', '--concurrency', '1'];
    const input = 'active@example.com\ndenied@example.com\n';
    expect((await run([...asked, ...list], { ...closed(), input })).code).toBe(3);
  });
});
