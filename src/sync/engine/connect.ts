import type { BackendFactory, IQueueBackend } from 'bullmq';
import { AuthError, NetworkError, UsageError } from '../../errors/index.ts';
import type { Engine } from './engine-url.ts';

/** A connection to an engine, as the classes of BullMQ take it. */
export interface EngineConnection {
  readonly engine: Engine;
  readonly bullmq: typeof import('bullmq');
  /** The options of a Redis client, or a pool of PostgreSQL connections. */
  readonly connection: unknown;
  readonly backend: BackendFactory<IQueueBackend, unknown> | undefined;
  /** How far the clock of the server is ahead of that of this machine, in milliseconds; negative if it is behind. */
  readonly skewMs: number;
  /** Ends what BullMQ does not end itself. */
  close(): Promise<void>;
}

/** How long to wait for the server, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;
/** PostgreSQL connections of a process: one listens, the others change jobs. */
const POOL = 6;
/** The schema of BullMQ's tables in PostgreSQL. */
const SCHEMA = 'bullmq';

/**
 * Connects to an engine. `creates` allows creating BullMQ's tables in PostgreSQL; without it, an engine without them throws. Throws
 * NetworkError and AuthError for a server that cannot be used, and UsageError if a package is missing.
 */
export async function connectEngine(
  engine: Engine,
  creates: boolean,
  clock: { now(): number },
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
  const connection = {
    host,
    port,
    connectTimeout: CONNECT_TIMEOUT_MS,
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
  probe.on('error', error => {
    failure ??= error;
  });
  try {
    await probe.connect();
    const asked = clock.now();
    const [seconds, microseconds] = await probe.time();
    skewMs = Math.round(Number(seconds) * 1000 + Number(microseconds) / 1000 - (asked + clock.now()) / 2);
    assertKeepsKeys(engine, await probe.info('memory'));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw connectError(engine, failure ?? error);
  } finally {
    probe.disconnect();
  }
  return { engine, bullmq, connection, backend: undefined, skewMs, close: async () => {} };
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
  const { host, port, user, password, database, tls, name } = engine;
  const [bullmq, { default: pg }] = await Promise.all([
    packageOf(() => import('bullmq'), engine),
    import('pg'),
  ]);
  const pool = new pg.Pool({
    host,
    port,
    user,
    password,
    database,
    max: POOL,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'gatectl',
    options: `-c search_path=${SCHEMA}`,
    ssl: tls === undefined || tls === 'disable' ? false : { rejectUnauthorized: tls.startsWith('verify') },
  });
  pool.on('error', () => {});
  let skewMs = 0;
  try {
    const client = await pool.connect();
    try {
      const asked = clock.now();
      const { rows } = await client.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now');
      skewMs = Math.round(Number(rows[0].now) - (asked + clock.now()) / 2);
      if (creates) await bullmq.runMigrations(client, SCHEMA);
      else await bullmq.assertSchemaCompatibility(client, SCHEMA);
    } finally {
      client.release();
    }
  } catch (error) {
    await pool.end();
    if (error instanceof bullmq.SchemaMigrationRequiredError)
      throw new UsageError(`nothing was submitted to ${name} yet`, {
        code: 'invalid_input',
        hints: ['submit the units of a plan: gatectl bda sync submit --engine URL'],
      });
    throw connectError(engine, error);
  }
  return {
    engine,
    bullmq,
    connection: pool,
    backend: bullmq.createPostgresBackend as unknown as BackendFactory<IQueueBackend, unknown>,
    skewMs,
    close: () => pool.end(),
  };
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
  /^(?:Connection|Client|Query|Socket|timeout)\b.*(?:closed|terminated|ended|timeout|exceeded)|max retries per request|^(?:LOADING|READONLY|CLUSTERDOWN)/i;
const REFUSED: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host not found',
  ETIMEDOUT: 'no answer in time',
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
  const known = REFUSED[code] ?? REFUSED[errors?.[0]?.code ?? ''];
  const reason = known ?? (/timeout|timed out/i.test(message) ? 'no answer in time' : firstLine(message));
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
  return new NetworkError(`${name} failed: ${REFUSED[code] ?? firstLine(message)}`, {
    code: 'engine_unreachable',
    cause,
  });
}

/** PostgreSQL's and Redis's own words, which contain no password. */
function firstLine(message: string): string {
  return message.split('\n', 1)[0]?.slice(0, 200) || 'the connection failed';
}
