import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { type Received, type Reply, wireServer } from '../support/wire-server.ts';
import { figuresOf, KEY, respondFrom } from '../sync/source.ts';
import { LOADER, PASSWORD, PostgresServer } from './servers/postgres.ts';
import { redisServer } from './servers/redis.ts';
import { type LossyProxy, proxyTo } from './support.ts';

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

/** The server of a queue. */
export interface TestedEngine {
  readonly port: number;
  /** The environment of a command that uses it. */
  readonly env: Readonly<Record<string, string>> & { readonly GATECTL_ENGINE: string };
  /** Removes all that it stores. */
  empty(): Promise<unknown>;
  remove(): Promise<void>;
}

/** A Redis, and a client of it without a queue. */
export async function redisEngine(): Promise<
  TestedEngine & { withClient<Value>(work: (client: Redis) => Promise<Value>): Promise<Value> }
> {
  const { port, remove } = await redisServer();
  const url = `redis://127.0.0.1:${port}`;
  const withClient = async <Value>(work: (client: Redis) => Promise<Value>) => {
    const client = new Redis(url, { password: PASSWORD });
    try {
      return await work(client);
    } finally {
      client.disconnect();
    }
  };
  return {
    ...{ port, remove, withClient },
    env: { GATECTL_ENGINE: url, REDISCLI_AUTH: PASSWORD },
    empty: () => withClient(client => client.flushall()),
  };
}

export async function postgresEngine(): Promise<TestedEngine> {
  const server = await PostgresServer.create();
  await server.query(`CREATE DATABASE jobs OWNER ${LOADER}`);
  return {
    port: server.port,
    env: { GATECTL_ENGINE: `postgres://${LOADER}@127.0.0.1:${server.port}/jobs`, PGPASSWORD: PASSWORD },
    empty: async () => {
      for (let tries = 0; ; tries++)
        try {
          return await server.query('TRUNCATE bullmq.job, bullmq.meta CASCADE', 'jobs');
        } catch (error) {
          // Workers may hold locks in another order: PostgreSQL ends one of the two.
          if ((error as { code?: string }).code !== '40P01' || tries === 20) throw error;
        }
    },
    remove: () => server.remove(),
  };
}

/** What a process of gatectl left behind. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process of gatectl. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves once it has written a text to stderr so many times; rejects if it ends before. */
  logged(text: string, times?: number): Promise<void>;
}

/** A gateway, and a folder with a sync file. */
export interface Fleet {
  readonly folder: string;
  /** What arrived at the gateway. */
  readonly received: readonly Received[];
  /** How many units have been requested. */
  requests(): number;
  start(args: readonly string[]): Running;
  run(args: readonly string[]): Promise<Ended>;
  /** The output of a command that prints JSON, and must not fail. */
  json(args: readonly string[]): Promise<Readonly<Record<string, unknown>>>;
  /** The state of the queue. */
  status(): Promise<Readonly<Record<string, unknown>>>;
}

let fleets = 0;

/** A gateway, and a folder with a sync file; commands have the engine in their environment, and a queue of their own. */
export async function fleet(
  engine: Readonly<Record<string, string>>,
  reply: (request: Received) => Reply | Promise<Reply>,
  days = 20,
): Promise<Fleet> {
  const server = await wireServer(reply);
  onTestFinished(() => server.close());
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'gatectl.sync.yaml'), fileOf(days));
  fleets += 1;
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GATECTL_BASE_URL: server.baseUrl,
    // The queue is named after the key and the gateway, whose port an earlier test may have had.
    GATECTL_API_KEY: `${KEY}-${fleets}`,
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
    const logged = async (text: string, times = 1) => {
      const isLogged = () => stderr.split(text).length > times;
      const found = new Promise<void>(resolve => {
        if (isLogged()) resolve();
        child.stderr.on('data', () => {
          if (isLogged()) resolve();
        });
      });
      const missed = ended.then(() => {
        if (!isLogged()) throw new Error(`it ended without ${text}: ${stderr}`);
      });
      await Promise.race([found, missed]);
    };
    return { child, ended, logged };
  };
  const run = (args: readonly string[]) => start(args).ended;
  const json = async (args: readonly string[]) => {
    const { code, stdout, stderr } = await run([...args, '-o', 'json']);
    if (code !== 0) throw new Error(`${args.join(' ')}: exit code ${code}: ${stderr}`);
    return JSON.parse(stdout);
  };
  return {
    ...{ folder, start, run, json },
    received: server.received,
    requests: () => server.received.filter(({ method }) => method === 'POST').length,
    status: () => json(['status', '--engine', engine.GATECTL_ENGINE ?? '']),
  };
}

/** The events of a log of JSON lines. */
export function eventsOf({ stderr }: Ended): readonly Readonly<Record<string, unknown>>[] {
  return stderr
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line));
}

/** The SHA-256 of each file of the tables. */
export function filesOf(folder: string): Record<string, string> {
  const lake = join(folder, 'lake', 'pages');
  const files = readdirSync(lake, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
  return Object.fromEntries(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map(path => [path.slice(lake.length), createHash('sha256').update(readFileSync(path)).digest('hex')]),
  );
}

/** Numbers of sites, from 1. */
export function sites(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** A request that the gateway rejects for good. */
export const REJECTED: Reply = {
  status: 400,
  body: '{"error":{"code":"validation_error","message":"no such site"}}',
};

/** The arguments of each command of a queue. */
export const COMMANDS = {
  submit: ['submit', '--quiet'],
  worker: ['worker', '--until-empty', '--lost-after', '2s', '--quiet'],
  status: ['status', '-o', 'tsv'],
  drain: ['drain', '--quiet'],
  retry: ['retry', '--quiet'],
  cancel: ['cancel', '--quiet'],
} as const satisfies Record<string, readonly string[]>;

/** Any number of failures of the queue after which a worker tried again. */
export const WARNINGS = /^(?:warning: the queue failed: .*\n)*$/;

/** An error after such warnings. */
export const ONE_ERROR =
  /^(?:warning: the queue failed: .*\n)*error: .*(?: as a queue| failed): (?:the connection was lost|no response in time|connection refused)\n {2}check the URL of --engine or GATECTL_ENGINE, and that the server runs there\n$/;

/** A fleet whose queue has four units: set aside if the gateway rejects them, else waiting. */
export async function fourUnits(engine: TestedEngine, isRejected = false): Promise<Fleet> {
  const respond = respondFrom(figuresOf(sites(4), '2026-01-01', 2));
  let rejects = isRejected;
  const many = await fleet(
    engine.env,
    request => (rejects && request.method === 'POST' ? REJECTED : respond(request)),
    2,
  );
  await many.json(['submit']);
  if (isRejected) {
    await many.run(['worker', '--until-empty', '--quiet']);
    rejects = false;
  }
  return many;
}

/** The URL of a new proxy in front of an engine, which `act` makes fail. */
export async function behindProxy(engine: TestedEngine, act: (proxy: LossyProxy) => void): Promise<string> {
  const proxy = await proxyTo(engine.port);
  onTestFinished(() => proxy.close());
  const url = new URL(engine.env.GATECTL_ENGINE);
  url.port = String(proxy.port);
  act(proxy);
  return url.href;
}
