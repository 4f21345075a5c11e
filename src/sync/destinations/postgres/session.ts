import { pipeline } from 'node:stream/promises';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { fileError } from '../../../files/file-error.ts';
import { failureOf, NoPasswordError, withoutTls } from './failures.ts';
import { FileChunks } from './file-chunks.ts';
import { type PostgresSettings, sslFiles } from './settings.ts';

/** A row of a result: bigint and numeric values as text, JSON parsed. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** A socket that holds as much of what was written to it lets a COPY wait until it is sent. */
const COPY_CHUNK_BYTES = 256 * 1024;

/** What each session sets, unless the options of the connection do. The keepalives let a server end the session of a lost machine. */
const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  statement_timeout: '30min',
  lock_timeout: '10s',
  idle_in_transaction_session_timeout: '10min',
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
  DateStyle: 'ISO',
  TimeZone: 'UTC',
  standard_conforming_strings: 'on',
  // Compiling a query takes as long as running it.
  jit: 'off',
  search_path: 'pg_catalog',
  default_transaction_read_only: 'off',
};

/** One connection to a server. Methods throw DestinationError. */
export class Session {
  readonly #client: pg.Client;
  readonly #settings: PostgresSettings;
  #chunks: FileChunks | undefined;
  #lost: unknown;
  #isPooled = false;

