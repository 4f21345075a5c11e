import { expect, test } from 'vitest';
import { failureOf } from '../../../src/sync/destinations/postgres/failures.ts';
import { postgresSettings } from '../../../src/sync/destinations/postgres/settings.ts';

const SETTINGS = postgresSettings('postgres://loader@db.example.com/analytics', {});

test.each([
  ['54011', 'tables can have at most 1600 columns', 'usage', 'destination_unusable'],
  ['54000', 'row is too big: size 12056, maximum size 8160', 'usage', 'destination_unusable'],
  ['23514', 'new row violates check constraint "mine"', 'usage', 'destination_unusable'],
  ['42883', 'function mine() does not exist', 'usage', 'destination_unusable'],
  ['0A000', 'cannot do that', 'usage', 'destination_unusable'],
  ['2BP01', 'other objects depend on it', 'usage', 'destination_unusable'],
  ['22003', 'value out of range', 'file', 'unrepresentable_value'],
  ['40P01', 'deadlock detected', 'network', 'destination_failed'],
  ['53200', 'out of memory', 'network', 'destination_failed'],
  ['XX000', 'could not read a block', 'network', 'destination_failed'],
  ['57P01', 'terminating connection', 'network', 'destination_unreachable'],
])('an error with SQLSTATE %s is tried again only if that can help: %s', (code, message, kind, errorCode) => {
  const failure = failureOf(Object.assign(new Error(message), { code }), SETTINGS, true);
  expect([failure.kind, failure.code]).toEqual([kind, errorCode]);
});
