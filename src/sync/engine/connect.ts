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
export async function connectEngine(engine: Engine, creates: boolean): Promise<EngineConnection> {
  return engine.kind === 'redis' ? await connectRedis(engine) : await connectPostgres(engine, creates);
}

async function connectRedis(engine: Engine): Promise<EngineConnection> {
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
  probe.on('error', error => {
    failure ??= error;
  });
  try {
    await probe.connect();
    await probe.ping();
  } catch (error) {
    throw connectError(engine, failure ?? error);
  } finally {
    probe.disconnect();
  }
  return { engine, bullmq, connection, backend: undefined, close: async () => {} };
}

async function connectPostgres(engine: Engine, creates: boolean): Promise<EngineConnection> {
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
  try {
    const client = await pool.connect();
    try {
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
