import { type JournalHead, PurgeJournal } from '../../../apis/cdn/journal.ts';
import { FileError, type GatectlError, LockedError, UsageError } from '../../../errors/index.ts';
import { lockState } from '../../../files/lock.ts';
import { trustedFolders } from '../../../operations/purge/journal-folders.ts';
import { resumedElsewhere } from '../../../operations/purge/purge.ts';
import { groupDigits, pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { lockMachine } from '../../framework/lock-machine.ts';
import { Account, type OwnerDifference } from './account.ts';
import { effectiveDomain } from './effective-domain.ts';
import type { PurgeFlags } from './flags.ts';
import { PURGE_MODES } from './modes.ts';
import { PrintedPurge } from './purge-run.ts';

/** An interrupted purge whose journal can be read. */
export interface InterruptedPurge {
  readonly journal: PurgeJournal;
  readonly head: JournalHead;
}

/** Interrupted purges, each list with the oldest first. */
interface InterruptedPurges {
  /** Those of this account and gateway. */
  readonly resumable: readonly InterruptedPurge[];
  /** Those of this account that another process works on, or may work on. */
  readonly locked: readonly LockedError[];
  /** Those of another account of this gateway, and how it differs. */
  readonly foreign: readonly (InterruptedPurge & { readonly difference: OwnerDifference })[];
  /** Those whose head is damaged. */
  readonly damaged: readonly { readonly folder: string; readonly problem: string }[];
}

/** A later purge of the same list is probably a new one: pages may have changed since. */
const MAX_AGE_MS = 60 * 60 * 1000;

/** Flags that select surrogate keys, and are read when their list is. */
const OF_KEYS = ['resume', 'keyFile', 'keysFromPage', 'anyDomain'] as const;

/** Resumes the last interrupted purge. Throws UsageError when there is none, and FileError when it is damaged. */
export async function resumeLast(flags: PurgeFlags, context: Context): Promise<void> {
  const account = await Account.current(await effectiveDomain(flags, context), context);
  const found = await interruptedPurges(account, context, error => {
    throw error;
  });
  for (const { folder, problem } of found.damaged) {
    context.log.warn(`the journal ${folder} is damaged: ${problem}`, [
      `it is not resumed; check its list, then purge it again: gatectl cdn purge @${folder}/urls`,
    ]);
  }
  const last = found.resumable.at(-1);
  if (last === undefined) throw nothingToResume(found);
  if (found.resumable.length > 1) {
    const others = pluralize(found.resumable.length - 1, 'more interrupted purge');
    context.log.note(`${others} left; run --resume again`);
  }
  for (const { message } of found.locked) context.log.warn(message);
  await resumePurge(last, flags, context);
}

/** Purges what an interrupted purge left. Throws FileError when its journal is damaged, unless `--skip-invalid`. */
export async function resumePurge(
  { journal, head }: InterruptedPurge,
  flags: PurgeFlags,
  context: Context,
): Promise<void> {
  if (head.what === 'key')
    PURGE_MODES.assertApplies('key', flags, { label: 'a purge of surrogate keys', ignoring: OF_KEYS });
  const run = new PrintedPurge(journal, flags, context, {
    domain: head.owner.domain,
    what: head.what ?? 'URL',
    isResumed: true,
  });
  const unreadable = await unreadableIn(journal, head.what ?? 'URL', flags.skipInvalid);
  if (unreadable !== undefined) run.skipDamage(unreadable);
  await run.execute(async () => {
    const how = flags.resume ? '' : '; to purge all of them again, add --no-resume';
    context.log.note(`resuming the purge of ${head.startedAt}: ${await run.progress()} were cleared${how}`);
    await run.checkImpact();
    return true;
  });
}

/** The interrupted purges of the same list and account. */
export async function purgesOf(
  journal: PurgeJournal,
  what: 'URL' | 'key',
  account: Account,
  context: Context,
): Promise<readonly InterruptedPurge[]> {
  const { resumable } = await interruptedPurges(account, context, ({ message }) =>
    context.log.warn(`${message}: an interrupted purge in it is not resumed`),
  );
  return resumable.filter(({ head }) => journal.hasListOf(head, what));
}

/** The last of these purges, if it is recent enough to be resumed by the same command. */
export function mostRecent(
  purges: readonly InterruptedPurge[],
  context: Context,
): InterruptedPurge | undefined {
  const last = purges.at(-1);
  if (last === undefined) return undefined;
  const age = Math.abs(context.clock.now() - Date.parse(last.head.startedAt));
  return age <= MAX_AGE_MS ? last : undefined;
}

/** Finds all interrupted purges of this gateway. `onUnreadable` is called for a folder that may have some. */
async function interruptedPurges(
  account: Account,
  context: Context,
  onUnreadable: (error: FileError) => void,
): Promise<InterruptedPurges> {
  const folders = await trustedFolders(lockMachine(context), text => context.log.warn(text));
  const found = folders.map(folder =>
    PurgeJournal.unfinished(folder).catch((error: FileError) => {
      onUnreadable(error);
      return [];
    }),
  );
  const unfinished = (await Promise.all(found)).flat();
  const resumable: InterruptedPurge[] = [];
  const locked: LockedError[] = [];
  const foreign: (InterruptedPurge & { difference: OwnerDifference })[] = [];
  const damaged: { folder: string; problem: string }[] = [];
  for (const purge of unfinished) {
    if ('problem' in purge) {
      damaged.push(purge);
      continue;
    }
    const { journal, head } = purge;
    if (head.owner.baseUrl !== account.baseUrl) continue;
    const difference = await account.differenceFrom(head.owner);
    const state = await lockState(journal.folder, lockMachine(context));
    if (difference !== undefined) foreign.push({ ...purge, difference });
    else if (state.kind === 'held') locked.push(new LockedError(journal.folder, state));
    else resumable.push(purge);
  }
  return { resumable, locked, foreign, damaged };
}

function nothingToResume({ locked, foreign, damaged }: InterruptedPurges): GatectlError {
  const [first] = locked;
  if (first !== undefined) return first;
  const other = foreign.at(-1);
  if (other !== undefined) {
    const { what, hint } = other.difference;
    return new UsageError(`the interrupted purge of ${other.head.startedAt} ${what}`, {
      code: 'cannot_resume',
      hints: [hint, 'nothing was sent'],
    });
  }
  const broken = damaged.at(-1);
  if (broken !== undefined)
    return new FileError('no interrupted purge can be resumed', { path: broken.folder });
  return new UsageError('no interrupted purge on this gateway', {
    code: 'cannot_resume',
    hints: ['nothing was sent'],
  });
}

/**
 * The number of unconfirmed URLs in damaged blocks of a journal; undefined where no block is damaged. Throws FileError for
 * any, unless `skipInvalid`.
 */
async function unreadableIn(
  journal: PurgeJournal,
  what: 'URL' | 'key',
  skipInvalid: boolean,
): Promise<number | undefined> {
  let isDamaged = false;
  let intact = 0;
  const remaining = journal.remaining(() => {
    isDamaged = true;
  });
  for await (const block of remaining) intact += block.length;
  if (!isDamaged) return undefined;
  const lost = journal.total - (await journal.confirmedCount()) - intact;
  if (lost === 0 || skipInvalid) return lost;
  if (!(await journal.isThere())) throw resumedElsewhere();
  const again = 'purge their list again with --no-resume';
  const wayOut =
    intact === 0
      ? `none that is intact is left to purge: ${again}`
      : `to purge the ${groupDigits(intact)} that are intact and not purged yet, add --skip-invalid; for all, ${again}`;
  throw new FileError(
    `the journal ${journal.folder} is damaged: ${groupDigits(lost)} of its ${pluralize(journal.total, what)} cannot be read; ${wayOut}`,
    { path: journal.folder },
  );
}
