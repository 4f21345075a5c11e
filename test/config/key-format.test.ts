import { describe, expect, test } from 'vitest';
import { checkFirstLine, checkHelperOutput, checkKey } from '../../src/config/key-format.ts';

describe('a key', () => {
  test('loses the blanks around it', () => {
    expect(checkKey('  abc-123_=/+\r\n')).toEqual({ value: 'abc-123_=/+' });
  });

  test.each([
    ['', 'is empty'],
    [' \n', 'is empty'],
    ['abc def', 'contains a blank or a line break'],
    ['abc\nX-Other: 1', 'contains a blank or a line break'],
    ['abc\u0007', 'contains a character that is not printable ASCII'],
    ['abc\u200b', 'contains a character that is not printable ASCII'],
    ['clé', 'contains a character that is not printable ASCII'],
    ['x'.repeat(4097), 'is longer than 4096 characters'],
  ])('%j is rejected without being repeated', (text, problem) => {
    expect(checkKey(text)).toEqual({ problem, hint: 'copy the key again from the account dashboard' });
  });
});

describe('a key file', () => {
  test('counts by its first line', () => {
    expect(checkFirstLine('\uFEFFabc\r\n# rotated in May\n')).toEqual({ value: 'abc' });
    expect(checkFirstLine('\nabc')).toHaveProperty('problem', 'is empty');
  });
});

describe("a helper's output", () => {
  test('counts by its first line, as password managers print notes below', () => {
    expect(checkHelperOutput('abc\nuser: ana\n')).toEqual({ value: 'abc' });
  });

  test.each(['apiKey', 'ApiKey', 'api_key', 'api-key'])('may be JSON with %s', name => {
    expect(checkHelperOutput(`\n${JSON.stringify({ Version: 1, [name]: 'abc' }, undefined, 2)}`)).toEqual({
      value: 'abc',
    });
  });

  test.each([
    ['{"apiKey": "abc"', 'is not valid JSON'],
    ['{"key": "abc"}', 'is JSON without a string apiKey'],
    ['{"apiKey": 5}', 'is JSON without a string apiKey'],
    ['{"apiKey": "a b"}', 'contains a blank or a line break'],
    ['', 'is empty'],
  ])('%j is rejected', (text, problem) => {
    expect(checkHelperOutput(text)).toHaveProperty('problem', problem);
  });
});
