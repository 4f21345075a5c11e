import { join } from 'node:path';
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from '../../files/disk.ts';
import { systemCode } from '../../files/file-error.ts';
import { isLocalFilesystem } from '../../files/local-filesystem.ts';
import { PrivateFolder } from '../../files/private-folder.ts';
import type { SyncTable } from '../config.ts';
import { QUERY_PREFIX } from '../destinations/lake/folder-store.ts';
import { OWN } from '../destinations/lake/lake-store.ts';

type LakeTable = Pick<SyncTable, 'name' | 'partition'>;

/** The files that a query reads instead of those of a lake, which a run may replace in the meantime. */
export interface LakeSnapshot {
  /** The folders that the query reads, those of the tables included: DuckDB checks where links lead. */
  readonly folders: readonly string[];
  /** The files of a table, in order. Their paths contain the folders of site and partition. */
  files(table: string): readonly string[];
  /** How many files a run has replaced or removed although the query reads them; 0 if the snapshot holds them. */
  changes(): number;
  /** A message with the names of the files in the lake. */
  displayed(message: string): string;
  /** Removes what the snapshot needed. The query must have ended. */
  close(): Promise<void>;
}

/** How a snapshot holds a file that another one may replace. */
export type Hold = 'open-files' | 'hard-links';

interface LakeFile {
  readonly table: string;
  /** The folders of site and partition, such as `domain_id=7` and `month=2026-03`. */
  readonly site: string;
  readonly partition: string;
  readonly path: string;
}

interface SnapshotOptions {
  readonly platform: NodeJS.Platform;
  readonly uid: number | undefined;
  readonly now: number;
  /** A private folder for links to open files. */
  readonly folder: string;
}

/** Files that this process may open besides those of a snapshot. */
const OTHER_FILES = 256;
const OPEN_FILES = '/proc/self/fd';

/**
 * Holds the files of tables in a lake as they are. DuckDB opens a file for its footer and again for its rows: without a snapshot, a query
 * would mix two versions of one that is replaced in between. Where files can neither be held open nor linked, the snapshot consists of the
 * files themselves, and `changes` counts those that were replaced. Blocking: a lake has tens of thousands of files, and 36,000 are held
 * in half a second.
 */
export async function takeSnapshot(
  lake: string,
  tables: readonly LakeTable[],
  options: SnapshotOptions & { readonly holds?: readonly Hold[] },
): Promise<LakeSnapshot> {
  const listed = tables.flatMap(table => filesOf(lake, table));
  const held = await hold(lake, listed, options);
  const ofTables = tables.map(({ name }) => join(lake, name));
  return { ...held, folders: [...held.folders, ...ofTables, ...ofTables.map(realPath)] };
}

async function hold(
  lake: string,
  listed: readonly LakeFile[],
  options: SnapshotOptions & { readonly holds?: readonly Hold[] },
): Promise<LakeSnapshot> {
  for (const hold of options.holds ?? (await holdsFor(lake, listed.length, options))) {
    const held =
      hold === 'open-files' ? await holdOpen(listed, options.folder) : await holdLinks(lake, listed, options);
    if (held !== undefined) return held;
  }
  return withoutHold(listed);
}

/**
 * The ways to hold files, the best one first. Open files leave no trace in the lake and require no permission to write, but an NFS server
 * does not know them.
 */
async function holdsFor(
  lake: string,
  count: number,
  { platform }: SnapshotOptions,
): Promise<readonly Hold[]> {
  if (platform !== 'linux' || count > openFilesLimit() - OTHER_FILES) return ['hard-links'];
  return (await isLocalFilesystem(lake, platform))
    ? ['open-files', 'hard-links']
    : ['hard-links', 'open-files'];
}

/** How many files this process may open; 0 where Linux does not report it. */
function openFilesLimit(): number {
  try {
    const [, limit = '0'] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return Number(limit);
  } catch {
    return 0;
  }
}

