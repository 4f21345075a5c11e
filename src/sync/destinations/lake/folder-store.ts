import { dirname, join } from 'node:path';
import { UsageError } from '../../../errors/index.ts';
import { writeAtomic } from '../../../files/atomic-file.ts';
import { constants, copyFile, link, readdir, rename, stat, statSync, unlink } from '../../../files/disk.ts';
import { syncFolder } from '../../../files/disk-io.ts';
import { DurableNames } from '../../../files/durable-names.ts';
import { fileError, systemCode } from '../../../files/file-error.ts';
import { makeFolder, removeFolder } from '../../../files/folders.ts';
import { isMissing, namesIfThere, textIfThere } from '../../../files/if-there.ts';
import type { LockMachine } from '../../../files/lock.ts';
import { removeStrayFolders } from '../../../files/private-folder.ts';
import { temporaryFilesIn } from '../../../files/stray-files.ts';
import { sha256Of } from '../../sha256.ts';
import type { DestinationCheck } from '../checks.ts';
import { folderChecks } from '../checks.ts';
import { FolderLocks, type NamedLocks } from '../run-locks.ts';
import { type LakeStore, type LedgerLog, STAGING, type StoredFile } from './lake-store.ts';
import { appendLine, LedgerFile } from './ledger-file.ts';

/** How the names of the folders begin, next to the staging folder, in which queries hold files. */
export const QUERY_PREFIX = 'query-';
/** No process takes longer to write the marker of a lake. */
const MARKER_MS = 60_000;
/** What file systems without hard links report. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
]);

/** The files of a lake in a local folder. */
export class FolderStore implements LakeStore {
  readonly name: string;
  readonly removeCommand = 'rm';
  readonly emptyPlace = 'an empty folder, or one that does not exist';
  readonly staging: string;
  readonly locks: NamedLocks;
  readonly #folder: string;
  readonly #machine: LockMachine;
  readonly #names: DurableNames;

  /** `name` is the folder as the user named it. */
  constructor(name: string, folder: string, machine: LockMachine) {
    this.name = name;
    this.#folder = folder;
    this.#machine = machine;
    this.#names = new DurableNames(folder);
    this.staging = join(folder, STAGING);
    this.locks = new FolderLocks(folder, { machine, name, unlockFolder: name });
  }

  async check(): Promise<void> {
    const stats = await stat(this.#folder).catch(() => undefined);
    if (stats?.isFile() !== true) return;
    throw new UsageError(`${this.name} is a file, not a folder`, {
      code: 'invalid_input',
      hints: ['choose an empty folder, or one that does not exist'],
    });
  }

  async diagnose(): Promise<readonly DestinationCheck[]> {
    return await folderChecks(this.#folder);
  }

  async foreignName(own: string): Promise<string | undefined> {
    try {
      return (await readdir(this.#folder)).filter(name => name !== own).sort()[0];
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw fileError(this.name, error, 'read');
    }
  }

  async read(key: string): Promise<string | undefined> {
    return await textIfThere(this.#path(key));
  }

  async write(key: string, text: string): Promise<void> {
    const path = this.#path(key);
    await this.#names.makeFolderOf(path);
    await writeAtomic(path, text);
  }

  async appendLine(key: string, line: object): Promise<void> {
    await appendLine(this.#path(key), line, this.#names);
  }

  async names(folder: string): Promise<readonly string[]> {
    return await namesIfThere(this.#path(folder));
  }

  async *files(folder: string): AsyncGenerator<string> {
    const entries = await readdir(this.#path(folder), { withFileTypes: true }).catch(error => {
      if (isMissing(error)) return [];
      throw fileError(this.#path(folder), error, 'read');
    });
    for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1)))
      if (entry.isDirectory()) yield* this.files(`${folder}/${entry.name}`);
      else yield `${folder}/${entry.name}`;
  }

  async prepare(): Promise<void> {}

  find(key: string): StoredFile | undefined {
    const path = this.#path(key);
    try {
      const stats = statSync(path, { throwIfNoEntry: false });
      return stats === undefined ? undefined : { bytes: stats.size };
    } catch (error) {
      throw fileError(path, error, 'read');
    }
  }

  release(): void {}

  async put(path: string, key: string): Promise<StoredFile> {
    const target = this.#path(key);
    await this.#names.makeFolderOf(target);
    try {
      const { size } = await stat(path);
      await rename(path, target);
      await syncFolder(dirname(target));
      return { bytes: size };
    } catch (error) {
      throw fileError(target, error, 'write');
    }
  }

  async remove(key: string): Promise<void> {
    const path = this.#path(key);
    try {
      await unlink(path);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw fileError(path, error, 'write');
      return;
    }
    await syncFolder(dirname(path));
  }

  async copy(from: string, to: string): Promise<void> {
    const target = this.#path(to);
    await this.#names.makeFolderOf(target);
    await this.remove(to);
    try {
      await link(this.#path(from), target).catch(async error => {
        if (!NO_LINKS.has(systemCode(error))) throw error;
        await copyFile(this.#path(from), target, constants.COPYFILE_FICLONE);
      });
    } catch (error) {
      throw fileError(target, error, 'write');
    }
    await syncFolder(dirname(target));
  }

  pathOf(key: string): string {
    return this.#path(key);
  }

  async sha256(key: string): Promise<string> {
    return await sha256Of(this.#path(key));
  }

  async ledger(key: string): Promise<LedgerLog> {
    return await LedgerFile.open(this.#path(key), this.#names);
  }

  async begin(isExclusive: boolean): Promise<void> {
    if (!isExclusive) return;
    await removeFolder(this.staging);
    await makeFolder(this.staging);
    await removeStrayFolders(dirname(this.staging), QUERY_PREFIX, { now: this.#machine.now() });
    await this.#removeTemporaryFiles();
  }

  /** Removes what processes left that were killed while they wrote small files. Ledgers are rewritten by the next process anyway. */
  async #removeTemporaryFiles(): Promise<void> {
    const own = dirname(this.staging);
    const names = await readdir(own, { withFileTypes: true }).catch(() => []);
    const folders = names.filter(entry => entry.isDirectory()).map(({ name }) => join(own, name));
    for (const folder of [own, ...folders])
      for (const paths of (await temporaryFilesIn(folder)).values())
        for (const path of paths) {
          // One that is about to run may be writing the marker of the lake.
          const isOld = async () => this.#machine.now() - (await stat(path)).mtimeMs > MARKER_MS;
          // They are in nobody's way.
          if (folder !== own || (await isOld().catch(() => false))) await unlink(path).catch(() => undefined);
        }
  }

  async end(): Promise<void> {
    await removeFolder(this.staging).catch(() => undefined);
  }

  async close(): Promise<void> {}

  #path(key: string): string {
    return join(this.#folder, ...key.split('/'));
  }
}
