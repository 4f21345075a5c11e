import type { PurgeJournal } from '../../../apis/cdn/journal.ts';
import { FileError, type GatectlError, UsageError } from '../../../errors/index.ts';
import { counted, grouped } from '../../../terminal/grouped.ts';
import type { Context } from '../../framework/context.ts';
import { Account } from './account.ts';
import type { PurgeFlags } from './flags.ts';
import { type InterruptedPurges, interruptedPurges, newJournal } from './interrupted-purges.ts';
import { PurgeRun } from './purge-run.ts';
import { collectUrls, domainInForce } from './url-source.ts';

/** Purges URLs from arguments, a file or a sitemap, and records on disk what is confirmed. */
export async function purgeUrls(flags: PurgeFlags, context: Context): Promise<void> {
  const startedAt = new Date(context.clock.now()).toISOString();
  const journal = await newJournal(startedAt, context);
  await new PurgeRun(journal, flags, context).execute(async () => {
    await collectUrls(flags, journal, context);
    const { dryRun } = flags;
    const { curl, sandbox } = context.globals;
    // Of one URL, of nothing that is sent, and of the embedded gateway, there is nothing to resume.
    const isResumable = journal.total > 1 && !dryRun && !curl && !sandbox;
    const account = await Account.current(await domainInForce(flags.domain, context), context);
    await journal.end(isResumable ? await account.owner() : undefined, startedAt);
  });
}

/** Resumes the purge that was interrupted last. Throws UsageError when there is none, and FileError when it is damaged. */
export async function resumePurge(flags: PurgeFlags, context: Context): Promise<void> {
  const account = await Account.current(await domainInForce(flags.domain, context), context);
  const found = await interruptedPurges(account, context);
  for (const { folder, problem } of found.damaged) {
    context.log.warn(`the journal ${folder} is damaged: ${problem}`, [
      `it is not resumed; check its list and purge that again: gatectl cdn purge --file ${folder}/urls`,
    ]);
  }
  const last = found.resumable.at(-1);
  if (last === undefined) throw nothingToResume(found);
  if (found.resumable.length > 1) {
    const others = counted(found.resumable.length - 1, 'more interrupted purge');
    context.log.note(`${others} left; run --resume again`);
  }
  for (const { message } of found.held) context.log.warn(message);
  const { journal, head } = last;
  const run = new PurgeRun(journal, flags, context);
  const unreadable = await unreadableIn(journal, flags.skipInvalid);
  if (unreadable !== undefined) run.skipDamage(unreadable);
  await run.execute(async () => {
    context.log.note(`${await run.progress()} were cleared by the purge of ${head.startedAt}`);
  });
}

function nothingToResume({ held, foreign, damaged }: InterruptedPurges): GatectlError {
  const [locked] = held;
  if (locked !== undefined) return locked;
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
  return new UsageError('there is no interrupted purge of this gateway', {
    code: 'cannot_resume',
    hints: ['nothing was sent'],
  });
}

/**
 * How many unconfirmed URLs are in damaged blocks of a journal; undefined where none is damaged. Throws FileError for any,
 * unless they are to be skipped.
 */
async function unreadableIn(journal: PurgeJournal, skipInvalid: boolean): Promise<number | undefined> {
  let isDamaged = false;
  let intact = 0;
  const remaining = journal.remaining(() => {
    isDamaged = true;
  });
  for await (const block of remaining) intact += block.length;
  if (!isDamaged) return undefined;
  const lost = journal.total - (await journal.confirmedCount()) - intact;
  if (lost === 0 || skipInvalid) return lost;
  throw new FileError(
    `the journal ${journal.folder} is damaged: ${grouped(lost)} of its ${counted(journal.total, 'URL')} cannot be read; to purge the ${grouped(intact)} that are intact and not purged yet, add --skip-invalid`,
    { path: journal.folder },
  );
}
