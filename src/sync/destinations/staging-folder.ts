import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePrivateFolder } from '../../files/folders.ts';

const PREFIX = 'gatectl-sync-';
const DAY_MS = 86_400_000;

/** A private folder for files on their way to a destination elsewhere: in the system's folder for temporary files. */
export class StagingFolder {
  readonly path = join(tmpdir(), `${PREFIX}${randomUUID()}`);

  /** Creates it, and removes those that killed processes of this user left more than a day ago. Throws FileError. */
  async open(now: number, uid: number | undefined): Promise<void> {
    await makePrivateFolder(this.path);
    for (const name of await readdir(tmpdir()).catch(() => [])) {
      const path = join(tmpdir(), name);
      if (!name.startsWith(PREFIX) || path === this.path) continue;
      const stats = await stat(path).catch(() => undefined);
      if (stats === undefined || stats.uid !== uid || now - stats.mtimeMs < DAY_MS) continue;
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true }).catch(() => undefined);
  }
}
