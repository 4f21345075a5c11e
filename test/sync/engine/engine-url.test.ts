import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hintsFor, NO_CONTEXT } from '../../../src/cli/hints.ts';
import { UsageError } from '../../../src/errors/index.ts';
import { readEngine } from '../../../src/sync/engine/engine-url.ts';
import { runs } from '../../support/runs.ts';

function errorOf(flag: string | undefined, env: Readonly<Record<string, string>> = {}): UsageError {
  try {
    readEngine(flag, env);
  } catch (error) {
    if (error instanceof UsageError) return error;
  }
  throw new Error('no UsageError');
}

test.each([
  ['redis://queue.example.com', 'redis', 'redis://queue.example.com:6379'],
  ['rediss://queue.example.com:6380/3', 'redis', 'rediss://queue.example.com:6380/3'],
  ['valkey://queue.example.com', 'redis', 'valkey://queue.example.com:6379'],
  ['redis://[::1]:7000', 'redis', 'redis://[::1]:7000'],
  ['postgres://worker@db.example.com/jobs', 'postgres', 'postgres://db.example.com:5432/jobs'],
  ['postgresql://db.example.com:6543/jobs', 'postgres', 'postgresql://db.example.com:6543/jobs'],
])('an engine is Redis, Valkey or PostgreSQL: %s', (url, kind, name) => {
  expect(readEngine(url, {})).toMatchObject({ kind, name });
});

test('PostgreSQL is named as a destination is: with a socket, and parameters of the URL before its parts', () => {
  const socket = { host: '/tmp/sockets', port: 15_432, database: 'jobs' };
  for (const url of [
    'postgres://worker@localhost/jobs?host=/tmp/sockets&port=15432',
    'postgres:///jobs?host=%2Ftmp%2Fsockets&port=15432&user=worker',
  ])
    expect(readEngine(url, {})).toMatchObject({
      ...socket,
      user: 'worker',
      name: 'postgres:///jobs?host=/tmp/sockets&port=15432',
    });
  const env = { GATECTL_ENGINE: 'postgres://worker:p%40ss@db.example.com/jobs?host=queue.example.com' };
  expect(readEngine(undefined, env)).toMatchObject({ host: 'queue.example.com', password: 'p@ss' });
  expect(errorOf('postgres://db.example.com/jobs?hots=queue').message).toBe(
    'invalid --engine: it has an unknown parameter "hots"',
  );
  expect(errorOf('postgres://db.example.com/jobs?schema=mine').message).toBe(
    'invalid --engine: the schema of the queue is always bullmq',
  );
});

test('TLS is that of rediss:, or the sslmode of PostgreSQL', () => {
  expect(readEngine('rediss://queue.example.com', {}).tls).toBe('require');
  expect(readEngine('redis://queue.example.com', {}).tls).toBeUndefined();
  expect(readEngine('postgres://db.example.com/jobs?sslmode=verify-full', {}).tls).toBe('verify-full');
  expect(readEngine('postgres://db.example.com/jobs', { PGSSLMODE: 'require' }).tls).toBe('require');
});

describe('the password', () => {
  test('of Redis is that of REDISCLI_AUTH, else of REDIS_URL for the same server', () => {
    const url = 'redis://queue.example.com:6379/2';
    const REDIS_URL = 'redis://worker:p%40ss@queue.example.com';
    expect(readEngine(url, { REDIS_URL })).toMatchObject({ user: 'worker', password: 'p@ss' });
    expect(readEngine(url, { REDIS_URL, REDISCLI_AUTH: 'other' })).toMatchObject({
      user: undefined,
      password: 'other',
    });
    expect(readEngine('redis://other.example.com', { REDIS_URL }).password).toBeUndefined();
  });

  test('of PostgreSQL is that of PGPASSWORD, with the other variables of its clients', () => {
    const env = {
      PGUSER: 'worker',
      PGPASSWORD: 'secret',
      PGHOST: 'db.example.com',
      PGPORT: '6543',
      PGDATABASE: 'jobs',
    };
    expect(readEngine('postgres://', env)).toMatchObject({
      name: 'postgres://db.example.com:6543/jobs',
      user: 'worker',
      password: 'secret',
    });
  });

  test('may be in GATECTL_ENGINE', () => {
    const env = { GATECTL_ENGINE: 'postgres://worker:secret@db.example.com/jobs' };
    expect(readEngine(undefined, env)).toMatchObject({ user: 'worker', password: 'secret' });
  });

  test('is rejected on the command line, where others see it, and not repeated', () => {
    const error = errorOf('redis://worker:canary-1234@queue.example.com');
    expect([error.message, error.code]).toEqual([
      '--engine contains a password, and other users can see the command line',
      'key_on_command_line',
    ]);
    expect(hintsFor(error, NO_CONTEXT).join()).toContain('REDISCLI_AUTH');
    const ofPostgres = errorOf('postgres://worker:canary-1234@db.example.com/jobs');
    expect(hintsFor(ofPostgres, NO_CONTEXT).join()).toContain('~/.pgpass');
  });

  test('is in no name and no message, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[!-~]{8,20}$/),
        fc.constantFrom('redis', 'rediss', 'postgres', 'amqp'),
        fc.constantFrom('', ':99999', '/db%', '/%zz', ' '),
        (word, scheme, end) => {
          const password = encodeURIComponent(`canary${word}`);
          const url = `${scheme}://worker:${password}@queue.example.com${end}`;
          let shown = '';
          try {
            shown = readEngine(undefined, { GATECTL_ENGINE: url }).name;
          } catch (error) {
            if (!(error instanceof UsageError)) throw error;
            shown = `${error.message} ${hintsFor(error, NO_CONTEXT).join()}`;
          }
          expect(shown).not.toContain('canary');
        },
      ),
      { numRuns: runs(400) },
    );
  });
});

test.each([
  [undefined, '--engine is missing', 'missing_argument'],
  ['amqp://queue.example.com', 'invalid --engine: amqp is not supported', 'invalid_value'],
  ['queue.example.com', 'invalid --engine: it is not a URL', 'invalid_value'],
  [
    'redis://queue.example.com/jobs',
    'invalid --engine: jobs is not a Redis database number',
    'invalid_value',
  ],
  [
    'redis://queue.example.com/%',
    'invalid --engine: a % in it is not followed by two digits',
    'invalid_value',
  ],
])('%s is rejected with one line', (url, message, code) => {
  const error = errorOf(url);
  expect([error.message, error.code, hintsFor(error, NO_CONTEXT).length]).toEqual([message, code, 1]);
});
