import { BULK_CLEAR_LIMIT } from '../../contract/cdn.ts';
import { NothingSent, UsageError } from '../../errors/index.ts';
import { contiguousBatches } from '../../families/cdn/batches.ts';
import { type ClearEvent, clearUrls } from '../../families/cdn/clear-urls.ts';
import type { PurgeJournal } from '../../families/cdn/journal.ts';
import { clearUrlsRequest } from '../../families/cdn/requests.ts';
import { withLock } from '../../files/lock.ts';
import { stringifyJson } from '../../json/index.ts';
import { counted, grouped } from '../../terminal/grouped.ts';
import type { Context } from '../context.ts';
import { lockMachine } from '../lock-machine.ts';
import { printDryRun } from './dry-run.ts';
import type { PurgeFlags } from './flags.ts';
import { interruptedPurges, newJournal } from './purges-on-disk.ts';
import { cdnSite } from './site.ts';
import { Tally } from './tally.ts';
import { collectUrls } from './url-source.ts';
import { Verification } from './verification.ts';

/** Clears URLs from arguments, a file or a sitemap, remembering on disk what is confirmed. */
export async function purgeUrls(flags: PurgeFlags, context: Context): Promise<void> {
  const startedAt = new Date(context.clock.now()).toISOString();
  const journal = await newJournal(startedAt, context);
  await keptUntilDone(journal, flags, context, async () => {
    await collectUrls(flags, journal, context);
    // Without a head it is nothing to resume, whatever becomes of this process.
    const head = { baseUrl: await baseUrlOf(context), total: journal.total, startedAt };
    await journal.end(sends(flags, context) ? head : undefined);
  });
}

/** Continues the purge that was interrupted last. Throws UsageError when there is none. */
export async function resumePurge(flags: PurgeFlags, context: Context): Promise<void> {
  const { waiting, held } = await interruptedPurges(await baseUrlOf(context), context);
  const last = waiting.pop();
  if (last === undefined) {
    if (held[0] !== undefined) throw held[0];
    throw new UsageError('there is no interrupted purge of this gateway', { hints: ['nothing was sent'] });
  }
  if (waiting.length > 0) {
    const others = counted(waiting.length, 'more interrupted purge');
    const next =
      waiting.length === 1 ? 'waits; --resume again continues it' : 'wait; --resume again continues them';
    context.note(`${others} ${next}`);
  }
  for (const { message } of held) context.warn(message);
  const { journal, head } = last;
  await keptUntilDone(journal, flags, context, async () => {
    context.note(`${await clearedOf(journal)} were cleared by the purge of ${head.startedAt}`);
  });
}

/**
 * Runs a purge under the lock of its journal, which goes once everything was tried and stays when that was cut short. What
 * sends nothing changes nothing: it leaves no journal behind, and one that was there as it was.
 */
async function keptUntilDone(
  journal: PurgeJournal,
  flags: PurgeFlags,
  context: Context,
  prepare: () => Promise<void>,
): Promise<void> {
  const isSending = sends(flags, context);
  const staysAsItWas = flags.resume && !isSending;
  const tally = await withLock(journal.folder, { machine: lockMachine(context), wait: 0 }, async () => {
    try {
      await prepare();
      const done = await carriedOut(flags, journal, context);
      await (staysAsItWas ? journal.close() : journal.remove());
      return done;
    } catch (error) {
      const resumable = journal.isSealed && journal.total > 1 && !context.globals.sandbox;
      if (isSending && resumable) {
        context.note(
          `${await clearedOf(journal)} were cleared; the rest goes on with: gatectl cdn purge --resume`,
        );
      }
      await (resumable || staysAsItWas ? journal.close() : journal.remove());
      throw error;
    }
  });
  await tally?.conclude(context, flags.failedFile);
}

function sends(flags: PurgeFlags, { globals }: Context): boolean {
  return !flags.dryRun && !globals.curl;
}

async function clearedOf(journal: PurgeJournal): Promise<string> {
  return `${grouped(await journal.confirmedCount())} of ${counted(journal.total, 'URL')}`;
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
  const verification = flags.verify ? await Verification.before(journal, flags, context) : undefined;
  const tally = new Tally();
  await clearOnce(flags, journal, context, tally);
  if (flags.repeatAfter !== undefined) {
    context.note(`clearing again in ${flags.repeatAfter} s`);
    await context.clock.sleep(flags.repeatAfter * 1000, context.signal);
    await clearOnce(flags, journal, context, undefined);
  }
  await verification?.after(context);
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

async function baseUrlOf(context: Context): Promise<string> {
  const { baseUrl } = await context.settings();
  return baseUrl.value ?? '';
}
