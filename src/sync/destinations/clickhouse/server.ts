import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import { withAttempts } from '../../../errors/attempts.ts';
import type { LockMachine } from '../../../files/lock.ts';
import { USER_AGENT } from '../../../wire/user-agent.ts';
import { type Endpoint, endpointName, requireEncryption } from '../endpoint.ts';
import type { ClickHouseAddress } from './address.ts';
import { failureOf, isContinued, isTransient } from './server-failure.ts';

/** A row as JSON: numbers of 64 bits may be texts. */
export type Row = Readonly<Record<string, unknown>>;

/** A statement may change a large table. In milliseconds. */
const STATEMENT_MS = 600_000;
/** How long a server waits for the others of its cluster, in seconds. */
const CLUSTER_S = 5;
/** A server that does not respond to the first query in time is not one, or not reachable. In milliseconds. */
const FIRST_MS = 10_000;
/** Waits before a statement is repeated after the connection was lost, in milliseconds. */
const REPEAT_AFTER_MS = [200, 1000];
/** A failure then has a status of its own instead of a text among the rows. A user who may only read may not change real settings. */
const WHOLE: ClickHouseSettings = { wait_end_of_query: 1 };
/** Since this version an insert may be delayed and merged with others, which a replacement must not be. */
const ASYNC_INSERT_SINCE = [21, 11] as const;

/** Whether a version such as `21.9.4.35` is that of a release, or newer. */
export function isVersionSince(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

/** One server of ClickHouse. Methods throw DestinationError. */
export class Server {
  /** `host:port`. */
  readonly name: string;
  readonly #address: ClickHouseAddress;
  readonly endpoint: Endpoint;
  readonly #machine: Pick<LockMachine, 'sleep'>;
  #client: Promise<ClickHouseClient> | undefined;
  #version: string | undefined;
  #printsDecimals: boolean | undefined;

  /** Throws UsageError for plain HTTP to another machine, unless the user allows it. */
  constructor(address: ClickHouseAddress, endpoint: Endpoint, machine: Pick<LockMachine, 'sleep'>) {
    this.name = endpointName(endpoint);
    requireEncryption(endpoint.host, this.name, address.isSecure || address.allowsPlain, 'clickhouse');
    this.#address = address;
    this.endpoint = endpoint;
    this.#machine = machine;
  }

  /** Its version, such as `24.8.4.13`. */
  async version(): Promise<string> {
    if (this.#version === undefined) {
      const signal = AbortSignal.timeout(FIRST_MS);
      const [row] = await this.rows('SELECT version() AS version', signal).catch(error => {
        if (!signal.aborted) throw error;
        throw failureOf(signal.reason, this.name, this.#address);
      });
      this.#version = String(row?.version);
    }
    return this.#version;
  }

  /** Whether its function toString, and so a change of a column to text, is right for all decimals. Version 18.16 loses digits. */
  async printsDecimals(): Promise<boolean> {
    if (this.#printsDecimals === undefined) {
      const digits = '9'.repeat(38);
      const [row] = await this.rows(`SELECT toString(toDecimal128('${digits}', 0)) AS printed`);
      this.#printsDecimals = row?.printed === digits;
    }
    return this.#printsDecimals;
  }

  /** Whether it responds at all, at once. */
  async responds(): Promise<boolean> {
    try {
      const client = await this.#connect();
      const { success } = await client.ping({ select: true, abort_signal: AbortSignal.timeout(FIRST_MS) });
      return success;
    } catch {
      return false;
    }
  }

  /** The rows of a query whose result is small. */
  async rows(query: string, signal?: AbortSignal): Promise<readonly Row[]> {
    return await this.#repeating(async client => {
      const result = await client.query({
        query,
        format: 'JSONEachRow',
        ...(signal && { abort_signal: signal }),
        clickhouse_settings: WHOLE,
      });
      return await result.json<Row>();
    }, signal);
  }

  /** The cells of a query whose result is small and has no text, as the server prints them; undefined for NULL. */
  async cells(query: string): Promise<readonly (readonly (string | undefined)[])[]> {
    return await this.#repeating(async client => {
      const result = await client.query({ query, format: 'TabSeparated', clickhouse_settings: WHOLE });
      const lines = (await result.text()).split('\n').slice(0, -1);
      return lines.map(line => line.split('\t').map(cell => (cell === '\\N' ? undefined : cell)));
    });
  }

  /** What the server prints for a statement that takes no FORMAT. */
  async answer(statement: string): Promise<string> {
    return await this.#repeating(async client => {
      const { stream } = await client.exec({ query: statement, clickhouse_settings: WHOLE });
      return (await text(stream)).trim();
    });
  }

  /** Runs a statement that may be run twice. */
  async run(statement: string, settings: ClickHouseSettings = {}): Promise<void> {
    await this.#repeating(client => client.command({ query: statement, clickhouse_settings: settings }));
  }

  /** As `run`, for a statement that other servers run as well: those that are down, or slow, do so later. */
  async runOnReplicas(statement: string): Promise<void> {
    try {
      await this.run(statement, { distributed_ddl_task_timeout: String(CLUSTER_S) });
    } catch (error) {
      if (!isContinued(error)) throw error;
    }
  }

  /** Runs an INSERT that contains its values, and that may be run twice. */
  async insertValues(statement: string): Promise<void> {
    await this.run(statement, await this.#insertSettings());
  }

  /** Inserts rows, whose form the statement names. Once its bytes were sent, it is not repeated. */
  async insert(statement: string, rows: Readable): Promise<void> {
    const settings = await this.#insertSettings();
    await this.#mapped(async client => {
      const { stream } = await client.exec({
        query: statement,
        values: rows,
        clickhouse_settings: settings,
      });
      for await (const chunk of stream) void chunk;
    });
  }

  /** What makes an insert immediate, where it is not anyway. */
  async #insertSettings(): Promise<ClickHouseSettings> {
    return isVersionSince(await this.version(), ASYNC_INSERT_SINCE) ? { async_insert: 0 } : {};
  }

  async close(): Promise<void> {
    await (await this.#client)?.close();
    this.#client = undefined;
  }

  /** The client waits for ever for a request whose signal was aborted before. */
  async #repeating<Value>(
    work: (client: ClickHouseClient) => Promise<Value>,
    signal?: AbortSignal,
  ): Promise<Value> {
    const again = async (error: unknown, attempt: number) => {
      if (signal?.aborted || !isTransient(error)) return false;
      await this.#machine.sleep(REPEAT_AFTER_MS[attempt - 1] ?? 0);
      return signal?.aborted !== true;
    };
    const attempts = REPEAT_AFTER_MS.length + 1;
    return await this.#mapped(client => withAttempts({ attempts, again }, () => work(client)));
  }

  async #mapped<Value>(work: (client: ClickHouseClient) => Promise<Value>): Promise<Value> {
    try {
      return await work(await this.#connect());
    } catch (error) {
      throw failureOf(error, this.name, this.#address);
    }
  }

  #connect(): Promise<ClickHouseClient> {
    this.#client ??= this.#open();
    return this.#client;
  }

  async #open(): Promise<ClickHouseClient> {
    const { ClickHouseLogLevel, createClient } = await import('@clickhouse/client');
    const { isSecure, user, password, database } = this.#address;
    return createClient({
      url: `${isSecure ? 'https' : 'http'}://${endpointName(this.endpoint)}`,
      username: user,
      password,
      database,
      application: USER_AGENT,
      request_timeout: STATEMENT_MS,
      // It would print to the console.
      log: { level: ClickHouseLogLevel.OFF },
    });
  }
}
