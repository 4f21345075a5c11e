import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type JournalHead, PurgeJournal } from '../../../apis/cdn/journal.ts';
import { stateFolder } from '../../../config/platform.ts';
import { FileError, LockedError } from '../../../errors/index.ts';
import { lockState } from '../../../files/lock.ts';
import { isOwnFolder, makePrivateFolder } from '../../../files/private-folder.ts';
import type { Context } from '../../framework/context.ts';
import { lockMachine } from '../../framework/lock-machine.ts';
import type { Account, OwnerDifference } from './account.ts';

/** A purge that was cut short, where its journal can be read. */
export interface InterruptedPurge {
  readonly journal: PurgeJournal;
  readonly head: JournalHead;
}

/** The purges that did not end, oldest first each. */
export interface InterruptedPurges {
  /** Those of this gateway that can be resumed here. */
  readonly resumable: readonly InterruptedPurge[];
  /** Those of this gateway that are in progress in another process, or locked by one of which that can't be told. */
  readonly held: readonly LockedError[];
  /** Those of another account of this gateway, and how it differs. */
  readonly foreign: readonly (InterruptedPurge & { readonly difference: OwnerDifference })[];
  /** Those whose head can't be trusted. */
  readonly damaged: readonly { readonly folder: string; readonly problem: string }[];
}

/** Finds the purges that did not end and sorts them by what can be done with them. Throws FileError. */
export async function interruptedPurges(account: Account, context: Context): Promise<InterruptedPurges> {
  const folders = await trustedFolders(context);
  const unfinished = (await Promise.all(folders.map(folder => PurgeJournal.unfinished(folder)))).flat();
  const found = {
    resumable: [] as InterruptedPurge[],
    held: [] as LockedError[],
    foreign: [] as (InterruptedPurge & { difference: OwnerDifference })[],
    damaged: [] as { folder: string; problem: string }[],
  };
  for (const purge of unfinished) {
    if ('problem' in purge) {
      found.damaged.push(purge);
      continue;
    }
    const { journal, head } = purge;
    if (head.owner.baseUrl !== account.baseUrl) continue;
    const difference = await account.differenceFrom(head.owner);
    const state = await lockState(journal.folder, lockMachine(context));
    if (difference !== undefined) found.foreign.push({ ...purge, difference });
    else if (state.kind === 'held') found.held.push(new LockedError(journal.folder, state));
    else found.resumable.push(purge);
  }
  return found;
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
    context.log.warn(error.message);
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
      context.log.note(`${error.message}: an interrupted purge would wait in ${shared}`);
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
