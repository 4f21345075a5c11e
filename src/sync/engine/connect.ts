import type { Duplex } from 'node:stream';
import type { BackendFactory, IQueueBackend } from 'bullmq';
import { AuthError, NetworkError, UsageError } from '../../errors/index.ts';
import type { Engine } from './engine-url.ts';
import { within } from './within.ts';

/** A connection to an engine, as the classes of BullMQ take it. */
export interface EngineConnection {
  readonly engine: Engine;
  readonly bullmq: typeof import('bullmq');
  /** The options of a Redis client, or a pool of PostgreSQL connections. */
  readonly connection: unknown;
  readonly backend: BackendFactory<IQueueBackend, unknown> | undefined;
  /** How far the clock of the server is ahead of that of this machine, in milliseconds, at least; negative if it is behind. */
  readonly skewMs: number;
  /** Whether a restart of the server keeps what it has accepted, as far as it tells. */
  readonly isDurable: boolean;
  /** Ends what BullMQ does not end itself. */
  close(): Promise<void>;
}

/** How long to wait for the server, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;
/** How long a server may take for an operation, in milliseconds. */
const ANSWER_TIMEOUT_MS = 20_000;
/** The longest pause before the next attempt to connect to Redis, in milliseconds. */
const LONGEST_PAUSE_MS = 5000;
/** How long to wait for the end of connections, in milliseconds. */
const CLOSE_TIMEOUT_MS = 2000;
/** PostgreSQL connections of a process: two listen, the others change jobs. */
const POOL = 7;
/** The schema of BullMQ's tables in PostgreSQL. */
const SCHEMA = 'bullmq';

/**
 * Connects to an engine. `creates` allows creating BullMQ's tables in PostgreSQL; without it, an engine without them throws. Throws
 * NetworkError and AuthError for a server that cannot be used, and UsageError if a package is missing.
 */
export async function connectEngine(
  engine: Engine,
  creates: boolean,
  clock: { now(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> },
): Promise<EngineConnection> {
  return engine.kind === 'redis'
    ? await connectRedis(engine, clock)
    : await connectPostgres(engine, creates, clock);
}

type Clock = Parameters<typeof connectEngine>[2];

async function connectRedis(engine: Engine, clock: Clock): Promise<EngineConnection> {
  const { host, port, user, password, database, tls } = engine;
  const [bullmq, { Redis }] = await Promise.all([
    packageOf(() => import('bullmq'), engine),
    packageOf(() => import('ioredis'), engine),
  ]);
  let isClosed = false;
  const connection = {
    host,
    port,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // Longer than a worker waits for units.
    socketTimeout: ANSWER_TIMEOUT_MS,
    retryStrategy: (times: number) => (isClosed ? null : Math.min(LONGEST_PAUSE_MS, 100 * 2 ** times)),
    ...(user !== undefined && { username: user }),
    ...(password !== undefined && { password }),
    ...(database !== undefined && { db: Number(database) }),
    ...(tls !== undefined && { tls: { servername: host } }),
  };
  // BullMQ tries for ever to reach a server; a first connection of our own tells in time that it cannot be reached.
  const probe = new Redis({
    ...connection,
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false,
    retryStrategy: () => null,
  });
  let failure: unknown;
  let skewMs = 0;
  let isDurable = true;
  probe.on('error', error => {
    failure ??= error;
  });
  try {
    await within(clock, CONNECT_TIMEOUT_MS, probe.connect());
    if (database !== undefined) await within(clock, CONNECT_TIMEOUT_MS, selectDatabase(probe, engine));
    const asked = clock.now();
    const [seconds, microseconds] = await within(clock, CONNECT_TIMEOUT_MS, probe.time());
    skewMs = skewOf(Number(seconds) * 1000 + Number(microseconds) / 1000, asked, clock.now());
    assertKeepsKeys(engine, await within(clock, CONNECT_TIMEOUT_MS, probe.info('memory')));
    isDurable = !/^aof_enabled:0/m.test(await within(clock, CONNECT_TIMEOUT_MS, probe.info('persistence')));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw connectError(engine, failure ?? error);
  } finally {
    probe.disconnect();
  }
  return {
    ...{ engine, bullmq, connection, backend: undefined, skewMs, isDurable },
    close: async () => {
      isClosed = true;
    },
  };
}

/** Throws UsageError for a database that the server does not have: the client would use the first one instead. */
async function selectDatabase(
  probe: { select(database: number): Promise<unknown> },
  { name, database }: Engine,
): Promise<void> {
  try {
    await probe.select(Number(database));
  } catch (error) {
    if (!/index is out of range|DB index/i.test((error as Error).message)) throw error;
    throw new UsageError(`${name} has no database ${database}`, { code: 'invalid_input', cause: error });
  }
}

/** Throws UsageError for a Redis that removes keys when its memory is full: units would disappear, or two workers would get the same one. */
function assertKeepsKeys({ name }: Engine, info: string): void {
  const [, policy = 'noeviction'] = /^maxmemory_policy:(\S+)/m.exec(info) ?? [];
  if (policy === 'noeviction') return;
  throw new UsageError(`${name} removes keys when its memory is full (maxmemory-policy ${policy})`, {
    code: 'invalid_input',
    hints: ['set maxmemory-policy noeviction on the server, or use another server for the queue'],
  });
}

async function connectPostgres(engine: Engine, creates: boolean, clock: Clock): Promise<EngineConnection> {
  const { host, port, user, password, database, tls, name, settings } = engine;
  const [bullmq, { default: pg }, { tlsOptions }] = await Promise.all([
    packageOf(() => import('bullmq'), engine),
    import('pg'),
    import('../destinations/postgres/session.ts'),
  ]);
  const pool = new pg.Pool({
    host,
    port,
    user,
    password,
    database,
    max: POOL,
    keepAlive: true,
    keepAliveInitialDelayMillis: ANSWER_TIMEOUT_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    application_name: 'gatectl',
    options: `-c search_path=${SCHEMA}`,
    ssl:
      settings === undefined || tls === undefined || tls === 'disable' || tls === 'allow'
        ? false
        : tlsOptions(settings),
  });
  pool.on('error', () => {});
  const sockets = new Set<{ destroy(): void }>();
  pool.on('connect', client => {
    // BullMQ's checks of the schema hold one without a listener, which would end the process when the connection is lost.
    client.on('error', () => {});
    const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
    sockets.add(stream);
    stream.once('close', () => sockets.delete(stream));
  });
  const close = async () => {
    await within(clock, CLOSE_TIMEOUT_MS, pool.end()).catch(() => {});
    // Of a server that does not answer, they would stay open.
    for (const socket of sockets) socket.destroy();
  };
  let skewMs = 0;
  try {
    const client = await pool.connect();
    let failure: Error | undefined;
    client.on('error', error => {
      failure = error;
    });
    try {
      const asked = clock.now();
      const { rows } = await client.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now');
      skewMs = skewOf(Number(rows[0].now), asked, clock.now());
      if (creates) await bullmq.runMigrations(client, SCHEMA);
      else await bullmq.assertSchemaCompatibility(client, SCHEMA);
      client.release();
    } catch (error) {
      client.release(true);
      throw failure ?? error;
    }
  } catch (error) {
    await close();
    if (error instanceof bullmq.SchemaMigrationRequiredError)
      throw new UsageError(`nothing was submitted to ${name} yet`, {
        code: 'invalid_input',
        reason: 'queue_without_units',
      });
    throw connectError(engine, error);
  }
  return {
    engine,
    bullmq,
    connection: pool,
    backend: bullmq.createPostgresBackend as unknown as BackendFactory<IQueueBackend, unknown>,
    skewMs,
    isDurable: true,
    close,
  };
}

/**
 * How far the clock of a server is ahead of that of this machine, in milliseconds; negative if it is behind. `asked` and `answered` are
 * times of this machine: the server read its clock at some moment between them, so that this is the least that they prove.
 */
export function skewOf(server: number, asked: number, answered: number): number {
  if (server > answered) return Math.round(server - answered);
  return server < asked ? Math.round(server - asked) : 0;
}

/** Loads an optional package. */
async function packageOf<Module>(load: () => Promise<Module>, { kind, name }: Engine): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (!/MODULE_NOT_FOUND$/.test(String((error as { code?: unknown }).code))) throw error;
    throw new UsageError(`${name} requires BullMQ, which is not installed`, {
      code: 'missing_dependency',
      hints: [`install it: npm install -g bullmq@6${kind === 'redis' ? ' ioredis' : ''}`],
      cause: error,
    });
  }
}