/** The names of files that are open: each is a link to a file of this process, whatever happens to its path. */
async function holdOpen(listed: readonly LakeFile[], folder: string): Promise<LakeSnapshot | undefined> {
  const open: number[] = [];
  const close = () => {
    for (const file of open.splice(0)) closeSync(file);
  };
  const held = linkAll(listed, folder, (path, link) => {
    const file = openSync(path, 'r');
    open.push(file);
    symlinkSync(`${OPEN_FILES}/${file}`, link);
  });
  if (held === undefined) close();
  return held && { ...held, close: async () => close() };
}

/** Second names of the files, in the lake because a file system links its own files only. */
async function holdLinks(
  lake: string,
  listed: readonly LakeFile[],
  { now, uid }: SnapshotOptions,
): Promise<LakeSnapshot | undefined> {
  const folder = new PrivateFolder(join(lake, OWN), QUERY_PREFIX);
  try {
    await folder.open(now, uid);
  } catch {
    return undefined;
  }
  const links: string[] = [];
  const close = async () => {
    // Much faster than the recursive removal of the folder.
    for (const link of links) unlinkSync(link);
    await folder.remove();
  };
  const held = linkAll(listed, folder.path, (path, link) => {
    linkSync(path, link);
    links.push(link);
  });
  if (held === undefined) await close();
  return held && { ...held, close };
}

/**
 * Links files in a folder; undefined if one cannot be linked. The folders of sites and partitions, which DuckDB reads as columns, are
 * created once for all files: `domain_id=7/../month=2026-03/../12.parquet` takes no folder of its own.
 */
function linkAll(
  listed: readonly LakeFile[],
  folder: string,
  link: (path: string, as: string) => void,
): Omit<LakeSnapshot, 'close'> | undefined {
  const files = new Map<string, string[]>();
  const paths: string[] = [];
  try {
    for (const name of new Set(listed.flatMap(({ site, partition }) => [site, partition])))
      mkdirSync(join(folder, name));
    for (const { table, site, partition, path } of listed) {
      const name = `${paths.length}.parquet`;
      try {
        link(path, join(folder, name));
      } catch (error) {
        // A partition that lost its rows.
        if (systemCode(error) === 'ENOENT') continue;
        throw error;
      }
      paths.push(path);
      const ofTable = files.get(table);
      const file = `${folder}/${site}/../${partition}/../${name}`;
      if (ofTable === undefined) files.set(table, [file]);
      else ofTable.push(file);
    }
  } catch {
    return undefined;
  }
  return {
    folders: [folder],
    files: table => files.get(table) ?? [],
    changes: () => 0,
    displayed: message =>
      message
        .split(`${folder}/`)
        .map((part, index) =>
          index === 0
            ? part
            : part.replace(/^(?:[^'"\n]*\/)?(\d+)\.parquet/, (name, at) => paths[Number(at)] ?? name),
        )
        .join(''),
  };
}

function withoutHold(listed: readonly LakeFile[]): LakeSnapshot {
  const present = listed.flatMap(file => {
    const version = versionOf(file.path);
    return version === undefined ? [] : [{ ...file, version }];
  });
  return {
    folders: [],
    files: table => present.filter(file => file.table === table).map(({ path }) => path),
    changes: () => present.filter(({ path, version }) => versionOf(path) !== version).length,
    displayed: message => message,
    close: async () => {},
  };
}

/** The partitions of a table that may have a file. */
function filesOf(lake: string, { name: table, partition: size }: LakeTable): readonly LakeFile[] {
  const root = join(lake, table);
  return foldersIn(root, 'domain_id').flatMap(site =>
    foldersIn(join(root, site), size).map(partition => ({
      table,
      site,
      partition,
      path: join(root, site, partition, 'data.parquet'),
    })),
  );
}

function foldersIn(folder: string, column: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter(name => name.startsWith(`${column}=`))
      .sort();
  } catch {
    return [];
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** What identifies the content of a file; undefined if there is none. */
function versionOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.ino}/${stats.mtimeMs}/${stats.size}`;
}
