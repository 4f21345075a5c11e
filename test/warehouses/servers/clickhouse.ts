import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts, type Program, spawnServer } from './program.ts';

const PROGRAMS = ['/usr/sbin/clickhouse-server', '/usr/bin/clickhouse-server'];

export const USER = 'loader';
export const PASSWORD = 'made-up-password-0001';
/** A user that may only read. */
export const READER = 'viewer';
/** A user who may only use the database `elsewhere`. */
export const STRANGER = 'stranger';

export const program: Program = {
  name: 'ClickHouse',
  packages: ['clickhouse-server'],
  find: () => PROGRAMS.find(path => existsSync(path)),
};

/** A server of ClickHouse in a temporary folder. */
export class ClickHouseServer {
  readonly http: number;
  readonly tcp: number;
  readonly secure: number;
  readonly folder: string;
  #process: ChildProcess | undefined;

  constructor(ports: readonly number[], folder: string) {
    [this.http = 0, this.tcp = 0, this.secure = 0] = ports;
    this.folder = folder;
  }

  /** Starts it, or starts it again with the same data. */
  async start(): Promise<void> {
    const config = join(this.folder, 'config.xml');
    this.#process = spawnServer(program.find() ?? '', [`--config-file=${config}`]);
    for (let attempt = 0; attempt < 1200; attempt++) {
      const isUp = await fetch(`http://127.0.0.1:${this.http}/ping`).then(
        response => response.ok,
        () => false,
      );
      if (isUp) return;
      if (this.#process.exitCode !== null) break;
      await sleep(50);
    }
    throw new Error(`clickhouse-server did not start: ${this.log()}`);
  }

  /** Ends it as a power cut would, or with `SIGTERM` in good order. */
  async stop(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise(resolve => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  /** The lines of a query's result. */
  async query(sql: string, user: string = USER): Promise<readonly string[]> {
    const response = await fetch(`http://127.0.0.1:${this.http}/`, {
      method: 'POST',
      body: sql,
      headers: { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': PASSWORD },
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text.split('\n').slice(0, -1);
  }

  log(): string {
    const path = join(this.folder, 'errors.txt');
    return existsSync(path) ? readFileSync(path, 'utf8').slice(-2000) : '';
  }
}

const PORTS_EACH = 4;

interface ServerOptions {
  /** A certificate makes them listen for TLS as well. */
  readonly tls?: { readonly certificate: string; readonly key: string };
  /** How many replicas each shard has. */
  readonly replicas?: number;
  /** The port of the keeper of the cluster. */
  readonly keeper?: number;
}

/** Prepares servers that know each other as the cluster `main`. They are not started yet. */
export async function clickHouseServers(
  count: number,
  options: ServerOptions = {},
): Promise<readonly ClickHouseServer[]> {
  const ports = await freePorts(count * PORTS_EACH);
  const servers = Array.from({ length: count }, (_, index) => {
    const folder = mkdtempSync(join(tmpdir(), 'clickhouse-'));
    return new ClickHouseServer(ports.slice(index * PORTS_EACH, index * PORTS_EACH + 3), folder);
  });
  for (const [index, server] of servers.entries()) {
    for (const name of ['data', 'tmp']) mkdirSync(join(server.folder, name));
    const interserver = ports[index * PORTS_EACH + 3] ?? 0;
    writeFileSync(join(server.folder, 'config.xml'), config(server, interserver, index, options));
    writeFileSync(join(server.folder, 'users.xml'), users());
    writeCluster(servers, [server], options.replicas);
  }
  return servers;
}

/** Writes which servers are the shards of the cluster `main`, replicas side by side; running servers read it within seconds. */
export function writeCluster(
  members: readonly ClickHouseServer[],
  readers: readonly ClickHouseServer[],
  replicas = 1,
): void {
  const shards = inShards(members, replicas).map(
    shard =>
      `<shard><internal_replication>true</internal_replication>${shard
        .map(
          ({ tcp }) =>
            `<replica><host>127.0.0.1</host><port>${tcp}</port><user>${USER}</user><password>${PASSWORD}</password></replica>`,
        )
        .join('')}</shard>`,
  );
  const text = `<yandex><remote_servers><main>${shards.join('')}</main></remote_servers></yandex>\n`;
  for (const { folder } of readers) {
    mkdirSync(join(folder, 'config.d'), { recursive: true });
    writeFileSync(join(folder, 'config.d', 'cluster.xml'), text);
  }
}

/** Servers in groups: the replicas of each shard. */
export function inShards<Item>(servers: readonly Item[], replicas: number): readonly (readonly Item[])[] {
  return Array.from({ length: servers.length / replicas }, (_, shard) =>
    servers.slice(shard * replicas, (shard + 1) * replicas),
  );
}

function config(
  { http, tcp, secure, folder }: ClickHouseServer,
  interserver: number,
  index: number,
  { tls, replicas = 1, keeper }: ServerOptions,
): string {
  const https =
    tls === undefined
      ? ''
      : `<https_port>${secure}</https_port><openSSL><server><certificateFile>${tls.certificate}</certificateFile><privateKeyFile>${tls.key}</privateKeyFile><verificationMode>none</verificationMode><loadDefaultCAFile>true</loadDefaultCAFile></server></openSSL>`;
  const coordination =
    keeper === undefined
      ? ''
      : `<zookeeper><node><host>127.0.0.1</host><port>${keeper}</port></node><session_timeout_ms>3000</session_timeout_ms></zookeeper>
<distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>
<macros><shard>${Math.floor(index / replicas) + 1}</shard><replica>${index + 1}</replica></macros>`;
  return `<yandex>
<logger><level>error</level><log>${join(folder, 'log.txt')}</log><errorlog>${join(folder, 'errors.txt')}</errorlog></logger>
<listen_host>127.0.0.1</listen_host><http_port>${http}</http_port><tcp_port>${tcp}</tcp_port>${https}
<interserver_http_host>127.0.0.1</interserver_http_host><interserver_http_port>${interserver}</interserver_http_port>
<path>${join(folder, 'data')}/</path><tmp_path>${join(folder, 'tmp')}/</tmp_path>
<users_config>${join(folder, 'users.xml')}</users_config><default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>16777216</mark_cache_size><timezone>UTC</timezone>
<remote_servers incl="none" optional="true"/>
${coordination}
</yandex>
`;
}

function users(): string {
  const user = (name: string, profile: string, more = '') =>
    `<${name}><password>${PASSWORD}</password><networks><ip>::/0</ip></networks><profile>${profile}</profile><quota>default</quota>${more}</${name}>`;
  return `<yandex><profiles><default><max_memory_usage>1000000000</max_memory_usage><replication_alter_columns_timeout>5</replication_alter_columns_timeout></default><readonly><readonly>1</readonly></readonly></profiles>
<users>${user(USER, 'default')}${user(READER, 'readonly')}${user(STRANGER, 'default', '<allow_databases><database>elsewhere</database></allow_databases>')}</users><quotas><default/></quotas></yandex>
`;
}
