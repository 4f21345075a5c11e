import { type Batch, contiguousBatches } from '../../../apis/cdn/batches.ts';
import { type ClearEvent, clearUrls } from '../../../apis/cdn/clear-urls.ts';
import type { PurgeJournal } from '../../../apis/cdn/journal.ts';
import { clearUrlsRequest } from '../../../apis/cdn/requests.ts';
import type { NumberedUrl } from '../../../apis/cdn/url-list.ts';
import { CurlPrinted, PartialError } from '../../../errors/index.ts';
import { withLock } from '../../../files/lock.ts';
import { stringifyJson } from '../../../json/index.ts';
import { counted, grouped } from '../../../terminal/grouped.ts';
import type { Progress } from '../../../terminal/progress.ts';
import { BULK_CLEAR_LIMIT } from '../../../wire/cdn.ts';
import type { Context } from '../../framework/context.ts';
import { lockMachine } from '../../framework/lock-machine.ts';
import { cdnSite } from '../site.ts';
import type { PurgeFlags } from './flags.ts';
import { repeatLater } from './repeat.ts';
import { Tally } from './tally.ts';
import type { Verification } from './verification.ts';

/**
 * One purge of URLs, from its list to its outcome. Its journal is removed once every URL was tried, and stays when that was
 * cut short. What sends nothing changes nothing: a journal that was there stays as it was.
 */
export class PurgeRun {
  readonly #journal: PurgeJournal;
  readonly #flags: PurgeFlags;
  readonly #context: Context;
  readonly #tally = new Tally();
  /** URLs that are not confirmed and can't be read any more; undefined for a journal without damage. */
  #unreadable: number | undefined;
  #receiptError: unknown;

  constructor(journal: PurgeJournal, flags: PurgeFlags, context: Context) {
    this.#journal = journal;
    this.#flags = flags;
    this.#context = context;
  }

