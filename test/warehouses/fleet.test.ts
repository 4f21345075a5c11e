import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { type Received, type Reply, wireServer } from '../support/wire-server.ts';
import { figuresOf, KEY, respondFrom } from '../sync/source.ts';
import { LOADER, PASSWORD, PostgresServer, program as postgres } from './servers/postgres.ts';
import { program as redis, redisServer } from './servers/redis.ts';
import { KILLS, proxyTo, seeded } from './support.ts';

const BIN = fileURLToPath(new URL('../../bin/gatectl.js', import.meta.url));
/** A sync file of so many days, each of which is a partition. */
const fileOf = (days: number) => `destination: lake
tables:
  pages:
    data_set: pageview
    dimensions: [page_url]
    metrics: [visits, revenue]
    start: 2026-01-01
    end: 2026-01-${String(days).padStart(2, '0')}
    partition: day
`;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process of gatectl. */
interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

interface Fleet {
  readonly folder: string;
  start(args: readonly string[]): Running;
  run(args: readonly string[]): Promise<Ended>;
}

/** A gateway, and a folder with a sync file; commands have the engine in their environment. */
async function fleet(
  engine: Readonly<Record<string, string>>,
  reply: (request: Received) => Reply | Promise<Reply>,
  days = 20,
): Promise<Fleet & { readonly received: readonly Received[] }> {
  const server = await wireServer(reply);
  onTestFinished(() => server.close());
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'gatectl.sync.yaml'), fileOf(days));
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GATECTL_BASE_URL: server.baseUrl,
    GATECTL_API_KEY: KEY,
    GATECTL_CONFIG_DIR: join(folder, 'config'),
    ...engine,
  };
  const running = new Set<ChildProcess>();
  onTestFinished(() => {
    for (const child of running) child.kill('SIGKILL');
  });
  const start = (args: readonly string[]): Running => {
    const child = spawn(process.execPath, [BIN, 'bda', 'sync', ...args], { cwd: folder, env });
    running.add(child);
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', chunk => {
      stdout += chunk;
    });
    child.stderr.on('data', chunk => {
      stderr += chunk;
    });
    const ended = new Promise<Ended>(resolve => {
      child.once('close', code => {
        running.delete(child);
        resolve({ code, stdout, stderr });
      });
    });
    return { child, ended };
  };
  return {
    folder,
    start,
    run: args => start(args).ended,
    received: server.received,
  };
}

