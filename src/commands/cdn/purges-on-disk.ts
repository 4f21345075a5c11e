import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FileError, LockedError } from '../../errors/index.ts';
import { type JournalHead, PurgeJournal } from '../../families/cdn/journal.ts';
import { lockState } from '../../files/lock.ts';
import { isOwnFolder, makePrivateFolder } from '../../files/private-folder.ts';
import { stateFolder } from '../../profile/surroundings.ts';
import type { Context } from '../context.ts';
import { lockMachine } from '../lock-machine.ts';

/** A purge that was cut short and can go on. */
export interface InterruptedPurge {
  readonly journal: PurgeJournal;
  readonly head: JournalHead;
}

export interface InterruptedPurges {
  /** Oldest first. */
  readonly waiting: InterruptedPurge[];
  /** In progress in another process, or locked by one of which that can't be told. */
  readonly held: readonly LockedError[];
}

/** The purges of a gateway that are not finished. Throws FileError. */
export async function interruptedPurges(baseUrl: string, context: Context): Promise<InterruptedPurges> {
  const folders = await trustedFolders(context);
  const unfinished = await Promise.all(folders.map(folder => PurgeJournal.unfinished(folder, baseUrl)));
  const waiting: InterruptedPurge[] = [];
  const held: LockedError[] = [];
  for (const each of unfinished.flat()) {
    const { folder } = each.journal;
    const state = await lockState(folder, lockMachine(context));
    if (state.kind === 'held') held.push(new LockedError(folder, state));
    else waiting.push(each);
  }
  return { waiting, held };
}

/** The folders of all journals, whatever their gateway and state. */
export async function journalFolders(context: Context): Promise<readonly string[]> {
  const folders = await trustedFolders(context);
  const names = await Promise.all(folders.map(folder => readdir(folder).catch((): string[] => [])));
  // A lock may have outlived the journal that it was for.
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

async function trustedFolders(context: Context): Promise<readonly string[]> {
  const { shared, own } = purgesFolders(context);
  const folders = own === undefined ? [] : [own];
  try {
    if (await isOwnFolder(shared, context.io.self.uid)) folders.unshift(shared);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    context.warn(error.message);
  }
  return folders;
}

/** A journal in the best folder that can be written. Throws FileError when there is none. */
export async function newJournal(startedAt: string, context: Context): Promise<PurgeJournal> {
  const name = `${startedAt.replace(/[:.]/g, '-')}-${context.io.self.pid}`;
  const { shared, own } = purgesFolders(context);
  if (own !== undefined) {
    try {
      return await PurgeJournal.create(join(own, name));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      context.note(`${error.message}: an interrupted purge would wait in ${shared}`);
    }
  }
  await makePrivateFolder(shared);
  await isOwnFolder(shared, context.io.self.uid);
  return await PurgeJournal.create(join(shared, name));
}

/** Where interrupted purges wait: with the user's own state, or else in a folder of the user's within the temporary one. */
function purgesFolders({ io }: Context): { readonly shared: string; readonly own: string | undefined } {
  const own = stateFolder(io);
  const name = io.self.uid === undefined ? 'gatectl-purges' : `gatectl-purges-${io.self.uid}`;
  return {
    shared: join(io.env.TMPDIR || io.env.TEMP || '/tmp', name),
    own: own === undefined ? undefined : join(own, 'purges'),
  };
}
