import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkKeyCommand } from '../../src/config/key-format.ts';
import { shellCommands } from '../../src/migrate/shell-words.ts';
import { shellQuote, splitShellWords } from '../../src/text/shell-words.ts';

describe('splitShellWords', () => {
  test.each([
    ['pass show gateway', ['pass', 'show', 'gateway']],
    ['  op   read  ', ['op', 'read']],
    ['  ', []],
    ["''", ['']],
    ['cdn purge --file $1', ['cdn', 'purge', '--file', '$1']],
    ["bda query --filter 'visits>=3 x'", ['bda', 'query', '--filter', 'visits>=3 x']],
    ['a "b \\"c\\" d"\te\\ f', ['a', 'b "c" d', 'e f']],
    [`--jq '.[] | .a'"'"''`, ['--jq', ".[] | .a'"]],
    ['say "a b"c\'d e\'', ['say', 'a bcd e']],
    ['say "a \\"b\\" \\\\ \\n"', ['say', 'a "b" \\ \\n']],
    ['say a\\ b \\|', ['say', 'a b', '|']],
    ['say "\\$HOME"', ['say', '$HOME']],
  ])('%s', (text, words) => {
    expect(splitShellWords(text, 'linux').words).toEqual(words);
  });

  test.each(["it's", '"open', 'end\\'])('%s is unclosed', text => {
    expect(splitShellWords(text, 'linux')).toHaveProperty('unclosed');
  });

  test.each([
    ['a | b', '|'],
    ['a "$b"', '$'],
    ["a '$b' \\$c", undefined],
  ])('%s: the first special character', (text, special) => {
    expect(splitShellWords(text, 'linux').special).toBe(special);
  });

  test('on Windows a backslash is part of a path', () => {
    expect(splitShellWords('cdn purge --file "C:\\my urls\\a.txt" C:\\b', 'win32').words).toEqual([
      'cdn',
      'purge',
      '--file',
      'C:\\my urls\\a.txt',
      'C:\\b',
    ]);
  });
});

describe('aliases, key commands and pasted curl commands', () => {
  const parsed = (text: string) => {
    const { words, unclosed } = splitShellWords(text, 'linux');
    return unclosed === undefined ? words : undefined;
  };
  const pasted = (text: string) => {
    const commands = shellCommands(text);
    return commands && (commands[0] ?? []).map(word => word.text);
  };

  test('read the same words from any quoted list of words', () => {
    const word = fc.string({ unit: 'grapheme' }).filter(text => !text.includes('\0'));
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]+$/), fc.array(word), (first, rest) => {
        const words = [first, ...rest];
        const text = words.map(shellQuote).join(' ');
        expect(parsed(text)).toEqual(words);
        expect(pasted(text)).toEqual(words);
        expect(checkKeyCommand(text, 'linux')).toEqual({ value: words });
      }),
    );
  });

  test('read the same words from any text of quotes, backslashes, blanks and letters', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\t', '"', "'", '\\', '\\$', '\\`') });
    fc.assert(
      fc.property(text, input => {
        fc.pre(splitShellWords(input, 'linux').special === undefined);
        expect(pasted(input)).toEqual(parsed(input));
      }),
      { numRuns: 1000 },
    );
  });
});
