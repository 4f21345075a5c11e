import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commandWords } from '../../src/config/command-words.ts';
import { shellQuote } from '../../src/terminal/shell-quote.ts';

describe('commandWords', () => {
  test.each([
    ['pass show gateway', ['pass', 'show', 'gateway']],
    ['  op   read  ', ['op', 'read']],
    ["op read 'op://Web Vault/key'", ['op', 'read', 'op://Web Vault/key']],
    ['say "a b"c\'d e\'', ['say', 'a bcd e']],
    ['say ""', ['say', '']],
    ['say "a \\"b\\" \\\\ \\n"', ['say', 'a "b" \\ \\n']],
    ['say a\\ b \\|', ['say', 'a b', '|']],
    ["say '$HOME `x` |'", ['say', '$HOME `x` |']],
    ['say "\\$HOME"', ['say', '$HOME']],
    ['jq \'.["key"]\' file', ['jq', '.["key"]', 'file']],
  ])('%s', (text, words) => {
    expect(commandWords(text, 'linux')).toEqual({ value: words });
  });

  test('Windows paths keep their backslashes', () => {
    expect(commandWords('C:\\tools\\op.exe read', 'win32')).toEqual({ value: ['C:\\tools\\op.exe', 'read'] });
    expect(commandWords('"\\\\server\\my tools\\op.exe" "a \\"b\\""', 'win32')).toEqual({
      value: ['\\\\server\\my tools\\op.exe', 'a "b"'],
    });
  });

  test.each(['a | b', 'a && b', 'a; b', 'a > b', 'a < b', 'a $KEY', 'a `b`', 'a "$(b)"', 'a "\\\\$b"'])(
    '%s needs a shell and is refused',
    text => {
      expect(commandWords(text, 'linux')).toHaveProperty(
        'problem',
        expect.stringMatching(/^has [|&;<>`$] in it, which only a shell understands$/),
      );
    },
  );

  test.each(['', '   ', '""', "''"])('%j is empty', text => {
    expect(commandWords(text, 'linux')).toHaveProperty('problem', 'is empty');
  });

  test.each(["a 'b", 'a "b', 'a b\\'])('%s lacks an end', text => {
    expect(commandWords(text, 'linux')).toHaveProperty(
      'problem',
      expect.stringContaining('has a quote or backslash without its end'),
    );
  });

  test('a home folder in shell notation is refused', () => {
    expect(commandWords('~/bin/key', 'linux')).toEqual({
      problem: 'starts with ~, which only a shell understands',
      hint: 'type the whole path',
    });
  });

  test('words quoted for a shell come back as they were', () => {
    const word = fc.string({ unit: 'grapheme' }).filter(text => !text.includes('\0'));
    const program = fc.stringMatching(/^[a-z]+$/);
    fc.assert(
      fc.property(program, fc.array(word), (first, rest) => {
        const text = [first, ...rest].map(shellQuote).join(' ');
        expect(commandWords(text, 'linux')).toEqual({ value: [first, ...rest] });
      }),
    );
  });
});
