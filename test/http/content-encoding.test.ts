import { expect, test } from 'vitest';
import { acceptEncoding, decodingOf, looksCompressed } from '../../src/http/content-encoding.ts';

test('without compression a request declares it', () => {
  expect(acceptEncoding(false)).toBe('identity');
  expect(acceptEncoding(true).split(', ')).toContain('gzip');
});

test.each([
  [undefined, { kind: 'none' }],
  ['', { kind: 'none' }],
  ['identity', { kind: 'none' }],
  ['X-GZIP', { kind: 'supported', encoding: 'gzip' }],
  ['gzip, identity', { kind: 'supported', encoding: 'gzip' }],
  ['br', { kind: 'unsupported', reason: 'compressed (br), which was not requested' }],
  ['gzip,gzip', { kind: 'unsupported', reason: 'compressed more than once (gzip, gzip)' }],
])('the header %j means %j', (header, decoding) => {
  expect(decodingOf(header, true)).toEqual(decoding);
});

test('what was not offered is not decoded', () => {
  expect(decodingOf('gzip', false)).toMatchObject({ kind: 'unsupported' });
});

test('JSON does not look compressed', () => {
  expect(looksCompressed(Buffer.from('{"rows":[]}'))).toBe(false);
  expect(looksCompressed(Buffer.from([0x1f, 0x8b, 8]))).toBe(true);
});
