import { basename, dirname } from 'node:path';
import type { PurgeJournal } from '../../../apis/cdn/journal.ts';
import { FileError } from '../../../errors/index.ts';
import { readdir } from '../../../files/disk.ts';
import { fileError } from '../../../files/file-error.ts';
import {
  newJournal,
  removeAbandonedJournals,
  removeJournals,
} from '../../../operations/purge/journal-folders.ts';
import type { Context } from '../../framework/context.ts';
import { lockMachine } from '../../framework/lock-machine.ts';
import { Account } from './account.ts';
import type { SitemapChanges } from './changed-since.ts';
import { collectUrls } from './collect-urls.ts';
import { effectiveDomain } from './effective-domain.ts';
import { isUnsent, type PurgeFlags } from './flags.ts';
import { PrintedPurge } from './purge-run.ts';
import type { InterruptedPurge } from './resume.ts';

/** Purges URLs from arguments, lists or a sitemap. */
export async function purgeUrls(flags: PurgeFlags, context: Context): Promise<void> {
  const domain = await effectiveDomain(flags, context);
  const changes = await sitemapChanges(flags, domain, context);
  const list: TargetList = {
    what: 'URL',
    owner: domain,
    domain: flags.anyDomain ? undefined : domain,
    async collect(journal) {
      await collectUrls(flags, journal, context, changes?.urls(flags, context));
      if (journal.total === 0) context.log.note('no page changed');
    },
  };
  if (await purgeList(list, flags, context)) await changes?.confirm();
}

/** What a purge is of. */
export interface TargetList {
  readonly what: 'URL' | 'key';
  /** The domain that the account must have to resume the purge. */
  readonly owner: string | undefined;
  /** The one domain of all targets. */
  readonly domain: string | undefined;
  /** Adds the targets to the journal. */
  readonly collect: (journal: PurgeJournal) => Promise<void>;
}

/**
 * Purges a list, and records on disk what is confirmed. An interrupted purge of the same list that is less than an hour old is resumed
 * instead. Returns whether all of it was cleared now, and no page was stale.
 */
export async function purgeList(
  { what, owner, domain, collect }: TargetList,
  flags: PurgeFlags,
  context: Context,
): Promise<boolean> {
  const startedAt = new Date(context.clock.now()).toISOString();
  const account = await Account.current(owner, context);
  const journal = await newJournal(lockMachine(context), text => context.log.note(text));
  let earlier: readonly InterruptedPurge[] = [];
  let resumed: InterruptedPurge | undefined;
  const run = new PrintedPurge(journal, flags, context, { domain, what, isResumed: false });
  let isPrepared = false;
  const prepare = async (): Promise<boolean> => {
    await collect(journal);
    // A single target, the sandbox, and commands that send nothing have nothing to resume.
    const isResumable = journal.total > 1 && !isUnsent(flags, context) && !context.globals.sandbox;
    await journal.endList(isResumable);
    await run.checkImpact();
    if (isResumable && (await hasSiblings(journal))) {
      await removeAbandonedJournals(lockMachine(context), text => context.log.warn(text));
      const { purgesOf, mostRecent } = await import('./resume.ts');
      earlier = await purgesOf(journal, what, account, context);
      resumed = flags.autoResume ? mostRecent(earlier, context) : undefined;
      if (resumed !== undefined) return false;
    }
    if (isResumable) await journal.seal(await account.owner(), startedAt, what);
    isPrepared = true;
    return true;
  };
  try {
    await run.execute(prepare);
  } catch (error) {
    const isOfJournal = error instanceof FileError && error.path.startsWith(journal.folder);
    throw isOfJournal && !isPrepared ? nothingSent(error) : error;
  }
  if (resumed !== undefined) {
    const { resumePurge } = await import('./resume.ts');
    await resumePurge(resumed, flags, context);
    return false;
  }
  // All their targets have been purged now.
  await removeJournals(
    earlier.map(purge => purge.journal),
    lockMachine(context),
  );
  return run.isConfirmed;
}

/** The changed pages of `--sitemap`, with `--changed-since`. */
async function sitemapChanges(
  { sitemap, changedSince }: PurgeFlags,
  domain: string | undefined,
  context: Context,
): Promise<SitemapChanges | undefined> {
  if (sitemap === undefined || changedSince === undefined) return undefined;
  const { SitemapChanges } = await import('./changed-since.ts');
  return await SitemapChanges.open(sitemap, changedSince, domain, context);
}

function nothingSent({ message, path, code, cause }: FileError): FileError {
  return new FileError(`cannot store the progress of the purge, and nothing was sent: ${message}`, {
    path,
    code,
    cause,
  });
}

/** Whether there are other journals, so that the code that reads them is worth loading. */
async function hasSiblings({ folder }: PurgeJournal): Promise<boolean> {
  const names = await readdir(dirname(folder)).catch(error => {
    throw fileError(dirname(folder), error, 'read');
  });
  return names.some(name => name.replace(/\.lock$/, '') !== basename(folder));
}