  private constructor(client: pg.Client, settings: PostgresSettings) {
    this.#client = client;
    this.#settings = settings;
    client.on('error', error => this.#lose(error));
    client.on('end', () => this.#lose(new Error('the server closed it')));
  }

  /** Connects as `name`, which the server lists. */
  static async open(settings: PostgresSettings, name: string): Promise<Session> {
    const session = new Session(await connect(settings, name), settings);
    const set = Object.entries(SESSION_SETTINGS).filter(([setting]) => !settings.options.includes(setting));
    const [row] = await session.query(
      `SELECT pg_backend_pid() AS pid, ${set.map(([setting, value]) => `set_config('${setting}', '${value}', false)`).join(', ')}`,
    );
    // A pooler names a process of its own when a client connects.
    session.#isPooled = Number(row?.pid) !== (session.#client as unknown as { processID: number }).processID;
    return session;
  }

  /** Whether a pooler stands between gatectl and the server. */
  get isPooled(): boolean {
    return this.#isPooled;
  }

  /** Whether the connection was lost. */
  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** Throws if the connection was lost. */
  assertAlive(): void {
    if (this.#lost !== undefined) throw failureOf(this.#lost, this.#settings, true);
  }

  async query(sql: string, values: readonly unknown[] = []): Promise<readonly SqlRow[]> {
    try {
      const { rows } = await this.#client.query(sql, [...values]);
      return rows;
    } catch (error) {
      throw failureOf(this.#lost ?? error, this.#settings, true);
    }
  }

  /** Runs several statements that return nothing and have no values. */
  async execute(sql: string): Promise<void> {
    try {
      await this.#client.query(sql);
    } catch (error) {
      throw failureOf(this.#lost ?? error, this.#settings, true);
    }
  }

  /** Sends a file to a `COPY … FROM STDIN`; resolves to the number of rows. Throws FileError, too. */
  async copy(sql: string, path: string): Promise<number> {
    const chunks = this.#chunks ?? new FileChunks(COPY_CHUNK_BYTES);
    // Only a copy that succeeds is known to be done with them.
    this.#chunks = undefined;
    let fileFailure: unknown;
    const read = async function* () {
      try {
        yield* chunks.of(path);
      } catch (error) {
        fileFailure = error;
        throw error;
      }
    };
    const stream = this.#client.query(copyFrom(sql));
    // A second error, after the one that pipeline reports, has no one to report to.
    stream.on('error', () => {});
    try {
      await pipeline(read, stream);
      this.#chunks = chunks;
      return stream.rowCount;
    } catch (error) {
      if (fileFailure !== undefined) throw fileError(path, fileFailure, 'read');
      throw failureOf(this.#lost ?? error, this.#settings, true);
    }
  }

  /** Runs `work` in a transaction, in which each statement sees what others have committed by then. */
  async transaction<Value>(work: () => Promise<Value>): Promise<Value> {
    await this.execute('BEGIN ISOLATION LEVEL READ COMMITTED');
    try {
      const value = await work();
      await this.execute('COMMIT');
      return value;
    } catch (error) {
      if (!this.isLost) await this.execute('ROLLBACK').catch(() => this.#lose(error));
      throw error;
    }
  }

  async close(): Promise<void> {
    const isLost = this.isLost;
    this.#lost ??= new Error('it was closed');
    if (!isLost) await this.#client.end().catch(() => undefined);
  }

  #lose(error: unknown): void {
    if (this.#lost !== undefined) return;
    this.#lost = error;
    void this.#client.end().catch(() => undefined);
  }
}

async function connect(settings: PostgresSettings, name: string): Promise<pg.Client> {
  const isSocket = settings.host.startsWith('/');
  const mode = isSocket ? 'disable' : settings.sslMode;
  const ssl = mode === 'disable' || mode === 'allow' ? undefined : tlsOptions(settings);
  try {
    return await attempt(settings, name, ssl);
  } catch (error) {
    const isPlain = /does not support SSL/.test(String((error as Error).message));
    if (isPlain && settings.requiresTls) throw withoutTls(settings);
    if (mode === 'prefer' && isPlain) return await attempt(settings, name, undefined).catch(fail(settings));
    if (mode === 'allow') return await attempt(settings, name, tlsOptions(settings)).catch(fail(settings));
    return fail(settings)(error);
  }
}

function fail(settings: PostgresSettings): (error: unknown) => never {
  return error => {
    throw failureOf(error, settings, false);
  };
}

async function attempt(
  settings: PostgresSettings,
  name: string,
  ssl: ConnectionOptions | undefined,
): Promise<pg.Client> {
  const { host, port, user, database, options, connectTimeoutMs } = settings;
  const client = new pg.Client({
    host,
    port,
    user,
    database,
    // pg would look for a password by itself, and print warnings.
    password: () => {
      const { password } = settings.password();
      if (password === undefined) throw new NoPasswordError('no password');
      return password;
    },
    ssl: ssl ?? false,
    application_name: name,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    client_encoding: 'UTF8',
    ...(options !== '' && { options }),
  });
  // An error after a failed attempt has no one to report to.
  const ignore = () => {};
  client.on('error', ignore);
  try {
    await client.connect();
    client.off('error', ignore);
    return client;
  } catch (error) {
    void client.end().catch(() => undefined);
    throw error;
  }
}

/** As libpq: only the modes that say so verify the certificate, and the others do where there is a root certificate. */
export function tlsOptions(settings: PostgresSettings): ConnectionOptions {
  const { sslMode, sslRoot } = settings;
  const verifiesHost = sslMode === 'verify-full' || sslRoot === 'system';
  const verifies =
    verifiesHost || sslMode === 'verify-ca' || (sslMode === 'require' && sslRoot !== undefined);
  return {
    ...sslFiles(settings),
    rejectUnauthorized: verifies,
    ...(!verifiesHost && { checkServerIdentity: () => undefined }),
  };
}

/** Sessions that are used for one piece of work at a time. */
export class SessionPool {
  readonly #open: () => Promise<Session>;
  readonly #most: number;
  readonly #idle: Session[] = [];
  readonly #waiting: (() => void)[] = [];
  #used = 0;

  constructor(most: number, open: () => Promise<Session>) {
    this.#most = most;
    this.#open = open;
  }

  /** Runs `work` with a session, once one of them is free. */
  async use<Value>(work: (session: Session) => Promise<Value>): Promise<Value> {
    while (this.#used >= this.#most) await new Promise<void>(resolve => this.#waiting.push(resolve));
    this.#used += 1;
    let session: Session | undefined;
    try {
      do session = this.#idle.pop();
      while (session?.isLost);
      session ??= await this.#open();
      return await work(session);
    } finally {
      this.#used -= 1;
      if (session !== undefined && !session.isLost) this.#idle.push(session);
      this.#waiting.shift()?.();
    }
  }

  /** Ends the sessions that are not in use. */
  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map(session => session.close()));
  }
}
