import { type Batch, type ClearEvent, clearUrls, contiguousBatches } from '../../../apis/cdn/clear-urls.ts';
import type { PurgeJournal } from '../../../apis/cdn/journal.ts';
import { clearUrlsRequest } from '../../../apis/cdn/requests.ts';
import type { NumberedUrl } from '../../../apis/cdn/url-list.ts';
import { CurlPrinted, PartialError } from '../../../errors/index.ts';
import { withLock } from '../../../files/lock.ts';
import { stringifyJson } from '../../../json/index.ts';
import { groupDigits, pluralize } from '../../../terminal/numbers.ts';
import type { Progress } from '../../../terminal/progress.ts';
import { BULK_CLEAR_LIMIT } from '../../../wire/cdn.ts';
import type { Context } from '../../framework/context.ts';
import { lockMachine } from '../../framework/lock-machine.ts';
import { cdnSite, errorTextWarnings } from '../site.ts';
import { type PurgeFlags, TARGET_OPTIONS } from './flags.ts';
import { repeatLater } from './repeat.ts';
import { PurgeResult } from './result.ts';
import type { Verification } from './verification.ts';

/**
 * A purge of URLs, from its list to its result. Its journal is removed once every URL was tried, and stays when the purge is
 * interrupted. --dry-run and --curl change no journal that was there before.
 */
export class PurgeRun {
  readonly #journal: PurgeJournal;
  readonly #flags: PurgeFlags;
  readonly #context: Context;
  readonly #result: PurgeResult;
  readonly #isResumed: boolean;
  /** Unconfirmed URLs that cannot be read; undefined for a journal without damage. */
  #unreadable: number | undefined;
  #receiptError: unknown;
  readonly #onErrorText: (text: string) => void;

  /** `domain` is the one that all URLs are on, where there is one. */
  constructor(
    journal: PurgeJournal,
    flags: PurgeFlags,
    context: Context,
    { domain, isResumed }: { readonly domain: string | undefined; readonly isResumed: boolean },
  ) {
    this.#journal = journal;
    this.#flags = flags;
    this.#context = context;
    this.#onErrorText = errorTextWarnings(context);
    this.#result = new PurgeResult({ what: 'URL', domain });
    this.#isResumed = isResumed;
  }

  /**
   * Purges under the lock of the journal, after `prepare`, which completes the list. Where that resolves to false, nothing is
   * sent and the journal is removed. Throws what any step throws, and PartialError.
   */
  async execute(prepare: () => Promise<boolean>): Promise<void> {
    const { folder } = this.#journal;
    let isPrepared = false;
    await withLock(folder, { machine: lockMachine(this.#context), wait: 0 }, async () => {
      try {
        if (!(await prepare())) return await this.#release(false);
        isPrepared = true;
        if (this.#flags.dryRun) await this.#printRequests();
        else if (this.#context.globals.curl) await this.#printCurl();
        else await this.#purge();
      } catch (error) {
        await this.#afterInterruption();
        throw error;
      }
      await this.#release(this.#isSending ? this.#isIncomplete : this.#isResumed);
    });
    if (isPrepared && this.#isSending) await this.#finish();
  }

  /** Skips the damaged blocks of the journal, which hold `unreadable` unconfirmed URLs; with any, the journal stays. */
  skipDamage(unreadable: number): void {
    this.#unreadable = unreadable;
  }

  /** Such as `300 of 1,000 URLs`. */
  async progress(): Promise<string> {
    return `${groupDigits(await this.#journal.confirmedCount())} of ${pluralize(this.#journal.total, 'URL')}`;
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
    this.#result.addRequested(left);
    await this.#send(this.#remaining(), left, event => this.#record(event));
    await repeatLater(this.#flags, this.#context, async () => {
      const all = journal.all(this.#onDamage);
      await this.#send(all, journal.total, async event => this.#recordRepeat(event));
    });
    this.#receiptError = await verification?.after();
  }

  async #verification(): Promise<Verification> {
    const { Verification } = await import('./verification.ts');
    const verification = new Verification(this.#flags, this.#context);
    await verification.before(this.#journal);
    return verification;
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
        onErrorText: this.#onErrorText,
        onEvent,
      });
    } finally {
      progress.finish();
    }
  }

  async #record({ batch, cleared, error, split }: ClearEvent): Promise<void> {
    this.#result.addRequest();
    if (cleared) {
      await this.#journal.confirm(batch.from, batch.urls.length);
      this.#result.addCleared(batch.urls);
    } else if (!split && error !== undefined) this.#result.addFailed(batch.urls, error);
  }

  #recordRepeat({ batch, error, split }: ClearEvent): void {
    if (!split && error !== undefined) this.#result.addFailedRepeat(batch.urls, error);
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

  /** Throws at damage, unless `skipDamage` was called. */
  get #onDamage(): (() => void) | undefined {
    return this.#unreadable === undefined ? undefined : () => {};
  }

  async #afterInterruption(): Promise<void> {
    const journal = this.#journal;
    if (!this.#isSending || !journal.isSealed)
      return await this.#release(this.#isResumed && !this.#isSending);
    const isDone = (await journal.confirmedCount()) === journal.total;
    const next = isDone ? '' : `; to resume, run: ${this.#resumeCommand()}`;
    this.#context.log.note(`cleared ${await this.progress()}${next}`);
    await this.#release(!isDone);
  }

  #resumeCommand(): string {
    const without = Object.values(TARGET_OPTIONS);
    return this.#context.commandLine({ without, withArguments: false, add: ['--resume'] });
  }

  async #release(keep: boolean): Promise<void> {
    await (keep ? this.#journal.close() : this.#journal.remove());
  }

  async #finish(): Promise<void> {
    await this.#result.finish(this.#context, this.#flags.failedFile, this.#receiptError);
    if (!this.#isIncomplete) return;
    const lost = pluralize(this.#unreadable ?? 0, 'URL');
    throw new PartialError(
      `${lost} of the damaged journal ${this.#journal.folder} could not be read; delete the journal after purging them`,
      { code: 'partial_failure' },
    );
  }
}
