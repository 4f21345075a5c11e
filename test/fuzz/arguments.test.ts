import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { GLOBAL_OPTIONS } from '../../src/cli/globals.ts';
import { flagName, leavesOf, type Option } from '../../src/commands/framework/define-command.ts';
import { tree } from '../../src/commands/tree.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runs } from '../support/runs.ts';
import { type WireServer, wireServer } from '../support/wire-server.ts';
import { runBounded } from './bounded.ts';
import { COMMANDS } from './commands.ts';
import { anyText } from './texts.ts';

const LEAVES = leavesOf(tree);
/** They start programs or wait for long: what a user wants of them, no test may try at random. */
const NOT_AT_RANDOM = new Set([
  '--key-command',
  '--keyring',
  '--repeat-after',
  '--base-url',
  '--url',
  '--host',
  '--port',
]);

const PLAUSIBLE = [
  ...[
    'example.com',
    'a@example.com',
    'https://example.com/a',
    '2026-03-01',
    '7d',
    'visits',
    'visits:desc',
    'visits>=3',
  ],
  ...[
    'pageview',
    '1',
    '0',
    '-1',
    '100',
    '1e3',
    'json',
    'csv',
    'service',
    'include',
    'US',
    'p',
    'x=1',
    'on',
    'true',
  ],
];
const value = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...PLAUSIBLE) },
  { weight: 1, arbitrary: anyText },
);

/** Files in a folder that goes away: nothing else may be written to at random. */
const FILES = ['there.txt', 'there.json', 'there.csv', 'none.csv', 'none.gz', 'folder', 'none/none', '-'];

/** A text that is neither a path that leads out of the folder nor an address that leads out of the machine. */
const harmless = value.filter(
  text => !/^\s*https?:\/\/(?!example\.com\/a$)/i.test(text) && !text.includes('/etc'),
);

function given(option: Option<unknown>): fc.Arbitrary<readonly string[]> {
  const name = flagName(option.flags);
  if (option.kind === 'switch') return fc.constant([name]);
  const written =
    option.completes === 'file' || option.completes === 'directory'
      ? fc.constantFrom(...FILES).map(file => `\0${file}`)
      : Array.isArray(option.completes)
        ? fc.oneof(fc.constantFrom(...(option.completes as string[])), harmless)
        : harmless;
  return written.map(text => [name, text]);
}

const random: fc.Arbitrary<readonly string[]> = fc.constantFrom(...LEAVES).chain(({ words, leaf }) => {
  const options = [...Object.values(leaf.options), ...Object.values(GLOBAL_OPTIONS)].filter(
    option => !NOT_AT_RANDOM.has(flagName(option.flags)),
  );
  const isForFiles = Object.values(leaf.arguments).some(({ completes }) => completes === 'file');
  const argument = isForFiles ? fc.constantFrom(...FILES).map(file => `\0${file}`) : harmless;
  return fc
    .tuple(
      fc.array(fc.constantFrom(...options).chain(given), { maxLength: 5 }),
      fc.array(argument, { maxLength: 2 }),
      // Now and then the beginning of the command is spoiled too.
      fc.oneof({ weight: 9, arbitrary: fc.constant(words) }, { weight: 1, arbitrary: fc.tuple(harmless) }),
    )
    .map(([flags, positional, path]) => [...path, ...flags.flat(), ...positional]);
});

/** A good command line with one word or two spoiled, left out or added. */
const spoiled: fc.Arbitrary<readonly string[]> = fc
  .tuple(
    fc.constantFrom(...COMMANDS.map(([args]) => args)),
    fc.array(fc.tuple(fc.constantFrom('replace', 'remove', 'repeat', 'insert'), fc.nat(20), harmless), {
      minLength: 1,
      maxLength: 2,
    }),
    fc.array(fc.constantFrom(...Object.values(GLOBAL_OPTIONS)).chain(given), { maxLength: 2 }),
  )
  .map(([args, deeds, globals]) => {
    const words = [...args];
    for (const [deed, at, text] of deeds) {
      const index = at % (words.length + 1);
      const there = words.slice(index, index + 1);
      words.splice(
        index,
        1,
        ...{ replace: [text], remove: [], repeat: [...there, ...there], insert: [text, ...there] }[deed],
      );
    }
    return [...words, ...globals.filter(([name = '']) => !NOT_AT_RANDOM.has(name)).flat()];
  });

const commandLine = fc.oneof(random, { weight: 2, arbitrary: spoiled });

const ANSWERS: readonly (readonly [RegExp, string])[] = [
  [/identity-token/, '{"success":true,"data":{"token":"a.b.c"}}'],
  [/access/, '{"success":true,"data":{"decision":"denied","reasonCode":"no_entitlement"}}'],
  [/subscriptions/, '{"success":true,"data":[]}'],
  [/cdnservices/, '{"Success":true,"Error":""}'],
  [/v2\/query/, '{"rows":[{"visits":1}],"total_rows":1}'],
  [/v2/, '{"rows":[]}'],
];

let server: WireServer;
beforeAll(async () => {
  server = await wireServer(({ target }) => ({
    body: ANSWERS.find(([path]) => path.test(target))?.[1] ?? '[{"id":1,"Name":"x"}]',
  }));
});
afterAll(() => server.close());

test('whatever is typed, gatectl exits with a documented code and escaped output', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      commandLine,
      fc.constantFrom(undefined, 40, 100),
      fc.option(anyText, { nil: undefined }),
      async (line, columns, input) => {
        const folder = temporaryFolder();
        writeFileSync(join(folder, 'there.txt'), 'https://example.com/a\n');
        writeFileSync(join(folder, 'there.json'), '{"data_set":"pageview","metrics":["visits"]}');
        writeFileSync(join(folder, 'there.csv'), 'email\na@example.com\n');
        mkdirSync(join(folder, 'folder'));
        const args = line.map(word =>
          word.startsWith('\0') && FILES.includes(word.slice(1)) ? inFolder(folder, word) : word,
        );
        const env = {
          GATECTL_BASE_URL: server.baseUrl,
          GATECTL_API_KEY: 'some-key',
          GATECTL_DOMAIN: 'example.com',
          GATECTL_CONFIG_DIR: join(folder, 'config'),
        };
        await runBounded(args, {
          env,
          cwd: folder,
          ...(columns !== undefined && { columns }),
          ...(input !== undefined && { input }),
        });
      },
    ),
    { numRuns: runs(250) },
  );
});

function inFolder(folder: string, word: string): string {
  return word === '\0-' ? '-' : join(folder, word.slice(1));
}