  /** Purges under the lock of the journal, once `prepare` completed the list. Throws what any step throws, and PartialError. */
  async execute(prepare: () => Promise<void>): Promise<void> {
    const { folder } = this.#journal;
    await withLock(folder, { machine: lockMachine(this.#context), wait: 0 }, async () => {
      try {
        await prepare();
        if (this.#flags.dryRun) await this.#printRequests();
        else if (this.#context.globals.curl) await this.#printCurl();
        else await this.#purge();
      } catch (error) {
        await this.#afterInterruption();
        throw error;
      }
      await this.#release(this.#isSending ? this.#isIncomplete : this.#flags.resume);
    });
    if (this.#isSending) await this.#conclude();
  }

  /** Skips the damaged blocks of the journal, which stays where so many URLs of them are not confirmed. */
  skipDamage(unreadable: number): void {
    this.#unreadable = unreadable;
  }

  /** Such as `300 of 1,000 URLs`. */
  async progress(): Promise<string> {
    return `${grouped(await this.#journal.confirmedCount())} of ${counted(this.#journal.total, 'URL')}`;
  }

  get #isSending(): boolean {
    return !this.#flags.dryRun && !this.#context.globals.curl;
  }

  get #isIncomplete(): boolean {
    return (this.#unreadable ?? 0) > 0;
  }

  async #purge(): Promise<void> {
    const journal = this.#journal;
    const verification = this.#flags.verify ? await this.#verification() : undefined;
    const left = journal.total - (this.#unreadable ?? 0) - (await journal.confirmedCount());
    this.#tally.requested(left);
    await this.#send(this.#remaining(), left, event => this.#record(event));
    await repeatLater(this.#flags, this.#context, async () => {
      const all = journal.all(this.#onDamage);
      await this.#send(all, journal.total, async event => this.#recordRepeat(event));
    });
    this.#receiptError = await verification?.after(this.#context);
  }

  async #verification(): Promise<Verification> {
    const { Verification } = await import('./verification.ts');
    return await Verification.before(this.#journal, this.#flags, this.#context);
  }

  async #send(
    urls: AsyncIterable<readonly NumberedUrl[]>,
    count: number,
    record: (event: ClearEvent) => Promise<void>,
  ): Promise<void> {
    const progress = this.#context.log.progress(count, 'URLs');
    const onEvent = async (event: ClearEvent): Promise<void> => {
      await record(event);
      const done = event.batch.urls.length;
      if (event.cleared) progress.advance(done);
      else if (!event.split) progress.advance(done, done);
      await this.#printEvent(event, progress);
    };
    try {
      await clearUrls(contiguousBatches(urls, BULK_CLEAR_LIMIT), {
        sender: await this.#context.gateway(),
        site: await cdnSite(this.#context),
        concurrency: this.#flags.concurrency,
        split: this.#flags.split,
        onEvent,
      });
    } finally {
      progress.finish();
    }
  }

  async #record({ batch, cleared, error, split }: ClearEvent): Promise<void> {
    this.#tally.request();
    if (cleared) {
      await this.#journal.confirm(batch.from, batch.urls.length);
      this.#tally.succeeded(batch.urls.length);
    } else if (!split && error !== undefined) this.#tally.failed(batch.urls, error);
  }

  #recordRepeat({ batch, error, split }: ClearEvent): void {
    if (!split && error !== undefined) this.#tally.failedAgain(batch.urls, error);
  }

  async #printEvent({ batch, cleared, error, split }: ClearEvent, progress: Progress): Promise<void> {
    const { globals } = this.#context;
    const format = (await this.#context.settings()).output.value;
    if (format !== 'ndjson' || globals.jq !== undefined) return;
    progress.hide();
    const outcome = cleared ? 'cleared' : split ? 'split' : 'failed';
    const line = { urls: batch.urls.length, outcome, ...(error && { error: error.message }) };
    await this.#context.out.printText(stringifyJson(line));
  }

  async #printRequests(): Promise<void> {
    const site = await cdnSite(this.#context);
    const batches = this.#batches();
    const requests = (async function* () {
      for await (const { urls } of batches) yield clearUrlsRequest(site, urls);
    })();
    const { printDryRun } = await import('./dry-run.ts');
    await printDryRun(requests, this.#context);
  }

  /** One command for each request. Throws CurlPrinted at the end. */
  async #printCurl(): Promise<never> {
    const [sender, site] = [await this.#context.gateway(), await cdnSite(this.#context)];
    for await (const { urls } of this.#batches()) {
      await sender.send(clearUrlsRequest(site, urls)).catch(error => {
        if (!(error instanceof CurlPrinted)) throw error;
      });
    }
    throw new CurlPrinted();
  }

  #batches(): AsyncGenerator<Batch> {
    return contiguousBatches(this.#remaining(), BULK_CLEAR_LIMIT);
  }

  #remaining(): AsyncGenerator<readonly NumberedUrl[]> {
    return this.#journal.remaining(this.#onDamage);
  }

  /** Damage that was accepted is skipped; any other ends the purge. */
  get #onDamage(): (() => void) | undefined {
    return this.#unreadable === undefined ? undefined : () => {};
  }

  async #afterInterruption(): Promise<void> {
    const journal = this.#journal;
    const keepsOthers = this.#flags.resume && !this.#isSending;
    if (!this.#isSending || !journal.isSealed) return await this.#release(keepsOthers);
    const isDone = (await journal.confirmedCount()) === journal.total;
    const next = isDone ? '' : '; to resume, run: gatectl cdn purge --resume';
    this.#context.log.note(`${await this.progress()} were cleared${next}`);
    await this.#release(!isDone);
  }

  async #release(keep: boolean): Promise<void> {
    await (keep ? this.#journal.close() : this.#journal.remove());
  }

  async #conclude(): Promise<void> {
    await this.#tally.conclude(this.#context, this.#flags.failedFile, this.#receiptError);
    if (!this.#isIncomplete) return;
    const lost = counted(this.#unreadable ?? 0, 'URL');
    throw new PartialError(
      `${lost} of the damaged journal ${this.#journal.folder} could not be read; delete it once they are purged`,
      { code: 'partial_failure' },
    );
  }
}
