import { type ChildProcess, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePorts, idsOf, type Program, spawnServer } from './program.ts';

const DEBIAN = '/usr/lib/postgresql';

/** The folder of the programs of the newest version that is installed. */
function programs(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number).filter(Number.isInteger) : [];
  return [...versions]
    .sort((one, other) => other - one)
    .map(version => join(DEBIAN, String(version), 'bin'))
    .find(folder => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

export const program: Program = { name: 'PostgreSQL', packages: ['postgresql'], find: programs };

/** A user who needs a password. */
export const LOADER = 'loader';
export const PASSWORD = 'made-up-password-0001';

/** A server in a temporary folder. Its superuser `postgres` needs no password. */
export class PostgresServer {
  readonly folder: string;
  readonly port: number;
  #process: ChildProcess | undefined;

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
  }

  /** Creates a server with a user {@link LOADER}, and starts it. With a certificate it listens for TLS, too. */
  static async create(tls?: { readonly certificate: string; readonly key: string }): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
    const ids = idsOf('postgres', 'nobody');
    if (ids.uid !== undefined) chownSync(folder, ids.uid, ids.gid ?? 0);
    const [port = 0] = await freePorts(1);
    const data = join(folder, 'data');
    const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale', 'C', '--no-sync'];
    const { status, stderr } = spawnSync(join(programs() ?? '', 'initdb'), initdb, {
      ...ids,
      encoding: 'utf8',
      cwd: folder,
    });
    if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
    writeFileSync(
      join(data, 'pg_hba.conf'),
      'local all all trust\nhost all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n',
    );
    const settings = [
      "listen_addresses = '127.0.0.1'",
      `port = ${port}`,
      `unix_socket_directories = '${folder}'`,
      // A killed server loses nothing that the kernel has.
      'fsync = off',
      'full_page_writes = off',
      'max_connections = 100',
      'shared_buffers = 32MB',
    ];
    if (tls !== undefined) {
      for (const [name, file] of [
        ['server.crt', tls.certificate],
        ['server.key', tls.key],
      ] as const) {
        const path = join(data, name);
        copyFileSync(file, path);
        chmodSync(path, 0o600);
        if (ids.uid !== undefined) chownSync(path, ids.uid, ids.gid ?? 0);
      }
      settings.push('ssl = on');
    }
    appendFileSync(join(data, 'postgresql.conf'), `${settings.join('\n')}\n`);
    const server = new PostgresServer(folder, port);
    await server.start();
    await server.query(`CREATE ROLE ${LOADER} LOGIN PASSWORD '${PASSWORD}'`);
    return server;
  }

  /** Starts it, or starts it again with the same data. */
  async start(): Promise<void> {
    const ids = idsOf('postgres', 'nobody');
    for (let attempt = 0; attempt < 600; attempt++) {
      if (this.#process === undefined || this.#process.exitCode !== null || this.#process.signalCode !== null)
        this.#process = spawnServer(join(programs() ?? '', 'postgres'), ['-D', join(this.folder, 'data')], {
          ...ids,
          cwd: this.folder,
          stdio: ['ignore', 'ignore', 'ignore'],
        });
      if (
        await this.query('SELECT 1').then(
          () => true,
          () => false,
        )
      )
        return;
      await sleep(100);
    }
    throw new Error('PostgreSQL did not start');
  }

  /** Kills every process of it, as a power cut would. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child?.pid === undefined || child.exitCode !== null) return;
    const ended = new Promise(resolve => child.once('exit', resolve));
    const processes = readFileSync(join(this.folder, 'data', 'postmaster.pid'), 'utf8').split('\n');
    const children = spawnSync('ps', ['-o', 'pid=', '--ppid', processes[0] ?? ''], { encoding: 'utf8' });
    child.kill('SIGKILL');
    for (const pid of children.stdout.split(/\s+/).filter(text => text !== ''))
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It ended with the server.
      }
    await ended;
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  /** The rows of a query, each value as text. */
  async query(sql: string, database = 'postgres'): Promise<(string | null)[][]> {
    const client = await this.connect(database);
    try {
      return await rowsOf(client, sql);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async connect(database = 'postgres'): Promise<pg.Client> {
    const client = new pg.Client({ host: this.folder, port: this.port, user: 'postgres', database });
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  /** A new empty database. */
  async database(name: string): Promise<string> {
    await this.query(`CREATE DATABASE ${name}`);
    return `postgres://postgres@127.0.0.1:${this.port}/${name}`;
  }
}

/** The rows of a query, each value as the text that the server sends. */
export async function rowsOf(client: pg.Client, sql: string): Promise<(string | null)[][]> {
  const types = { getTypeParser: () => (value: string) => value };
  const { rows } = await client.query({
    text: sql,
    rowMode: 'array',
    types,
  } as unknown as pg.QueryArrayConfig);
  return (rows ?? []) as (string | null)[][];
}
