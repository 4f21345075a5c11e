import { describe, expect, test } from 'vitest';
import { checkKeyCommand } from '../../src/config/key-format.ts';

describe('a key command typed as one text', () => {
  test('is split into program and arguments', () => {
    expect(checkKeyCommand("op read 'op://Web Vault/key'", 'linux')).toEqual({
      value: ['op', 'read', 'op://Web Vault/key'],
    });
    expect(checkKeyCommand('"\\\\server\\my tools\\op.exe" "a \\"b\\""', 'win32')).toEqual({
      value: ['\\\\server\\my tools\\op.exe', 'a "b"'],
    });
  });

  test.each(['a | b', 'a && b', 'a; b', 'a > b', 'a < b', 'a $KEY', 'a `b`', 'a "$(b)"', 'a "\\\\$b"'])(
    'is rejected when it requires a shell: %s',
    text => {
      expect(checkKeyCommand(text, 'linux')).toHaveProperty(
        'problem',
        expect.stringMatching(/^contains [|&;<>`$], which only a shell interprets$/),
      );
    },
  );

  test.each(['', '   ', '""', "''"])('is rejected when it is empty: %j', text => {
    expect(checkKeyCommand(text, 'linux')).toHaveProperty('problem', 'is empty');
  });

  test.each(["a 'b", 'a "b', 'a b\\'])('is rejected when a quote or backslash is open: %s', text => {
    expect(checkKeyCommand(text, 'linux')).toHaveProperty(
      'problem',
      expect.stringMatching(/^has an unclosed quote or a backslash at its end: /),
    );
  });

  test('is rejected when it starts with a home folder in shell notation', () => {
    expect(checkKeyCommand('~/bin/key', 'linux')).toEqual({
      problem: 'starts with ~, which only a shell interprets',
      hint: 'type the full path',
    });
  });
});
