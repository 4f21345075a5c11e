import { describe, expect, test } from 'vitest';
import { ACCESS_MODES } from '../../src/commands/access/flags.ts';
import { RUN_MODES } from '../../src/commands/bda/sync/run.ts';
import type { Option, Options } from '../../src/commands/framework/define-command.ts';
import type { Modes } from '../../src/commands/framework/modes.ts';
import { temporaryFolder } from '../support/folder.ts';
import { run } from '../support/run.ts';

/** A flag as it is typed, with a value that it accepts. */
function typed(name: string, { kind, choices, range }: Option<unknown>): readonly string[] {
  if (kind === 'switch') return [name];
  return [name, choices?.[0] ?? String(range?.min ?? 1)];
}

/** Each flag outside its mode: the command line of the mode, how messages name it, and the flag. */
function outside<Name extends string, O extends Options>(
  modes: Modes<Name, O>,
  lines: Readonly<Record<Name, readonly [label: string, line: readonly string[]]>>,
) {
  return (Object.keys(lines) as Name[]).flatMap(mode =>
    Object.entries(modes.options).flatMap(([flag, option]) => {
      if (modes.has(mode, flag)) return [];
      const [label, line] = lines[mode];
      const name = modes.nameOf(flag);
      return [[label, name, [...line, ...typed(name, option)]] as const];
    }),
  );
}

const READER = ['active@example.com', '--product', 'premium'];

const MATRIX = [
  ...outside(ACCESS_MODES, {
    one: ['one reader', ['access', ...READER]],
    list: ['a list of readers', ['access', '-', '--product', 'premium']],
  }),
  ...outside(RUN_MODES, {
    file: ['a sync file', ['bda', 'sync', 'run']],
    units: ['--units', ['bda', 'sync', 'run', '--units', 'units.ndjson']],
  }),
]
  // It selects the mode of a list itself.
  .filter(([label, name]) => !(label === 'one reader' && name === '--from-file'))
  .filter(([label, name]) => !(label === 'a sync file' && name === '--units'));

describe('a flag outside its mode', () => {
  test('there are some in each mode', () => {
    expect(MATRIX.length).toBeGreaterThan(15);
    expect(new Set(MATRIX.map(([label]) => label)).size).toBe(4);
  });

  test.each(MATRIX)(
    '%s with %s is refused in one wording, and nothing is sent',
    async (label, name, line) => {
      const { code, stdout, stderr } = await run([...line, '--sandbox', '--verbose'], {
        cwd: temporaryFolder(),
      });
      expect([code, stdout, stderr.split('\n')[0]]).toEqual([
        2,
        '',
        `error: ${label} and ${name} cannot be combined`,
      ]);
      expect(stderr).not.toContain(' -> ');
    },
  );
});

test('flags of one mode are a group of their own in the help', async () => {
  const { stdout } = await run(['access', '--help']);
  const [, ofList = ''] = /\n(A list of readers:?\n(?: .*\n)+)/.exec(stdout) ?? [];
  for (const name of ['--from-file', '--email-column', '--failed-file']) expect(ofList).toContain(name);
  expect(ofList).not.toContain('--reader-token');
});
