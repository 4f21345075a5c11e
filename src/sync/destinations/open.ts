import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { LockMachine } from '../../files/lock.ts';
import type { SyncTable } from '../config.ts';
import { Quarantine } from '../contracts/quarantine.ts';
import type { Destination } from './destination.ts';
import { bareHost, requireEncryption } from './endpoint.ts';
import { type DestinationScheme, isDestinationScheme, pathOf, schemeOf } from './schemes.ts';

/** What opening a destination requires. */
export interface OpenOptions {
  /** As the sync file names it. */
  readonly destination: string;
  readonly tables: readonly SyncTable[];
  /** The folder of the sync file, which relative paths start from. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly machine: LockMachine;
  readonly signal: AbortSignal;
  /** Whether the user allows unencrypted connections to other machines. */
  readonly allowsPlain: boolean;
  /** Receives every password before a server can repeat it in an error. */
  readonly onSecret: (secret: string) => void;
  /** The folder for data that can be fetched again; undefined where the user has none. */
  readonly cache: string | undefined;
  /** The folder for data that must survive a crash; undefined where the user has none. */
  readonly state: string | undefined;
}

async function openPostgres(options: OpenOptions): Promise<Destination> {
  const [{ Postgres }, { postgresSettings }] = await Promise.all([
    import('./postgres/postgres.ts'),
    import('./postgres/settings.ts'),
  ]);
  const { destination, tables, env, machine, signal, allowsPlain, onSecret } = options;
  const settings = postgresSettings(destination, env, { allowsPlain });
  const password = () => {
    const found = settings.password();
    onSecret(found.password ?? '');
    return found;
  };
  const quarantine = await localQuarantine(destination, options);
  return new Postgres(destination, { ...settings, password }, { tables, machine, signal, quarantine });
}

/** Environment variables with secrets for destinations. */
const SECRETS = ['PGPASSWORD', 'CLICKHOUSE_PASSWORD', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];

/** How destinations are opened, by scheme. */
const KINDS: Readonly<Record<DestinationScheme, (options: OpenOptions) => Promise<Destination>>> = {
  '': async ({ destination, folder, tables, machine }) => {
    const [{ FolderStore }, { Lake }] = await Promise.all([
      import('./lake/folder-store.ts'),
      import('./lake/lake.ts'),
    ]);
    return new Lake(new FolderStore(destination, resolve(folder, destination), machine), tables);
  },
  duckdb: async ({ destination, folder, tables, machine }) => {
    const { DuckDb } = await import('./duckdb/duckdb.ts');
    const file = pathOf(destination);
    return new DuckDb(file, resolve(folder, file), tables, machine);
  },
  postgres: openPostgres,
  postgresql: openPostgres,
  s3: openBucket,
  clickhouse: openClickHouse,
  clickhouses: openClickHouse,
};

async function openBucket({
  destination,
  tables,
  machine,
  env,
  signal,
  allowsPlain,
}: OpenOptions): Promise<Destination> {
  const [{ Bucket }, { parseS3Url }, { BucketStore }, { Lake }] = await Promise.all([
    import('../../objects/bucket.ts'),
    import('../../objects/s3-location.ts'),
    import('./lake/bucket-store.ts'),
    import('./lake/lake.ts'),
  ]);
  const location = parseS3Url(destination);
  const endpoint = location.endpoint === undefined ? undefined : new URL(location.endpoint);
  // An endpoint of the environment or of a profile of AWS is the user's own choice.
  if (endpoint?.protocol === 'http:') requireEncryption(bareHost(endpoint), endpoint.host, allowsPlain, 's3');
  return new Lake(new BucketStore(new Bucket(location, { env, signal }), machine), tables);
}

async function openClickHouse(options: OpenOptions): Promise<Destination> {
  const [{ parseAddress }, { ClickHouse }] = await Promise.all([
    import('./clickhouse/address.ts'),
    import('./clickhouse/clickhouse.ts'),
  ]);
  const { destination, tables, env, machine, cache, allowsPlain } = options;
  const address = parseAddress(destination, env, { allowsPlain });
  const quarantine = await localQuarantine(address.name, options);
  return new ClickHouse(address, tables, localFolder(address.name, cache), machine, quarantine);
}

/** Where this machine keeps rows aside that a server did not get. */
async function localQuarantine(
  name: string,
  { state, machine }: Pick<OpenOptions, 'state' | 'machine'>,
): Promise<Quarantine> {
  const { FolderStore } = await import('./lake/folder-store.ts');
  const folder = localFolder(name, state);
  return new Quarantine(new FolderStore(folder, folder, machine), 'quarantine');
}

/**
 * A folder of this machine for what a destination that is a server requires here: locks, files that are being prepared, and rows that
 * are kept aside.
 */
function localFolder(name: string, parent: string = join(tmpdir(), 'gatectl')): string {
  return join(parent, 'sync', createHash('sha256').update(name).digest('hex').slice(0, 16));
}

/** Opens a destination of a checked sync file, without connecting to it. Throws TypeError for an unknown scheme. */
export async function openDestination(options: OpenOptions): Promise<Destination> {
  const scheme = schemeOf(options.destination);
  if (!isDestinationScheme(scheme)) throw new TypeError(`${scheme} is not the scheme of a destination`);
  for (const name of SECRETS) options.onSecret(options.env[name] ?? '');
  return await KINDS[scheme](options);
}
