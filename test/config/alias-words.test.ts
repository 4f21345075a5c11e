import { describe, expect, test } from 'vitest';
import { aliasWords, withArguments } from '../../src/config/alias-words.ts';

describe('what an alias stands for, in words', () => {
  test.each([
    ['cdn purge --file $1', ['cdn', 'purge', '--file', '$1']],
    ["bda query --filter 'visits>=3 x'", ['bda', 'query', '--filter', 'visits>=3 x']],
    ['a "b \\"c\\" d"\te\\ f', ['a', 'b "c" d', 'e f']],
    [`--jq '.[] | .a'"'"''`, ['--jq', ".[] | .a'"]],
    ["''", ['']],
    ['  ', []],
  ])('%s', (text, words) => {
    expect(aliasWords(text, 'linux')).toEqual(words);
  });

  test.each(["it's", '"open', 'end\\'])('%s leaves a quote open', text => {
    expect(aliasWords(text, 'linux')).toBeUndefined();
  });

  test('on Windows a backslash is part of a path', () => {
    expect(aliasWords('cdn purge --file "C:\\my urls\\a.txt" C:\\b', 'win32')).toEqual([
      'cdn',
      'purge',
      '--file',
      'C:\\my urls\\a.txt',
      'C:\\b',
    ]);
  });
});

describe('arguments take their places', () => {
  test.each([
    [
      ['a', '$1', '--x=$2'],
      ['one', 'two words'],
      ['a', 'one', '--x=two words'],
    ],
    [
      ['a', '$1'],
      ['one', '--flag', 'three'],
      ['a', 'one', '--flag', 'three'],
    ],
    [
      ['a', '$@', 'z'],
      ['one', 'two'],
      ['a', 'one', 'two', 'z'],
    ],
    [
      ['a', '$2', '$@', '$1'],
      ['one', 'two', 'three'],
      ['a', 'two', 'three', 'one'],
    ],
    [['a', '$@', 'z'], [], ['a', 'z']],
    [['a'], ['one'], ['a', 'one']],
    [
      ['$1$1', '$10'],
      ['1', '2', '3', '4', '5', '6', '7', '8', '9', 'ten'],
      ['11', 'ten'],
    ],
    [['a', '$1'], ['$2'], ['a', '$2']],
    [['a', 'x$@', '$x'], [], ['a', 'x$@', '$x']],
  ])('%j with %j', (words, args, expected) => {
    expect(withArguments(words, args)).toEqual(expected);
  });

  test('too few arguments: how many it wants', () => {
    expect(withArguments(['a', '$3'], ['one'])).toBe(3);
  });
});