const LOST =
  /^(?:Connection|Client|Query|Socket|timeout)\b.*(?:closed|terminated|ended|timeout|exceeded|connection error)|max retries per request|^(?:LOADING|READONLY|CLUSTERDOWN)/i;
const REFUSED: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host not found',
  ETIMEDOUT: 'no response in time',
  ECONNRESET: 'the connection was lost',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
};

/** What the failure of a connection means. Its message shows neither user nor password. */
function connectError({ name, kind }: Engine, cause: unknown): AuthError | NetworkError {
  const {
    code = '',
    message = '',
    errors,
  } = cause as {
    code?: string;
    message?: string;
    errors?: readonly { code?: string }[];
  };
  const isLogin =
    kind === 'redis'
      ? /^(?:WRONGPASS|NOAUTH|NOPERM|ERR AUTH|ERR Client sent AUTH)/.test(message)
      : /^28/.test(code);
  const needsPassword = /password must be a string|no password|client password/i.test(message);
  if (isLogin || needsPassword)
    return new AuthError(`${name} rejected the user or the password`, { code: 'engine_rejected', cause });
  const known = REFUSED[errors?.[0]?.code ?? ''];
  const reason = known ?? reasonOf(code, message);
  return new NetworkError(`cannot use ${name} as a queue: ${reason}`, { code: 'engine_unreachable', cause });
}

/** Whether an operation failed because the connection was lost, or because the server restarts. */
export function isConnectionLost(cause: unknown): boolean {
  const { code = '', message = '' } = cause as { code?: string; message?: string };
  return code in REFUSED || /^(?:08|57P)/.test(code) || LOST.test(message);
}

/** What an operation on a queue failed of, once it was connected. */
export function queueError({ name }: Engine, cause: unknown): NetworkError {
  const { code = '', message = '' } = cause as { code?: string; message?: string };
  return new NetworkError(`${name} failed: ${reasonOf(code, message)}`, {
    code: 'engine_unreachable',
    cause,
  });
}

function reasonOf(code: string, message: string): string {
  if (/timeout|timed out/i.test(message)) return 'no response in time';
  return REFUSED[code] ?? (LOST.test(message) ? 'the connection was lost' : firstLine(message));
}

/** PostgreSQL's and Redis's own words, which contain no password. */
function firstLine(message: string): string {
  return message.split('\n', 1)[0]?.slice(0, 200) || 'the connection failed';
}
