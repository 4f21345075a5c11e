import { join } from 'node:path';
import { PurgeJournal } from '../../apis/cdn/journal.ts';
import { stateFolder } from '../../config/platform.ts';
import { FileError, LockedError } from '../../errors/index.ts';
import { isOwnFolder, makePrivateFolder, removeFolder } from '../../files/folders.ts';
import { namesIfThere } from '../../files/if-there.ts';
import { lockState, withLock } from '../../files/lock.ts';
import type { Machine } from '../machine.ts';

/** The folders of all journals, whatever their gateway and state. */
export async function journalFolders(
  machine: Machine,
  warn: (text: string) => void,
): Promise<readonly string[]> {
  const folders = await trustedFolders(machine, warn);
  const names = await Promise.all(
    folders.map(folder =>
      namesIfThere(folder).catch((error: FileError): string[] => {
        warn(error.message);
        return [];
      }),
    ),
  );
  // A lock may outlive its journal.
  return folders.flatMap((folder, index) =>
    [
      ...new Set(
        (names[index] ?? []).filter(name => !name.startsWith('.')).map(name => name.replace(/\.lock$/, '')),
      ),
    ]
      .sort()
      .map(name => join(folder, name)),
  );
}

/** The folders that hold journals, as far as no other user can write to them; `warn` is called with why one is ignored. */
export async function trustedFolders(
  machine: Machine,
  warn: (text: string) => void,
): Promise<readonly string[]> {
  const { shared, own } = purgesFolders(machine);
  const folders = own === undefined ? [] : [own];
  try {
    if (await isOwnFolder(shared, machine.uid)) folders.unshift(shared);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    warn(error.message);
  }
  return folders;
}

/** A journal in the best folder that can be written, named in the order of creation. Throws FileError when there is none. `note` is called with why it is not in the usual one. */
export async function newJournal(machine: Machine, note: (text: string) => void): Promise<PurgeJournal> {
  // The clock of the embedded gateway starts anew in each run.
  const createdAt = new Date(machine.now()).toISOString();
  const name = `${createdAt.replace(/[:.]/g, '-')}-${machine.pid}`;
  const { shared, own } = purgesFolders(machine);
  if (own !== undefined) {
    try {
      return await PurgeJournal.create(join(own, name));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      note(`${error.message}: interrupted purges are stored in ${shared}`);
    }
  }
  await makePrivateFolder(shared);
  await isOwnFolder(shared, machine.uid);
  return await PurgeJournal.create(join(shared, name));
}

/** The journals of killed processes that sent nothing: their lists are incomplete. */
export async function abandonedJournals(
  machine: Machine,
  warn: (text: string) => void,
): Promise<readonly string[]> {
  const abandoned: string[] = [];
  for (const folder of await journalFolders(machine, warn)) {
    // A journal without a lock may be about to be locked by another process.
    if ((await lockState(folder, machine)).kind !== 'abandoned') continue;
    if (await PurgeJournal.isUnsealed(folder)) abandoned.push(folder);
  }
  return abandoned;
}

/** Removes those journals, with their locks, and what is left of others. Throws FileError. */
export async function removeAbandonedJournals(machine: Machine, warn: (text: string) => void): Promise<void> {
  for (const folder of await abandonedJournals(machine, warn))
    await unlessLocked(folder, machine, async () => {
      if (await PurgeJournal.isUnsealed(folder)) await removeFolder(folder);
    });
  for (const folder of await trustedFolders(machine, warn)) await PurgeJournal.removeLeftovers(folder);
}

/** Removes journals, except those that another process resumes meanwhile. Throws FileError. */
export async function removeJournals(journals: readonly PurgeJournal[], machine: Machine): Promise<void> {
  for (const journal of journals) await unlessLocked(journal.folder, machine, () => journal.remove());
}

async function unlessLocked(folder: string, machine: Machine, work: () => Promise<void>): Promise<void> {
  try {
    await withLock(folder, { machine, wait: 0 }, work);
  } catch (error) {
    // Another process is at it.
    if (!(error instanceof LockedError)) throw error;
  }
}

/** Where interrupted purges are stored: in the user's state folder, or else in the user's part of the temporary folder. */
function purgesFolders(machine: Machine): { readonly shared: string; readonly own: string | undefined } {
  const own = stateFolder(machine);
  const name = machine.uid === undefined ? 'gatectl-purges' : `gatectl-purges-${machine.uid}`;
  return {
    shared: join(machine.env.TMPDIR || machine.env.TEMP || '/tmp', name),
    own: own === undefined ? undefined : join(own, 'purges'),
  };
}
