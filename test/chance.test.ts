import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

// Patterns of tests that failed by chance. Where one is right, the file is listed with its reason.

const TESTS = fileURLToPath(new URL('.', import.meta.url));
const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts') && name !== 'chance.test.ts')
  .map(name => ({ name, text: readFileSync(join(TESTS, name), 'utf8') }));

const REAL_SERVER = 'a server of its own process, of which no event tells';
const KILLS = 'kills at moments that differ on purpose, each of which the test allows';

/** Files in which something takes time. */
const TAKES_TIME: Readonly<Record<string, string>> = {
  'support/wait.ts': 'waits for what holds',
  'support/real-sync.ts': KILLS,
  'e2e/kills.test.ts': KILLS,
  'commands/refused-requests.test.ts': 'a server that answers late, so that requests are in flight together',
  'config/profile-writer.ts': 'the pauses of a lock',
  'config/store.test.ts': 'the pauses of a lock',
  'files/chained-log.test.ts': 'the pauses of a lock',
  'files/lock.test.ts': 'the pauses of a lock',
  'objects/object-locks.test.ts': 'the pauses of a lock, and three heartbeats in which it is not renewed',
  'sync/lake-locks.test.ts': 'the pauses of a lock',
  'sandbox/faults/injection.test.ts': 'a reset that must not overtake what was sent before',
  'fuzz/bounded.ts': 'a command that may serve until Ctrl-C',
  'faults/still-time.ts': 'replaces timers',
  'simulation/program.ts': 'replaces timers',
  'http/hang-watch.test.ts': 'replaces timers',
  'shells/terminal.ts': 'a shell, of which no event tells',
  'real-terminal/terminal.ts': 'a terminal, of which no event tells',
  'real-terminal/terminal.check.ts': 'a server that answers late; keys that must change nothing',
  'warehouses/clickhouse-clusters.ts': REAL_SERVER,
  'warehouses/clickhouse-kills.test.ts': KILLS,
  'warehouses/fleet-tests.ts': `${KILLS}; a gateway that answers late`,
  'warehouses/listeners.test.ts': `${KILLS}; a gateway that answers late`,
  'warehouses/listeners.ts': REAL_SERVER,
  'warehouses/postgres.test.ts': KILLS,
  'warehouses/s3.test.ts': KILLS,
  'warehouses/servers/ceph.ts': REAL_SERVER,
  'warehouses/servers/clickhouse.ts': REAL_SERVER,
  'warehouses/servers/pgbouncer.ts': REAL_SERVER,
  'warehouses/servers/postgres.ts': REAL_SERVER,
  'warehouses/servers/redis.ts': REAL_SERVER,
  'warehouses/servers/slurm.ts': REAL_SERVER,
  'warehouses/servers/zookeeper.ts': REAL_SERVER,
  'warehouses/slurm.test.ts': REAL_SERVER,
};

/** Files that read the clock of the machine. */
const READS_CLOCK: Readonly<Record<string, string>> = {
  'config/profile-writer.ts': 'a process of its own',
  'objects/object-locks.test.ts': 'ages by the clock of a store, from whatever time it is',
  'support/fake-s3.ts': 'the dates of a store',
  'support/native-source.ts': 'which transpiled versions were used last',
  'sandbox/library.test.ts': 'the clock of a sandbox is that of the machine',
  'terminal/progress.test.ts': 'time of fake timers',
  'sync/lake-faults.test.ts': 'ages of files',
  'sync/lake-locks.test.ts': 'ages of files',
  'support/real-sync.ts': KILLS,
  'shells/terminal.ts': 'ends a hang',
  'warehouses/clickhouse-kills.test.ts': KILLS,
  'warehouses/fleet-postgres.test.ts': 'the clock of the machine, as in production',
  'warehouses/fleet-tests.ts': 'rates of requests, which nothing else shows',
  'warehouses/listeners.test.ts': 'the clock of the machine, as in production',
  'warehouses/listeners.ts': 'the clock of the machine, as in production',
  'warehouses/postgres.test.ts': 'a reader that is never blocked, within seconds',
  'warehouses/s3.test.ts': 'the clock of the machine, as in production',
  'warehouses/servers/slurm.ts': REAL_SERVER,
};

/** Files with a limit on the time of a test. The general one ends hangs only. */
const HAS_LIMIT: Readonly<Record<string, string>> = {
  'commands/bda/migrate-query/damage.test.ts': 'a full draw runs thousands of commands',
  'commands/bda/why/real.test.ts': 'every week of real series in a full run',
  'commands/cdn/purge/deploys.test.ts': 'many deploys, in full once a night',
  'operations/writes/plan.test.ts': 'ten thousand plans in a full run',
  'fuzz/answers.test.ts': 'as many inputs as there are commands',
  'fuzz/arguments.test.ts': 'as many inputs as there are commands',
  'sync/lake-faults.test.ts': 'fails each call of the file system once',
  'e2e/library.test.ts': 'a program that must end',
  'e2e/sync-duckdb.test.ts': 'many processes',
  'e2e/sync-kills.test.ts': 'many processes',
};

const OWN_LIMIT = /^\s*timeout: \d[\d_]+,?$|\{ timeout: \d[\d_]+ \}, async|^ *\}, \d[\d_]{3,}\);$/m;

function matching(pattern: RegExp): string[] {
  return files
    .filter(({ text }) => pattern.test(text))
    .map(({ name }) => name)
    .sort();
}

describe('only what is listed with a reason', () => {
  test.each([
    ['takes time', /\bsetTimeout\b|\bsomeTime\b(?!.* from )/, TAKES_TIME],
    ['reads the clock of the machine', /\bDate\.now\b|performance\.now|new Date\(\)|hrtime/, READS_CLOCK],
  ])('%s', (_, pattern, listed) => {
    expect(matching(pattern)).toEqual(Object.keys(listed).sort());
  });

  test('has a limit of its own on the time of a test', () => {
    const own = matching(OWN_LIMIT).filter(name => !/^(?:warehouses|real-terminal|shells)\//.test(name));
    expect(own).toEqual(Object.keys(HAS_LIMIT).sort());
  });
});

describe('no test', () => {
  const lines = files.flatMap(({ name, text }) => text.split('\n').map(line => `${name}: ${line.trim()}`));

  test('asks for the size of a file that was listed, and may be gone', () => {
    const asks = lines.filter(line =>
      /readdir.*=>.*\b(?:l?statSync|l?stat)\((?!.*throwIfNoEntry)/.test(line),
    );
    expect(asks).toEqual([
      // Of a cache that no process uses at that time.
      expect.stringMatching(/^e2e\/code-cache\.test\.ts: /),
    ]);
  });

  test('expects an order of the objects that a sync writes at once', () => {
    expect(
      lines.filter(line => /^sync.*objects\.keys\(\).*\.toEqual\(\[$/.test(line) && !/sort\(/.test(line)),
    ).toEqual([]);
  });

  test('listens on a port of which it does not know that it is free', () => {
    expect(lines.filter(line => /\.listen\([1-9]/.test(line))).toEqual([]);
  });

  test('answers requests without a name for what goes wrong', () => {
    // A rejection that nobody awaits ends the run: test/support/server-failures.ts.
    expect(lines.filter(line => /createServer\(async/.test(line))).toEqual([]);
  });

  test('leaves its seed to chance', () => {
    expect(lines.filter(line => /Math\.random\(\)|seed: Date/.test(line))).toEqual([]);
  });
});
