import { describe, expect, test } from 'vitest';
import { allPages, GLOBAL_FLAGS } from '../../../src/cli/manual/surface.ts';
import { isGroup } from '../../../src/commands/framework/define-command.ts';

const pages = allPages();
const nameOf = ({ path }: { readonly path: readonly string[] }) => ['gatectl', ...path].join(' ');

describe('every command has a summary', () => {
  test.each(pages.map(page => [nameOf(page), page] as const))(
    '%s',
    (name, { command, arguments: args, flags }) => {
      expect(command.summary).toMatch(/^\S.{5,}[^.]$/s);
      for (const { summary } of args) expect(summary).toMatch(/\S{3}/);
      for (const { long, summary } of flags) {
        expect(long).toMatch(/^--[a-z][a-z0-9-]+$/);
        expect(summary, `${name} ${long}`).toMatch(/\S.{5}/);
      }
      if (!isGroup(command)) {
        expect(command.output, 'declare in `output` what the command prints as JSON').toBeDefined();
        expect(command.examples.map(({ command }) => command)).not.toEqual([]);
        for (const { command: line, does } of command.examples) {
          expect(line).toContain(name);
          expect(does).toMatch(/\S{2}/);
        }
      }
    },
  );

  test('and so do the flags of all commands', () => {
    for (const { long, summary } of GLOBAL_FLAGS) expect(summary, long).toMatch(/\S.{5}/);
  });
});

/** The command that a line runs, by its longest name. */
const pageOf = (line: string) =>
  pages
    .filter(page => `${line} `.startsWith(`${nameOf(page)} `))
    .sort((a, b) => b.path.length - a.path.length)[0];

test('every flag in an example exists', () => {
  const examples = pages.flatMap(({ command }) => (isGroup(command) ? [] : command.examples));
  const lines = examples.flatMap(({ command }) => {
    // After `--` comes the line of another command.
    const plain = command.replace(/'[^']*'|"[^"]*"/g, 'x').replace(' -- ', '; gatectl ');
    return [...plain.matchAll(/gatectl [^|;&>()]*/g)].map(([line]) => line);
  });
  const unknown = lines.flatMap(line => {
    const flags = [...GLOBAL_FLAGS, ...(pageOf(line)?.flags ?? [])].flatMap(({ long, short }) => [
      long,
      short,
    ]);
    const words = line.split(/\s+/).filter(word => /^--?[a-z]/.test(word));
    return words.filter(word => !flags.includes(word.replace(/=.*/, ''))).map(word => `${line}: ${word}`);
  });
  expect(unknown).toEqual([]);
  expect(lines.length).toBeGreaterThan(30);
});