/** Resolves once a process has logged an event. */
async function logged({ child, ended }: Running, event: string): Promise<void> {
  let text = '';
  const found = new Promise<void>(resolve => {
    child.stderr?.on('data', chunk => {
      text += chunk;
      if (text.includes(event)) resolve();
    });
  });
  await Promise.race([found, ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
}

/** The SHA-256 of each file of the tables. */
function filesOf(folder: string): Record<string, string> {
  const lake = join(folder, 'lake', 'pages');
  const files = readdirSync(lake, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
  return Object.fromEntries(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map(path => [path.slice(lake.length), createHash('sha256').update(readFileSync(path)).digest('hex')]),
  );
}

interface TestedEngine {
  env(): Record<string, string>;
  /** Removes all that it stores. */
  empty(): Promise<unknown>;
  readonly isThere: boolean;
}

const ENGINES: Record<string, TestedEngine> = {};
let postgresServer: PostgresServer | undefined;
let servers: { remove(): Promise<void> }[] = [];
let urls: Record<'redis' | 'postgres', string> = { redis: '', postgres: '' };

beforeAll(async () => {
  if (redis.find() !== undefined) {
    const server = await redisServer();
    servers.push(server);
    urls = { ...urls, redis: `redis://127.0.0.1:${server.port}` };
  }
  if (postgres.find() !== undefined) {
    const server = await PostgresServer.create();
    postgresServer = server;
    servers.push(server);
    await server.query(`CREATE DATABASE jobs OWNER ${LOADER}`);
    urls = { ...urls, postgres: `postgres://${LOADER}@127.0.0.1:${server.port}/jobs` };
  }
}, 60_000);

afterAll(async () => {
  for (const server of servers) await server.remove();
  servers = [];
});

ENGINES.Redis = {
  env: () => ({ GATECTL_ENGINE: urls.redis, REDISCLI_AUTH: PASSWORD }),
  empty: () => withRedis(client => client.flushall()),
  isThere: redis.find() !== undefined,
};
ENGINES.PostgreSQL = {
  env: () => ({ GATECTL_ENGINE: urls.postgres, PGPASSWORD: PASSWORD }),
  empty: () => postgresServer?.query('TRUNCATE bullmq.job, bullmq.meta CASCADE', 'jobs') ?? Promise.resolve(),
  isThere: postgres.find() !== undefined,
};

describe.each(Object.entries(ENGINES).filter(([, { isThere }]) => isThere))(
  'units in %s',
  (_, { env, empty }) => {
    test('workers that are killed at any moment leave the same bytes as one process that nothing stopped', {
      timeout: 300_000,
    }, async () => {
      const sites = Array.from({ length: 40 }, (_, index) => index + 1);
      const figures = figuresOf(sites, '2026-01-01', 20, (site, day) => (site * 7 + day) % 5);
      const reply = async (request: Received) => {
        if (request.method === 'POST') await sleep(60);
        return respondFrom(figures)(request);
      };
      const one = await fleet(env(), reply);
      expect(await one.run(['run', '--quiet'])).toMatchObject({ code: 0 });
      const many = await fleet(env(), reply);
      const submitted = await many.run(['submit', '-o', 'json']);
      expect(JSON.parse(submitted.stdout)).toMatchObject({ submitted: 40 });
      const again = await many.run(['submit', '-o', 'json']);
      expect(JSON.parse(again.stdout)).toMatchObject({ submitted: 40, waiting: 40 });
      const random = seeded();
      const worker = () => many.start(['worker', '--concurrency', '2', '--lost-after', '1s', '--quiet']);
      const workers = Array.from({ length: 4 }, worker);
      const kills = Math.max(4, Math.round(KILLS / 3));
      const drain = many.start(['drain', '--quiet', '-o', 'json']);
      let isDrained = false;
      drain.ended.then(() => {
        isDrained = true;
      });
      for (let kill = 0; kill < kills && !isDrained; kill++) {
        await sleep(500 + random.next().value * 1500);
        const index = kill % workers.length;
        workers[index]?.child.kill('SIGKILL');
        workers[index] = worker();
      }
      const { code, stdout, stderr } = await drain.ended;
      expect([code, stderr, JSON.parse(stdout).failed]).toEqual([0, '', []]);
      for (const { child } of workers) child.kill('SIGTERM');
      expect(filesOf(many.folder)).toEqual(filesOf(one.folder));
      const verified = await many.run(['verify', '--quiet']);
      expect([verified.code, verified.stderr]).toEqual([0, '']);
      expect(JSON.parse((await many.run(['plan', '-o', 'json'])).stdout)).toEqual([]);
    });

    test('cut connections to the queue lose and double nothing', { timeout: 180_000 }, async () => {
      const sites = Array.from({ length: 30 }, (_, index) => index + 1);
      const figures = figuresOf(sites, '2026-01-01', 3, (site, day) => (site * 7 + day) % 5);
      const reply = async (request: Received) => {
        if (request.method === 'POST') await sleep(200);
        return respondFrom(figures)(request);
      };
      const one = await fleet({}, reply, 3);
      expect(await one.run(['run', '--quiet'])).toMatchObject({ code: 0 });
      const url = new URL(env().GATECTL_ENGINE ?? '');
      const proxy = await proxyTo(Number(url.port));
      onTestFinished(() => proxy.close());
      url.port = String(proxy.port);
      const many = await fleet(env(), reply, 3);
      await many.run(['submit', '--account-rate', '10', '--quiet']);
      const workers = [1, 2].map(() =>
        many.start([
          ...['worker', '--engine', url.href, '--until-empty', '--lost-after', '2s'],
          ...['--concurrency', '2', '--log', 'json'],
        ]),
      );
      // The first connection is not tried again.
      await Promise.all(workers.map(worker => logged(worker, 'worker_ready')));
      const random = seeded(11);
      let isEnded = false;
      Promise.race(workers.map(worker => worker.ended)).then(() => {
        isEnded = true;
      });
      for (let cuts = 0; cuts < 4 && !isEnded; cuts++) {
        proxy.cutAfter(Math.round(random.next().value * 3000));
        await sleep(1200);
      }
      for (const worker of workers) expect(await worker.ended).toMatchObject({ code: 0 });
      expect(filesOf(many.folder)).toEqual(filesOf(one.folder));
    });

    test('a worker that was stopped while another got its unit writes nothing more', {
      timeout: 120_000,
    }, async () => {
      const figures = figuresOf([1], '2026-01-01', 3);
      let asked = 0;
      const { start, run } = await fleet(
        env(),
        async request => {
          if (request.method === 'POST') {
            asked += 1;
            await sleep(1000);
          }
          return respondFrom(figures)(request);
        },
        3,
      );
      await run(['submit', '--quiet']);
      const worker = () => start(['worker', '--lost-after', '1s', '--log', 'json']);
      const stopped = worker();
      while (asked === 0) await sleep(20);
      stopped.child.kill('SIGSTOP');
      const other = worker();
      await logged(other, 'unit_started');
      stopped.child.kill('SIGCONT');
      expect(await run(['drain', '--quiet'])).toMatchObject({ code: 0 });
      for (const { child } of [stopped, other]) child.kill('SIGTERM');
      const eventsOf = async ({ ended }: Running) =>
        (await ended).stderr
          .split('\n')
          .filter(line => line.startsWith('{'))
          .map(line => JSON.parse(line));
      expect((await eventsOf(stopped)).at(-1)).toMatchObject({ done: 0, returned: 1, partitions: 0 });
      expect((await eventsOf(other)).at(-1)).toMatchObject({ done: 1, partitions: 3 });
      expect(await run(['verify', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
    });

    test('a queue that was emptied gets its limits back, and the next submit adds what is missing', {
      timeout: 120_000,
    }, async () => {
      const sites = Array.from({ length: 30 }, (_, index) => index + 1);
      const figures = figuresOf(sites, '2026-01-01', 1, () => 1);
      const { start, run } = await fleet(env(), respondFrom(figures), 1);
      await run(['submit', '--account-rate', '3', '--quiet']);
      const worker = start(['worker', '--quiet']);
      await sleep(3000);
      await empty();
      const status = async () =>
        JSON.parse((await run(['status', '--engine', env().GATECTL_ENGINE ?? '', '-o', 'json'])).stdout);
      while ((await status()).rate === null) await sleep(200);
      expect(await status()).toMatchObject({ waiting: 0, rate: 3 });
      await run(['submit', '--account-rate', '50', '--quiet']);
      expect(await run(['drain', '--quiet'])).toMatchObject({ code: 0 });
      expect(JSON.parse((await run(['plan', '-o', 'json'])).stdout)).toEqual([]);
      worker.child.kill('SIGTERM');
      expect((await worker.ended).stderr).toContain('the queue lost its limits');
    });

    test('SIGTERM finishes the units in hand, or returns them when the time is over', {
      timeout: 120_000,
    }, async () => {
      const figures = figuresOf([1, 2, 3, 4], '2026-01-01', 20);
      let isSlow = true;
      let asked: () => void = () => {};
      const arrived = new Promise<void>(resolve => {
        asked = resolve;
      });
      const { run, start } = await fleet(env(), async request => {
        if (request.method === 'POST') {
          asked();
          await sleep(isSlow ? 20_000 : 300);
        }
        return respondFrom(figures)(request);
      });
      await run(['submit', '--quiet']);
      const stuck = start(['worker', '--concurrency', '2', '--grace', '0.5', '--log', 'json']);
      await arrived;
      stuck.child.kill('SIGTERM');
      const { code, stderr } = await stuck.ended;
      expect(code).toBe(143);
      const events = stderr
        .split('\n')
        .filter(line => line.startsWith('{'))
        .map(line => JSON.parse(line));
      expect(events.filter(({ event }) => event === 'unit_returned')).toHaveLength(2);
      expect(events.at(-1)).toMatchObject({ event: 'worker_ended', done: 0, returned: 2 });
      const state = JSON.parse(
        (await run(['status', '--engine', env().GATECTL_ENGINE ?? '', '-o', 'json'])).stdout,
      );
      expect(state).toMatchObject({ waiting: 4, active: 0, set_aside: 0 });
      isSlow = false;
      const rest = await run(['worker', '--until-empty', '--log', 'json']);
      expect(rest.code).toBe(0);
      expect(JSON.parse(rest.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({ done: 4, failed: 0 });
    });

    test('a unit that fails in all tries is set aside with its error, and retry returns it', {
      timeout: 120_000,
    }, async () => {
      const figures = figuresOf([1, 2, 3], '2026-01-01', 20);
      let isBroken = true;
      const { run } = await fleet(env(), request => {
        if (isBroken && request.method === 'POST' && JSON.parse(request.body).domain_id === 2)
          return { status: 400, body: '{"error":{"code":"validation_error","message":"no such site"}}' };
        return respondFrom(figures)(request);
      });
      await run(['submit', '--quiet']);
      const worker = await run(['worker', '--until-empty', '--quiet', '--metrics', 'worker.prom']);
      expect(worker.code).toBe(7);
      expect(worker.stderr).toContain('is set aside: no such site');
      const drained = await run(['drain', '-o', 'json']);
      expect(drained.code).toBe(7);
      expect(JSON.parse(drained.stdout).failed).toMatchObject([
        { table: 'pages', domain: 'site-2.example.com', from: '2026-01-01', to: '2026-01-20', tries: 1 },
      ]);
      expect(JSON.parse(drained.stderr).error).toMatchObject({ code: 'partial_failure', exit: 7 });
      isBroken = false;
      expect(JSON.parse((await run(['retry', '-o', 'json'])).stdout)).toMatchObject({ returned: 1 });
      expect(await run(['worker', '--until-empty', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
      await run(['submit', '--refetch', '2026-01', '--quiet']);
      expect(JSON.parse((await run(['cancel', '-o', 'json'])).stdout)).toMatchObject({
        waiting: 3,
        active: 0,
      });
      expect(await run(['drain', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
    });

    test('four workers share the rate of the account, and a hard limit above it refuses none', {
      timeout: 180_000,
    }, async () => {
      const RATE = 12;
      const HARD = 14;
      const sites = Array.from({ length: 120 }, (_, index) => index + 1);
      const figures = figuresOf(sites, '2026-01-01', 1, () => 1);
      const times: number[] = [];
      let refused = 0;
      const { run, start } = await fleet(
        env(),
        async request => {
          if (request.method !== 'POST') return respondFrom(figures)(request);
          const now = performance.now();
          if (times.filter(time => time > now - 1000).length >= HARD) {
            refused += 1;
            return {
              status: 429,
              headers: { 'retry-after': '1' },
              body: '{"error":{"code":"rate_limit_exceeded"}}',
            };
          }
          times.push(now);
          await sleep(100);
          return respondFrom(figures)(request);
        },
        1,
      );
      await run(['submit', '--account-rate', String(RATE), '--quiet']);
      const workers = Array.from({ length: 4 }, () => start(['worker', '--until-empty', '--quiet']));
      for (const { ended } of workers) expect(await ended).toMatchObject({ code: 0 });
      expect(times.length).toBe(120);
      const seconds = ((times[110] ?? 0) - (times[20] ?? 0)) / 1000;
      expect(refused).toBe(0);
      // How fast they are depends on the machine, so it is printed, and the simulation has a bound.
      const reached = Math.round((90 / seconds / RATE) * 100);
      process.stdout.write(`four workers: ${reached} % of the rate of the account\n`);
    });

    test('a 429 at one worker pauses all of them, and lowers the rate', { timeout: 120_000 }, async () => {
      const sites = Array.from({ length: 60 }, (_, index) => index + 1);
      const figures = figuresOf(sites, '2026-01-01', 1, () => 1);
      let refusedAt = Number.POSITIVE_INFINITY;
      const afterwards: number[] = [];
      const { run, start } = await fleet(
        env(),
        async request => {
          if (request.method !== 'POST') return respondFrom(figures)(request);
          const now = performance.now();
          if (refusedAt === Number.POSITIVE_INFINITY && JSON.parse(request.body).domain_id >= 20) {
            refusedAt = now;
            return {
              status: 429,
              headers: { 'retry-after': '3' },
              body: '{"error":{"code":"rate_limit_exceeded"}}',
            };
          }
          if (now > refusedAt) afterwards.push(now - refusedAt);
          return respondFrom(figures)(request);
        },
        1,
      );
      await run(['submit', '--account-rate', '20', '--quiet']);
      const workers = Array.from({ length: 2 }, () => start(['worker', '--until-empty', '--quiet']));
      const ended = await Promise.all(workers.map(({ ended }) => ended));
      expect(ended.map(({ code }) => code)).toEqual([0, 0]);
      expect(ended.map(({ stderr }) => stderr).join('')).toContain('all workers of the account pause for 3');
      // Units that had started when the response came may send their requests.
      expect(afterwards.filter(ms => ms > 300 && ms < 2700)).toEqual([]);
      const engine = env().GATECTL_ENGINE ?? '';
      const { rate } = JSON.parse((await run(['status', '--engine', engine, '-o', 'json'])).stdout);
      expect([rate > 16, rate < 18]).toEqual([true, true]);
    });
  },
);

async function withRedis<Value>(work: (client: Redis) => Promise<Value>): Promise<Value> {
  const client = new Redis(urls.redis, { password: PASSWORD });
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

test.skipIf(redis.find() === undefined)(
  'a Redis that removes keys when its memory is full is rejected',
  async () => {
    const { run } = await fleet({ GATECTL_ENGINE: urls.redis, REDISCLI_AUTH: PASSWORD }, () => ({
      status: 500,
    }));
    await withRedis(client => client.config('SET', 'maxmemory-policy', 'volatile-lru'));
    onTestFinished(async () => {
      await withRedis(client => client.config('SET', 'maxmemory-policy', 'noeviction'));
    });
    const { code, stderr } = await run(['retry']);
    expect([code, stderr]).toEqual([
      2,
      `error: ${urls.redis} removes keys when its memory is full (maxmemory-policy volatile-lru)\n  set maxmemory-policy noeviction on the server, or use another server for the queue\n`,
    ]);
  },
);

test.skipIf(redis.find() === undefined)('a wrong password is one line, without the password', async () => {
  const { run } = await fleet({ GATECTL_ENGINE: urls.redis, REDISCLI_AUTH: 'canary-1234' }, () => ({
    status: 500,
  }));
  const { code, stderr } = await run(['retry']);
  expect([code, stderr.split('\n')[0]]).toEqual([
    4,
    `error: ${urls.redis} rejected the user or the password`,
  ]);
  expect(stderr).not.toContain('canary');
});

test.skipIf(postgres.find() === undefined)(
  'a wrong password of PostgreSQL is one line, and so is an empty queue',
  async () => {
    const { run } = await fleet({ GATECTL_ENGINE: urls.postgres, PGPASSWORD: 'canary-1234' }, () => ({
      status: 500,
    }));
    const { code, stderr } = await run(['retry']);
    expect([code, stderr.split('\n')[0]]).toEqual([
      4,
      `error: ${urls.postgres.replace(`${LOADER}@`, '')} rejected the user or the password`,
    ]);
    expect(stderr).not.toContain('canary');
  },
);
