import { expect, test } from 'vitest';
import { parseAddress } from '../../../src/sync/destinations/clickhouse/address.ts';
import { failureOf } from '../../../src/sync/destinations/clickhouse/server-failure.ts';

test.each([
  ['clickhouse://db:8123/', 'default', 'clickhouse://db:8123/default'],
  ['clickhouse://db/stats/', 'stats', 'clickhouse://db:8123/stats'],
  ['clickhouse://[::1]:8123/a%3Fb%23c%2Fd', 'a?b#c/d', 'clickhouse://[::1]:8123/a%3Fb%23c%2Fd'],
])('%s names the database %s', (url, database, name) => {
  expect(parseAddress(url, {})).toMatchObject({ database, name });
});

test.each([
  ['clickhouse://db/%ff', 'a % in the destination does not start an escape', 'write %25 for a percent sign'],
  [
    'clickhouse://%ff@db/a',
    'a % in the destination does not start an escape',
    'write %25 for a percent sign',
  ],
  ['clickhouse://db/a/b', 'the destination names more than a server and a database', /%23/],
  ['clickhouse://db/a#b', 'the destination names more than a server and a database', /%23/],
])('%s is rejected: %s', (url, message, hint) => {
  expect(() => parseAddress(url, {})).toThrow(
    expect.objectContaining({ message, hints: [expect.stringMatching(hint)], code: 'invalid_input' }),
  );
});

test.each([
  [
    201,
    'Quota for user exceeded.',
    'has exhausted the quota of loader: Quota for user exceeded',
    /larger quota/,
  ],
  [392, 'Cannot create table.', 'does not let loader do this: Cannot create table', /allow_ddl = 1$/],
  [
    497,
    'Not enough privileges',
    'does not let loader do this: Not enough privileges',
    / ON `d-1`\.\* TO loader$/,
  ],
  [81, 'no', 'has no database d-1', /^create it: clickhouse-client --query 'CREATE DATABASE `d-1`'$/],
  [999, 'Odd.', 'failed: Odd', undefined],
])('the code %i of a server is an error that says what to do', (code, said, message, hint) => {
  const address = parseAddress('clickhouse://loader@db/d-1', {});
  const error = failureOf(new Error(`Code: ${code}. DB::Exception: ${said}`), 'db:8123', address);
  expect(error.message).toBe(`ClickHouse at db:8123 ${message}`);
  expect(error.hints).toEqual(hint === undefined ? [] : [expect.stringMatching(hint)]);
});
