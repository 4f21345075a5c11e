import { dirname, join, resolve } from 'node:path';
import { isWithin, type Reach, type Target } from '../../config/trust.ts';
import { readdir, readlink, realpath } from '../../files/disk.ts';
import { systemCode } from '../../files/file-error.ts';
import { bareHost, type Endpoint, endpointName, isThisMachine } from './endpoint.ts';
import { type DestinationScheme, isDestinationScheme, pathOf, schemeOf } from './schemes.ts';

interface Named {
  readonly destination: string;
  /** The names of its tables, which are folders of a lake. */
  readonly tables: readonly string[];
  /** The folder of the file that names it. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

const NONE: readonly Target[] = [];
/** Folders within one another below that of a table: its sites and their months. */
const LAKE_DEPTH = 3;

/** What each kind of destination reaches beyond the folder of its file, this machine and the servers that the environment names. */
const TARGETS: Readonly<Record<DestinationScheme, (named: Named) => Promise<readonly Target[]>>> = {
  '': async ({ destination, tables, folder }) => {
    const lake = resolve(folder, destination);
    const own = ['_gatectl', ...tables].map(name => join(lake, name));
    const links = await Promise.all(own.map(path => linksBelow(path, LAKE_DEPTH)));
    return await outside([lake, ...own, ...links.flat()], folder);
  },
  duckdb: async ({ destination, folder }) => await outside([resolve(folder, pathOf(destination))], folder),
  postgres: postgresTargets,
  postgresql: postgresTargets,
  s3: s3Targets,
  clickhouse: clickHouseTargets,
  clickhouses: clickHouseTargets,
};

/** What a file that names a destination may send where. Throws UsageError for a URL that is not valid. */
export async function reachOf(path: string | undefined, named: Named): Promise<Reach> {
  const scheme = schemeOf(named.destination);
  const targets = isDestinationScheme(scheme) ? await TARGETS[scheme](named) : NONE;
  // Where a path leads may change without the file.
  return { path, values: [named.destination, ...targets.map(({ name }) => name)], targets };
}

async function outside(paths: readonly string[], folder: string): Promise<readonly Target[]> {
  const home = await existing(folder);
  for (const path of paths) {
    const real = await existing(path);
    if (!isWithin(real, home)) return [{ name: real, does: `writes to ${real}` }];
  }
  return NONE;
}

/** The symbolic links below a folder: a repository can bring a lake. */
async function linksBelow(folder: string, depth: number): Promise<readonly string[]> {
  const entries = depth === 0 ? [] : await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries.map(async entry => {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) return [path];
      return entry.isDirectory() ? await linksBelow(path, depth - 1) : [];
    }),
  );
  return found.flat();
}

/** A path without symbolic links, as far as it exists. */
async function existing(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if (systemCode(error) !== 'ENOENT' || parent === path) return path;
    const link = await readlink(path).catch(() => undefined);
    // A file would be created where the link leads.
    return link === undefined
      ? join(await existing(parent), path.slice(parent.length))
      : await existing(resolve(parent, link));
  }
}

async function postgresTargets({ destination, env }: Named): Promise<readonly Target[]> {
  const { namesHost, postgresSettings } = await import('./postgres/settings.ts');
  const { host, port } = postgresSettings(destination, env, { allowsPlain: true });
  const isChosen = !namesHost(destination) || (host === env.PGHOST && port === Number(env.PGPORT ?? port));
  return isChosen ? NONE : toServers([{ host, port }]);
}

async function clickHouseTargets({ destination, env }: Named): Promise<readonly Target[]> {
  const { parseAddress } = await import('./clickhouse/address.ts');
  const address = parseAddress(destination, env, { allowsPlain: true });
  const servers = [address, ...address.shards.flat()];
  return toServers(servers.filter(({ host }) => host !== env.CLICKHOUSE_HOST));
}

function toServers(servers: readonly Endpoint[]): readonly Target[] {
  const names = servers.filter(({ host }) => !isThisMachine(host)).map(endpointName);
  return [...new Set(names)].map(name => ({ name, does: `sends rows and credentials to ${name}` }));
}

async function s3Targets({ destination, env }: Named): Promise<readonly Target[]> {
  const { checkedEndpoint, parseS3Url, printS3Location } = await import('../../objects/s3-location.ts');
  const { bucket, endpoint } = parseS3Url(destination);
  const ofUser = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL;
  // A store that the environment names is the user's, with all its buckets; the names of buckets of AWS are those of everybody.
  const isChosen = ofUser ? endpoint === undefined || endpoint === checkedEndpoint(ofUser) : false;
  if (isChosen) return NONE;
  const store = endpoint === undefined ? undefined : new URL(endpoint);
  if (store !== undefined && isThisMachine(bareHost(store))) return NONE;
  const name = printS3Location({ bucket, key: '' });
  return [
    { name, does: `sends rows to the bucket ${name}` },
    ...(store === undefined ? [] : [{ name: store.host, does: `sends credentials to ${store.host}` }]),
  ];
}
