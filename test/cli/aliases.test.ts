import { describe, expect, test } from 'vitest';
import { withArguments } from '../../src/cli/aliases.ts';

describe('an alias receives arguments', () => {
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

  test('with too few arguments, the number of required ones', () => {
    expect(withArguments(['a', '$3'], ['one'])).toBe(3);
  });
});
