import { UsageError } from '../../../errors/index.ts';
import { nearest } from '../../../errors/nearest.ts';
import { bareHost, type Endpoint, endpointName } from '../endpoint.ts';

/** A destination such as `clickhouse://db.example.com:8123/analytics?cluster=main`. */
export interface ClickHouseAddress extends Endpoint {
  /** As messages name it: without the user. */
  readonly name: string;
  readonly isSecure: boolean;
  /** Whether the user allows plain HTTP to other machines. */
  readonly allowsPlain: boolean;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** The cluster whose shards store the tables; undefined for one server. */
  readonly cluster: string | undefined;
  /** The endpoints of the replicas of each shard, in the order of their numbers; empty where all use the port of the URL. */
  readonly shards: readonly (readonly Endpoint[])[];
}

const PARAMETERS = ['cluster', 'shards'] as const;
const PORT = 8123;
const SECURE_PORT = 8443;

/**
 * Reads the URL of a destination. The user is that of the URL, or of CLICKHOUSE_USER; the password is that of CLICKHOUSE_PASSWORD, as for
 * clickhouse-client. Throws UsageError.
 */
export function parseAddress(
  text: string,
  env: NodeJS.ProcessEnv,
  { allowsPlain }: { readonly allowsPlain: boolean } = { allowsPlain: false },
): ClickHouseAddress {
  if (!URL.canParse(text)) throw invalid(`${text} is not a valid URL`, []);
  const url = new URL(text);
  const parameters = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (/password|secret/i.test(name))
      throw invalid('the destination contains a password', ['set CLICKHOUSE_PASSWORD instead']);
    if (!(PARAMETERS as readonly string[]).includes(name)) {
      const near = nearest(name, PARAMETERS);
      throw invalid(`a destination in ClickHouse has no parameter ${name}`, [
        near === undefined ? `parameters: ${PARAMETERS.join(', ')}` : `did you mean ${near}?`,
      ]);
    }
    parameters.set(name, value);
  }
  if (url.hostname === '')
    throw invalid(`${text} names no server`, ['such as clickhouse://localhost:8123/analytics']);
  const isSecure = url.protocol === 'clickhouses:';
  const port = url.port === '' ? (isSecure ? SECURE_PORT : PORT) : Number(url.port);
  const host = bareHost(url);
  const path = url.pathname.replace(/^\/|\/$/g, '');
  if (path.includes('/') || url.hash !== '')
    throw invalid('the destination names more than a server and a database', [
      'such as clickhouse://localhost:8123/analytics; in a name, write # as %23, ? as %3F and / as %2F',
    ]);
  const database = decoded(path) || 'default';
  const cluster = parameters.get('cluster');
  if (cluster === '') throw invalid('cluster= is empty', ['name a cluster of system.clusters']);
  const shards = parameters.get('shards');
  if (shards !== undefined && cluster === undefined)
    throw invalid('shards= requires cluster=', ['name the cluster: &cluster=NAME']);
  return {
    name: `${url.protocol}//${endpointName({ host, port })}/${encodeURIComponent(database)}${cluster === undefined ? '' : `?cluster=${cluster}`}`,
    host,
    port,
    isSecure,
    allowsPlain,
    database,
    user: decoded(url.username) || env.CLICKHOUSE_USER || 'default',
    password: env.CLICKHOUSE_PASSWORD ?? '',
    cluster,
    shards: shards === undefined ? [] : shards.split(',').map(shard => shard.split('|').map(readEndpoint)),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('a % in the destination does not start an escape', ['write %25 for a percent sign']);
  }
}

function readEndpoint(text: string): Endpoint {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(text.trim()) ?? [];
  if (host === '' || Number(port) > 65_535)
    throw invalid(`shards= contains ${JSON.stringify(text)}`, [
      'such as shards=db1:8123,db2:8123, or with replicas shards=db1:8123|db2:8123,db3:8123|db4:8123',
    ]);
  return { host: bareHost({ hostname: host }), port: Number(port) };
}

function invalid(message: string, hints: readonly string[]): UsageError {
  return new UsageError(message, { code: 'invalid_input', hints });
}
