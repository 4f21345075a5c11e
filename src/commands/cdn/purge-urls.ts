import { join } from 'node:path';
import { BULK_CLEAR_LIMIT } from '../../contract/cdn.ts';
import { FileError, NothingSent, UsageError } from '../../errors/index.ts';
import { contiguousBatches } from '../../families/cdn/batches.ts';
import { type ClearEvent, clearUrls } from '../../families/cdn/clear-urls.ts';
import { PurgeJournal } from '../../families/cdn/journal.ts';
import { clearUrlsRequest } from '../../families/cdn/requests.ts';
import { isLocked, type LockMachine, withLock } from '../../files/lock.ts';
import { isOwnFolder, makePrivateFolder } from '../../files/private-folder.ts';
import { stringifyJson } from '../../json/index.ts';
import { stateFolder } from '../../profile/surroundings.ts';
import type { Context } from '../context.ts';
import { printDryRun } from './dry-run.ts';
import type { PurgeFlags } from './flags.ts';
import { cdnSite } from './site.ts';
import { Tally } from './tally.ts';
import { collectUrls } from './url-source.ts';
import { Verification } from './verification.ts';

/** Clears URLs from arguments, a file or a sitemap, remembering on disk what is confirmed. */
export async function purgeUrls(flags: PurgeFlags, context: Context): Promise<void> {
  const startedAt = new Date(context.clock.now()).toISOString();
  const journal = await newJournal(`${startedAt.replace(/[:.]/g, '-')}-${context.io.self.pid}`, context);
  await keptUntilDone(journal, flags, context, async () => {
    await collectUrls(flags, journal, context);
    await journal.seal({ baseUrl: await baseUrlOf(context), total: journal.total, startedAt });
  });
}

/** Continues the purge that was interrupted last. Throws UsageError when there is none. */
export async function resumePurge(flags: PurgeFlags, context: Context): Promise<void> {
  const waiting = await interruptedPurges(context);
  const last = waiting.at(-1);
  if (last === undefined) {
    throw new UsageError('there is no interrupted purge of this gateway', { hints: ['nothing was sent'] });
  }
  if (waiting.length > 1) {
    context.note(`${waiting.length - 1} more interrupted purges wait; --resume again continues them`);
  }
  const { journal, head } = last;
  await keptUntilDone(journal, flags, context, async () => {
    context.note(
      `${await journal.confirmedCount()} of ${head.total} URLs were cleared by the purge of ${head.startedAt}`,
    );
  });
}

/** Oldest first. A purge that is under way in another process is not interrupted. */
async function interruptedPurges(context: Context) {
  const baseUrl = await baseUrlOf(context);
  const { shared, own } = purgesFolders(context);
  const folders = own === undefined ? [] : [own];
  try {
    if (await isOwnFolder(shared, context.io.self.uid)) folders.unshift(shared);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    context.warn(error.message);
  }
  const unfinished = await Promise.all(folders.map(folder => PurgeJournal.unfinished(folder, baseUrl)));
  const waiting: (typeof unfinished)[number] = [];
  for (const each of unfinished.flat())
    if (!(await isLocked(each.journal.folder, machineOf(context)))) waiting.push(each);
  return waiting;
}

/** Runs a purge under the lock of its journal, which goes once everything was tried and stays when that was cut short. */
async function keptUntilDone(
  journal: PurgeJournal,
  flags: PurgeFlags,
  context: Context,
  prepare: () => Promise<void>,
): Promise<void> {
  const tally = await withLock(journal.folder, { machine: machineOf(context), wait: 0 }, async () => {
    try {
      await prepare();
      const done = await carriedOut(flags, journal, context);
      await (flags.resume && flags.dryRun ? journal.close() : journal.remove());
      return done;
    } catch (error) {
      const resumable =
        journal.isSealed && journal.total > 1 && !context.globals.sandbox && !(error instanceof NothingSent);
      if (resumable) context.note('what was not confirmed goes on with: gatectl cdn purge --resume');
      await (resumable ? journal.close() : journal.remove());
      throw error;
    }
  });
  await tally?.conclude(context, flags.failedTo);
}

