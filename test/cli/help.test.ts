import { describe, expect, test } from 'vitest';
import { allPages } from '../../src/cli/manual/surface.ts';
import { run } from '../support/run.ts';

const help = async (words: readonly string[], columns = 80) =>
  (await run([...words, '--help'], { columns })).stdout;
/** Lines as a terminal shows them. */
const linesOf = (text: string, columns: number) =>
  text
    .trimEnd()
    .split('\n')
    .reduce((count, line) => count + Math.max(1, Math.ceil(line.length / columns)), 0);

const leaves = allPages().filter(({ children }) => children.length === 0);

test('the help of bda query fits 75 lines of 80 columns, without its subcommands', async () => {
  const subcommands = 7;
  expect(linesOf(await help(['bda', 'query']), 80)).toBeLessThanOrEqual(75 + subcommands);
});

describe.each(leaves.map(page => [page.path.join(' '), page] as const))('gatectl %s --help', (_, page) => {
  test('lists every option of the command once, and the global options in one line', async () => {
    const text = await help(page.path);
    const listed = [...text.matchAll(/^ {2}(?:-\w, |--vs, )?(--[a-z][\w-]*)/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual(page.flags.map(({ long }) => long).sort());
    expect(text).toContain('\nGlobal options: --profile, --output, --json, --sandbox; see gatectl --help\n');
  });

  test('lists more than a dozen options in named groups', async () => {
    const groups = new Set(page.flags.map(({ option }) => option.group));
    if (page.flags.length > 12) expect([groups.size > 1, groups.has(undefined)]).toEqual([true, false]);
    else expect(groups.size).toBeLessThanOrEqual(Math.max(1, page.flags.length));
  });
});

test('gatectl --help lists the commands first, then the options in groups', async () => {
  const text = await help([]);
  const headings = [...text.matchAll(/^([A-Z][\w ,]+):$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual(['Commands', 'Gateway', 'Output', 'Other']);
});

test('without a terminal, help is 80 columns wide', async () => {
  const { stdout } = await run(['cdn', 'purge', '--help']);
  const prose = stdout.slice(0, stdout.indexOf('\nExamples:'));
  expect(prose.split('\n').filter(line => line.length > 80)).toEqual([]);
});
