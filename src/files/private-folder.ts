import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DAY_MS } from '../wire/day.ts';
import { readdir, rm, stat } from './disk.ts';
import { makeFolder } from './folders.ts';

/** No process needs its folder for longer. */
const NEEDED_MS = DAY_MS;

/** A folder for files that one process needs, and removes when it ends. */
export class PrivateFolder {
  readonly path: string;
  readonly #parent: string;
  readonly #prefix: string;

  /** Its name in `parent` starts with `prefix`. */
  constructor(parent: string, prefix: string) {
    this.path = join(parent, `${prefix}${randomUUID()}`);
    this.#parent = parent;
    this.#prefix = prefix;
  }

  /** Creates it, and removes those that killed processes of this user left more than a day ago. Throws FileError. */
  async open(now: number, uid: number | undefined): Promise<void> {
    await makeFolder(this.path, 0o700);
    await removeStrayFolders(this.#parent, this.#prefix, { now, uid });
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Removes the private folders of a user, or of all, that killed processes left more than a day ago. */
export async function removeStrayFolders(
  parent: string,
  prefix: string,
  { now, uid }: { readonly now: number; readonly uid?: number | undefined },
): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    if (!name.startsWith(prefix)) continue;
    const path = join(parent, name);
    const stats = await stat(path).catch(() => undefined);
    const isForeign = uid !== undefined && stats?.uid !== uid;
    if (stats === undefined || isForeign || now - stats.mtimeMs < NEEDED_MS) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
