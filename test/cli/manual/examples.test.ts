import { describe, expect, test } from 'vitest';
import { allPages } from '../../../src/cli/manual/surface.ts';
import { TOPICS } from '../../../src/cli/manual/topics.ts';
import { outline } from '../../../src/cli/outline.ts';
import { CommandLine } from '../../../src/cli/parser.ts';
import { isGroup } from '../../../src/commands/framework/define-command.ts';
import { splitShellWords } from '../../../src/text/shell-words.ts';

/** The gatectl commands in a line of shell, as words. */
function commandsIn(line: string): string[][] {
  const flat = line.replace(/"\$\(([^)]*)\)"/g, '; $1 ;');
  // Outside of quotes, whatever ends a command.
  const parts = flat.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|[^'"|;&<>()])+/g) ?? [];
  return parts.flatMap(part => {
    const words = splitShellWords(part.trim(), 'linux').words;
    const at = words.indexOf('gatectl');
    return at === -1 || words.slice(0, at).some(word => !/^[A-Z_]+=/.test(word) && word !== 'if')
      ? []
      : [words.slice(at + 1)];
  });
}

const examples = allPages().flatMap(({ command }) =>
  isGroup(command) ? [] : command.examples.map(example => example.command),
);
const topicLines = TOPICS.flatMap(({ blocks }) =>
  blocks.flatMap(block => (block.kind === 'commands' ? block.lines : [])),
);

describe('gatectl accepts every example of the manual', () => {
  test.each([...examples, ...topicLines])('$ %s', async line => {
    for (const words of commandsIn(line)) {
      const parsed = await new CommandLine(outline, undefined).parse(words);
      expect(parsed.kind).toBe('run');
    }
  });

  test('and each line has a command', () => {
    expect([...examples, ...topicLines].filter(line => commandsIn(line).length === 0)).toEqual([]);
    expect(commandsIn(`A=1 gatectl x 'a|b' | gatectl y "c d"; jq .`)).toEqual([
      ['x', 'a|b'],
      ['y', 'c d'],
    ]);
  });
});
