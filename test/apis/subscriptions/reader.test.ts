import fc from 'fast-check';
import isEmail from 'validator/es/lib/isEmail.js';
import { describe, expect, test } from 'vitest';
import { isMailAddress } from '../../../src/apis/subscriptions/reader.ts';
import { runs } from '../../support/runs.ts';

const word = fc.stringMatching(/^[a-zA-Z0-9]{1,12}$/);
const address = fc
  .tuple(
    fc.array(word, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('.', '_', '+', '-', '..', '"', ' '),
    fc.array(word, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('.', '-', '..', '.-', '_'),
    fc.constantFrom('com', 'museum', 'c', '123', 'xn--p1ai', 'рф', 'co.uk', ''),
  )
  .map(([name, between, host, join, end]) => `${name.join(between)}@${host.join(join)}.${end}`);

describe('an address', () => {
  test('is taken or rejected as the library does, usual or not', () => {
    fc.assert(
      fc.property(fc.oneof(address, fc.string()), text => {
        expect(isMailAddress(text)).toBe(isEmail(text, { allow_utf8_local_part: true }));
      }),
      { numRuns: runs(2000) },
    );
  });

  test.each([
    ['reader@example.com', true],
    ['first.last+news@mail.example.co.uk', true],
    ['"quoted name"@example.com', true],
    ['jörg@example.com', true],
    ['two@at@example.com', false],
    ['reader@example', false],
    ['.reader@example.com', false],
    ['\ud800@example.com', false],
  ])('%s: %s', (text, taken) => {
    expect(isMailAddress(text)).toBe(taken);
  });
});
