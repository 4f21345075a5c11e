import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { postgresSettings } from '../../../src/sync/destinations/postgres/settings.ts';
import { monthTable } from '../../../src/sync/destinations/postgres/sql.ts';
import { TableGate } from '../../../src/sync/destinations/postgres/table-gate.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { runs } from '../../support/runs.ts';

const SECRET = 'hunter2-secret';

describe('a postgres:// URL', () => {
  test('names the server, the user, the database and the schema', () => {
    const settings = postgresSettings(
      'postgresql://vera@db.example.com:6432/stats?schema=web&sslmode=verify-full',
      {},
    );
    expect(settings).toMatchObject({
      host: 'db.example.com',
      port: 6432,
      user: 'vera',
      database: 'stats',
      schema: 'web',
      sslMode: 'verify-full',
    });
  });

  test('may name the folder of a socket, and an IPv6 address', () => {
    expect(postgresSettings('postgres:///stats?host=/run/postgresql', {}).host).toBe('/run/postgresql');
    expect(postgresSettings('postgres://%2Frun%2Fpg/stats', {}).host).toBe('/run/pg');
    expect(postgresSettings('postgres://[::1]:5433/stats', {})).toMatchObject({ host: '::1', port: 5433 });
  });

  test('takes what is missing from the environment, as psql does', () => {
    const env = {
      PGHOST: 'db.example.com',
      PGPORT: '6432',
      PGUSER: 'vera',
      PGDATABASE: 'stats',
      PGSSLMODE: 'require',
    };
    expect(postgresSettings('postgres://', env)).toMatchObject({
      host: 'db.example.com',
      port: 6432,
      user: 'vera',
      database: 'stats',
      schema: 'gatectl',
      sslMode: 'require',
    });
    expect(postgresSettings('postgres://other.example.com/web', env)).toMatchObject({
      host: 'other.example.com',
      database: 'web',
    });
    expect(postgresSettings('postgres://vera@localhost', {}).database).toBe('vera');
  });

  test('may name a service', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'services');
    writeFileSync(
      file,
      `[other]\nhost=other.example.com\n[stats]\nhost = db.example.com\npassword=${SECRET}\ndbname=stats\n`,
    );
    const settings = postgresSettings('postgres://vera@?service=stats', { PGSERVICEFILE: file });
    expect(settings).toMatchObject({ host: 'db.example.com', database: 'stats', user: 'vera' });
    expect(settings.password().password).toBe(SECRET);
    expect(() => postgresSettings('postgres://?service=none', { PGSERVICEFILE: file })).toThrow(
      `invalid destination: there is no service "none" in ${file}`,
    );
  });

  test.each([
    [`postgres://vera:${SECRET}@localhost/stats`, 'it contains a password'],
    [`postgres://vera:${SECRET}/x@localhost/stats`, 'it is not a URL such as postgres://USER@HOST/DATABASE'],
    [`postgres://localhost/stats?password=${SECRET}`, 'it contains a password'],
    ['postgres://localhost:x/stats', 'the port x is not a number up to 65535'],
    ['postgres://one.example.com,two.example.com/stats', 'gatectl connects to one server'],
    ['postgres://localhost/stats?sslmode=on', 'there is no sslmode "on"'],
    ['postgres://localhost/stats?scema=web', 'it has an unknown parameter "scema"'],
    ['postgres://localhost/stats?schema=pg_catalog', '"pg_catalog" cannot be the schema of the tables'],
    ['postgres://localhost/st%ats', 'a % in it does not start an escape'],
  ])('%s is rejected, and no secret is in the message', (url, problem) => {
    let thrown: unknown;
    try {
      postgresSettings(url, {});
    } catch (error) {
      thrown = error;
    }
    const { message, hints } = thrown as Error & { hints: readonly string[] };
    expect(message).toContain(`invalid destination: ${problem}`);
    expect([message, ...hints].join()).not.toContain(SECRET);
  });
});

describe('the password', () => {
  const withFile = (text: string, mode = 0o600) => {
    const file = join(temporaryFolder(), 'pgpass');
    writeFileSync(file, text);
    chmodSync(file, mode);
    return { PGPASSFILE: file };
  };
  const passwordOf = (env: Record<string, string>, url = 'postgres://vera@db.example.com/stats') =>
    postgresSettings(url, env).password().password;

  test('comes from PGPASSWORD before the password file', () => {
    expect(passwordOf({ ...withFile('*:*:*:*:other'), PGPASSWORD: SECRET })).toBe(SECRET);
  });

  test('comes from the first line of the password file that matches', () => {
    const lines = [
      '# db.example.com:5432:stats:vera:comment',
      'db.example.com:5433:stats:vera:other-port',
      'db.example.com:5432:*:vera:a\\:b\\\\c:d',
      '*:*:*:*:last',
    ];
    expect(passwordOf(withFile(lines.join('\n')))).toBe('a:b\\c:d');
    expect(passwordOf(withFile('localhost:*:*:*:socket'), 'postgres://vera@/stats?host=/run/pg')).toBe(
      'socket',
    );
    expect(passwordOf(withFile('localhost:*:*:*:other'))).toBe(undefined);
  });

  test('does not come from a password file that others may read', () => {
    expect(passwordOf(withFile('*:*:*:*:open', 0o644))).toBe(undefined);
  });
});

test('the months of any two tables have different names of at most 63 bytes', () => {
  const table = fc.stringMatching(/^[a-z][a-z0-9_]{0,62}$/);
  fc.assert(
    fc.property(table, table, (one, other) => {
      const names = [monthTable(one, '2026-03'), monthTable(other, '2026-03')];
      expect(names.every(name => name.startsWith('_') && name.length <= 63)).toBe(true);
      expect(names[0] === names[1]).toBe(one === other);
    }),
    { numRuns: runs(500) },
  );
});

test('a change of a table waits for its writers, and they for it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(fc.boolean(), { maxLength: 12 }), async (scheduler, tasks) => {
      const gate = new TableGate();
      let [writers, changes] = [0, 0];
      const write = async () => {
        writers += 1;
        expect(changes).toBe(0);
        await scheduler.schedule(Promise.resolve());
        writers -= 1;
      };
      const change = async () => {
        changes += 1;
        expect([writers, changes]).toEqual([0, 1]);
        await scheduler.schedule(Promise.resolve());
        changes -= 1;
      };
      const all = Promise.all(tasks.map(isChange => (isChange ? gate.alone(change) : gate.shared(write))));
      await scheduler.waitFor(all);
    }),
    { numRuns: runs(200) },
  );
});
