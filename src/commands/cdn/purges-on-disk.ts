import { join } from 'node:path';
import { FileError } from '../../errors/index.ts';
import { type JournalHead, PurgeJournal } from '../../families/cdn/journal.ts';
import { isLocked, type LockMachine } from '../../files/lock.ts';
import { isOwnFolder, makePrivateFolder } from '../../files/private-folder.ts';
import { stateFolder } from '../../profile/surroundings.ts';
import type { Context } from '../context.ts';

/** A purge that was cut short and can go on. */
export interface InterruptedPurge {
  readonly journal: PurgeJournal;
  readonly head: JournalHead;
}

/** The interrupted purges of a gateway, oldest first. One that is under way in another process is not interrupted. */
export async function interruptedPurges(baseUrl: string, context: Context): Promise<InterruptedPurge[]> {
  const { shared, own } = purgesFolders(context);
  const folders = own === undefined ? [] : [own];
  try {
    if (await isOwnFolder(shared, context.io.self.uid)) folders.unshift(shared);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    context.warn(error.message);
  }
  const unfinished = await Promise.all(folders.map(folder => PurgeJournal.unfinished(folder, baseUrl)));
  const waiting: InterruptedPurge[] = [];
  for (const each of unfinished.flat())
    if (!(await isLocked(each.journal.folder, machineOf(context)))) waiting.push(each);
  return waiting;
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

/** What the lock of a journal knows of this machine. */
export function machineOf({ io, clock }: Context): LockMachine {
  return {
    pid: io.self.pid,
    host: io.self.host,
    isRunning: io.self.isRunning,
    now: clock.now,
    sleep: clock.sleep,
  };
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
