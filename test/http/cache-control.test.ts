import { expect, test } from 'vitest';
import { isStorable } from '../../src/http/cache-control.ts';

test.each([
  ['no-store', false],
  ['No-Store', false],
  ['private, no-store, max-age=0', false],
  ['no-cache="set-cookie",no-store', false],
  ['no-store=""', false],
  ['no-cache', true],
  ['private="x, no-store"', true],
  ['no-storeroom', true],
  [undefined, true],
])('a response with Cache-Control %s may be stored: %s', (value, storable) => {
  expect(isStorable({ 'cache-control': value })).toBe(storable);
});
