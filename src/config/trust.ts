import { createHash } from 'node:crypto';
import { dirname, isAbsolute, relative, sep } from 'node:path';
import { FileError } from '../errors/index.ts';
import { writeAtomic } from '../files/atomic-file.ts';
import { realpath } from '../files/disk.ts';
import { makePrivateFolder } from '../files/folders.ts';
import { textIfThere } from '../files/if-there.ts';
import { type LockMachine, withLock } from '../files/lock.ts';
import { storedObject } from '../json/stored.ts';
import { configPath, type Platform } from './platform.ts';

const LOCK_WAIT_MS = 10_000;
const VERSION = 1;

/** Whose files may name targets without a question: comma-separated names of targets. */
const TRUST_VARIABLE = 'GATECTL_TRUST';

/** Where a file sends or writes something that the user has not named: a host, a bucket, a folder outside its own, a profile. */
export interface Target {
  /** As {@link TRUST_VARIABLE} names it: `db.example.com:5432`, `s3://bucket`, `/srv/lake`, `profile:news`. */
  readonly name: string;
  /** What the file does there: `sends rows and credentials to db.example.com:5432`. */
  readonly does: string;
}

/** What a file that a repository can bring may send where. */
export interface Reach {
  /** The absolute path of the file; undefined for standard input. */
  readonly path: string | undefined;
  /** The values of the file that decide it: when they change, the user is asked again. */
  readonly values: readonly string[];
  readonly targets: readonly Target[];
}

/** A file that the user trusts. */
interface TrustedFile {
  readonly path: string;
  /** Of the values that were trusted. */
  readonly hash: string;
  readonly targets: readonly string[];
  /** Whether unencrypted connections to other machines are allowed, too. */
  readonly insecure: boolean;
  /** RFC 3339 */
  readonly since: string;
}

/** What the trusted files say of a reach. */
interface Standing {
  /** The targets that the user has not trusted. */
  readonly untrusted: readonly Target[];
  readonly allowsInsecure: boolean;
}

/** Whether the user trusts a file. The units of a plan need no path: those of any trusted file with the same values are. */
export async function standingOf(
  { path, values, targets }: Reach,
  system: Platform,
  { anyPath = false } = {},
): Promise<Standing> {
  if (targets.length === 0) return { untrusted: [], allowsInsecure: false };
  const own = path === undefined ? undefined : await realPath(path);
  const hash = hashOf(values);
  const entry = (await readTrusted(system)).find(
    trusted => trusted.hash === hash && (anyPath || trusted.path === own),
  );
  const named = (system.env[TRUST_VARIABLE] ?? '').split(',').map(name => name.trim());
  return {
    untrusted: entry === undefined ? targets.filter(target => !named.some(isNamed(target))) : [],
    allowsInsecure: entry?.insecure ?? false,
  };
}

/** A host without a port is that host with any, and a folder is that folder and those below. */
function isNamed({ name }: Target): (given: string) => boolean {
  return given => {
    if (given === '') return false;
    if (isAbsolute(given)) return isAbsolute(name) && isWithin(name, given);
    return given === name || (!name.includes('/') && given === name.replace(/:\d+$/, ''));
  };
}

/** Whether a path is a folder or below it. */
export function isWithin(path: string, folder: string): boolean {
  const steps = relative(folder, path);
  return steps === '' || (steps !== '..' && !steps.startsWith(`..${sep}`) && !isAbsolute(steps));
}

interface StoreOptions {
  readonly system: Platform;
  readonly machine: LockMachine;
}

/** Remembers that the user trusts a file as it is. Throws FileError. */
export async function trustFile(
  { path, values, targets }: Reach & { readonly path: string },
  { insecure, now }: { readonly insecure: boolean; readonly now: number },
  options: StoreOptions,
): Promise<void> {
  const entry: TrustedFile = {
    path: await realPath(path),
    hash: hashOf(values),
    targets: targets.map(({ name }) => name),
    insecure,
    since: new Date(now).toISOString(),
  };
  await update(options, files => [...files.filter(file => file.path !== entry.path), entry]);
}

/** Forgets a file, or all files of a folder; resolves to those that were trusted. Throws FileError. */
export async function distrustFiles(path: string, options: StoreOptions): Promise<readonly TrustedFile[]> {
  const own = await realPath(path);
  const isBelow = (file: TrustedFile) => isWithin(file.path, own) || isWithin(file.path, path);
  const forgotten = (await readTrusted(options.system)).filter(isBelow);
  if (forgotten.length > 0) await update(options, files => files.filter(file => !isBelow(file)));
  return forgotten;
}

/** The files that the user trusts, in the order of their paths. Throws FileError. */
export async function readTrusted(system: Platform): Promise<readonly TrustedFile[]> {
  const store = configPath(system, 'trust.json');
  if (store === undefined) return [];
  const text = await textIfThere(store);
  if (text === undefined) return [];
  const files = filesIn(text);
  if (files !== undefined) return files;
  throw new FileError(`${store} is invalid: remove it, and trust the files again`, {
    path: store,
    code: 'invalid_file',
  });
}

function filesIn(text: string): readonly TrustedFile[] | undefined {
  const { version, files } = storedObject(text);
  return version === VERSION && Array.isArray(files) && files.every(isTrustedFile) ? files : undefined;
}

function isTrustedFile(value: unknown): value is TrustedFile {
  const { path, hash, targets, insecure, since } = (value ?? {}) as Partial<Record<string, unknown>>;
  return (
    [path, hash, since].every(each => typeof each === 'string') &&
    typeof insecure === 'boolean' &&
    Array.isArray(targets)
  );
}

async function update(
  { system, machine }: StoreOptions,
  edit: (files: readonly TrustedFile[]) => readonly TrustedFile[],
): Promise<void> {
  const store = configPath(system, 'trust.json');
  // Without a folder for it, only the variable can say what is trusted.
  if (store === undefined) return;
  await makePrivateFolder(dirname(store));
  await withLock(store, { machine, wait: LOCK_WAIT_MS }, async () => {
    const files = edit(await readTrusted(system)).toSorted((one, other) => (one.path < other.path ? -1 : 1));
    await writeAtomic(store, `${JSON.stringify({ version: VERSION, files }, undefined, 2)}\n`, {
      mode: 0o600,
    });
  });
}

function hashOf(values: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex');
}

/** The path without symbolic links; itself if it does not exist. */
async function realPath(path: string): Promise<string> {
  return await realpath(path).catch(() => path);
}