async function carriedOut(
  flags: PurgeFlags,
  journal: PurgeJournal,
  context: Context,
): Promise<Tally | undefined> {
  if (flags.dryRun) return await dryRun(journal, context);
  if (context.globals.curl) return await printCurl(journal, context);
  return await clearAll(flags, journal, context);
}

async function clearAll(flags: PurgeFlags, journal: PurgeJournal, context: Context): Promise<Tally> {
  const verification = flags.verify ? await Verification.before(journal, context) : undefined;
  const tally = new Tally();
  await clearOnce(flags, journal, context, tally);
  if (flags.again !== undefined) {
    context.note(`clearing again in ${flags.again} s`);
    await context.clock.sleep(flags.again * 1000, context.signal);
    await clearOnce(flags, journal, context, undefined);
  }
  await verification?.after(flags.receipt, context);
  return tally;
}

/** Sends every unconfirmed URL once; without a tally, every URL, for a second round. */
async function clearOnce(
  flags: PurgeFlags,
  journal: PurgeJournal,
  context: Context,
  tally: Tally | undefined,
): Promise<void> {
  const [sender, site, settings] = [
    await context.gateway(),
    await cdnSite(context),
    await context.settings(),
  ];
  const events = settings.output.value === 'ndjson' && context.globals.jq === undefined;
  const remaining = journal.total - (tally === undefined ? 0 : await journal.confirmedCount());
  tally?.requested(remaining);
  const progress = context.progress(remaining, 'URLs');

  const onEvent = async ({ batch, cleared, error, split }: ClearEvent): Promise<void> => {
    const count = batch.urls.length;
    tally?.request();
    if (cleared) {
      if (tally !== undefined) await journal.confirm(batch.from, count);
      tally?.succeeded(count);
      progress.advance(count);
    } else if (!split && error !== undefined) {
      tally?.failed(batch.urls, error);
      progress.advance(count, count);
    }
    if (!events) return;
    progress.hide();
    const outcome = cleared ? 'cleared' : split ? 'split' : 'failed';
    await context.text(stringifyJson({ urls: count, outcome, ...(error && { error: error.message }) }));
  };
  try {
    const urls = tally === undefined ? journal.all() : await journal.remaining();
    const batches = contiguousBatches(urls, BULK_CLEAR_LIMIT);
    await clearUrls(batches, { sender, site, concurrency: flags.concurrency, split: flags.split, onEvent });
  } finally {
    progress.finish();
  }
}

async function dryRun(journal: PurgeJournal, context: Context): Promise<undefined> {
  const site = await cdnSite(context);
  const requests = (async function* () {
    for await (const { urls } of contiguousBatches(await journal.remaining(), BULK_CLEAR_LIMIT))
      yield clearUrlsRequest(site, urls);
  })();
  await printDryRun(requests, context);
}

/** One command for each request. Throws NothingSent at the end. */
async function printCurl(journal: PurgeJournal, context: Context): Promise<never> {
  const [sender, site] = [await context.gateway(), await cdnSite(context)];
  for await (const { urls } of contiguousBatches(await journal.remaining(), BULK_CLEAR_LIMIT)) {
    await sender.send(clearUrlsRequest(site, urls)).catch(error => {
      if (!(error instanceof NothingSent)) throw error;
    });
  }
  throw new NothingSent();
}

function machineOf({ io, clock }: Context): LockMachine {
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

/** A journal in the best folder that can be written. Throws FileError when there is none. */
async function newJournal(name: string, context: Context): Promise<PurgeJournal> {
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

async function baseUrlOf(context: Context): Promise<string> {
  const { baseUrl } = await context.settings();
  return baseUrl.value ?? '';
}
