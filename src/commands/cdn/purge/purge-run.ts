import type { PurgeJournal } from '../../../apis/cdn/journal.ts';
import type { NumberedUrl } from '../../../apis/cdn/url-list.ts';
import { PartialError } from '../../../errors/index.ts';
import { withLock } from '../../../files/lock.ts';
import type { GatewayRequest } from '../../../http/request.ts';
import { stringifyJson } from '../../../json/index.ts';
import {
  type Batch,
  batchesOf,
  type ClearEvent,
  clearTargets,
  contiguousBatches,
  keyTargets,
  type TargetKind,
  urlTargets,
} from '../../../operations/purge/clear-targets.ts';
import { groupDigits, pluralize } from '../../../terminal/numbers.ts';
import type { Progress } from '../../../terminal/progress.ts';
import { cdnSite, errorTextWarnings } from '../../framework/cdn-site.ts';
import type { Context } from '../../framework/context.ts';
import { lockMachine } from '../../framework/lock-machine.ts';
import type { PurgeFlags } from './flags.ts';
import { optionsNotResumed } from './modes.ts';
import { repeatLater } from './repeat.ts';
import { PurgeResult } from './result.ts';
import type { Warmer } from './traffic/warmer.ts';
import { stageSizes, UrlStages } from './url-stages.ts';
import type { Verification } from './verification.ts';

/** What a purge of changes adds to a purge of URLs. */
interface PlannedRun {
  /** Surrogate keys to clear after the URLs. */
  readonly keys: readonly string[];
  /** Called before anything is sent. */
  onStart(): Promise<void>;
  /** Called with targets that were cleared. */
  onCleared(targets: readonly string[]): void;
  /** Called at the end, also of an interrupted run. */
  onEnd(end: RunEnd): Promise<void>;
}

/** How a run ended. */
interface RunEnd {
  /** In the history. */
  readonly id: string | undefined;
  readonly result: PurgeResult;
  /** Whether everything was sent. */
  readonly isDone: boolean;
  /** Number of pages that were found stale after the purge. */
  readonly stale: number;
}

/**
 * A purge of URLs or surrogate keys, from its list to its result. Its journal is removed once every URL was tried, and stays when the purge is
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
  readonly #startedAt: string;
  readonly #domain: string | undefined;
  /** What the lines of the journal are. */
  readonly #what: 'URL' | 'key';
  readonly #planned: PlannedRun | undefined;
  #receiptError: unknown;
  /** Pages that were found stale after the purge. */
  #stale = 0;
  /** Whether everything was sent. */
  #isDone = false;
  /** Why a purge in stages ended early. */
  #stopped: string | undefined;
  readonly #onErrorText: (text: string) => void;

  /** `domain` is the one that all URLs are on, where there is one. */
  constructor(
    journal: PurgeJournal,
    flags: PurgeFlags,
    context: Context,
    {
      domain,
      isResumed,
      what = 'URL',
      planned,
    }: {
      readonly domain: string | undefined;
      readonly isResumed: boolean;
      readonly what?: 'URL' | 'key';
      readonly planned?: PlannedRun;
    },
  ) {
    this.#journal = journal;
    this.#flags = flags;
    this.#context = context;
    this.#onErrorText = errorTextWarnings(context);
    const hasKeys = planned !== undefined && planned.keys.length > 0;
    this.#result = new PurgeResult({ what: hasKeys ? 'target' : what, domain });
    this.#isResumed = isResumed;
    this.#startedAt = new Date(context.clock.now()).toISOString();
    this.#domain = domain;
    this.#what = what;
    this.#planned = planned;
  }

  /**
   * Purges under the lock of the journal, after `prepare`, which completes the list. Where that resolves to false, nothing is
   * sent and the journal is removed. Throws what any step throws, and PartialError.
   */
  async execute(prepare: () => Promise<boolean>): Promise<void> {
    const { folder } = this.#journal;
    let isLocked = false;
    let isPrepared = false;
    const locked = withLock(folder, { machine: lockMachine(this.#context), wait: 0 }, async () => {
      isLocked = true;
      try {
        if (!(await prepare())) return await this.#release(false);
        isPrepared = true;
        if (this.#isSending) await this.#purgeAndRecord();
        else await this.#printUnsent();
      } catch (error) {
        await this.#afterInterruption();
        throw error;
      }
      await this.#release(this.#isSending ? this.#isIncomplete || this.#isPaused : this.#isResumed);
    });
    await locked.catch(async error => {
      if (!isLocked) await this.#release(this.#isResumed);
      throw error;
    });
    if (isPrepared && this.#isSending) await this.#finish();
  }

  /**
   * Prints the impact of the remaining URLs, if the flags request it. Call it before the journal is sealed. Throws UsageError for
   * more than `--max-impact`, and with it for what has no figures.
   */
  async checkImpact(): Promise<void> {
    if (!this.#flags.impact && this.#flags.maxImpact === undefined) return;
    const { checkImpact } = await import('./traffic/impact.ts');
    const targets = { pages: this.#journal, keys: this.#planned?.keys.length ?? 0, domain: this.#domain };
    const impact = await checkImpact(targets, this.#flags, this.#context);
    if (impact !== undefined) this.#result.describe(impact.fields, impact.section);
  }

  /** Skips the damaged blocks of the journal, which hold `unreadable` unconfirmed URLs; with any, the journal stays. */
  skipDamage(unreadable: number): void {
    this.#unreadable = unreadable;
  }

  /** Whether everything was sent and cleared, and no page was found stale. */
  get isConfirmed(): boolean {
    return this.#isDone && this.#stale === 0 && this.#result.outcome.confirmed;
  }

  /** Such as `300 of 1,000 URLs`. */
  async progress(): Promise<string> {
    return `${groupDigits(await this.#journal.confirmedCount())} of ${pluralize(this.#journal.total, this.#what)}`;
  }

  get #isSending(): boolean {
    return !this.#flags.dryRun && !this.#context.globals.curl;
  }

  /** Whether it ended early and can be resumed. */
  get #isPaused(): boolean {
    return this.#stopped !== undefined && this.#journal.isSealed;
  }

  get #isIncomplete(): boolean {
    return (this.#unreadable ?? 0) > 0;
  }

  async #printUnsent(): Promise<void> {
    const { printUnsent } = await import('./unsent-requests.ts');
    await printUnsent(this.#requests(), this.#flags.dryRun, this.#context);
  }

  async *#requests(): AsyncGenerator<GatewayRequest> {
    const kind = await this.#kind(this.#what);
    for await (const { targets } of contiguousBatches(this.#remaining(), kind.batchSize))
      yield kind.requestOf(targets);
    const { keys = [] } = this.#planned ?? {};
    if (keys.length === 0) return;
    const ofKeys = await this.#kind('key');
    for await (const { targets } of batchesOf(keys, ofKeys.batchSize)) yield ofKeys.requestOf(targets);
  }

  /** How targets are cleared. Throws UsageError for keys without a bare domain. */
  async #kind(what: 'URL' | 'key'): Promise<TargetKind> {
    const site = await cdnSite(this.#context);
    if (what === 'URL') return urlTargets(site);
    const { bareDomain } = await import('./bare-domain.ts');
    return keyTargets(site, await bareDomain(this.#domain, this.#context));
  }

  async #purgeAndRecord(): Promise<void> {
    await this.#planned?.onStart();
    try {
      await this.#purge();
    } finally {
      if (this.#result.outcome.cleared > 0 || this.#result.outcome.failed > 0 || this.#isDone)
        await this.#record();
    }
  }

  async #purge(): Promise<void> {
    const journal = this.#journal;
    const left = journal.total - (this.#unreadable ?? 0) - (await journal.confirmedCount());
    this.#result.addRequested(left + (this.#planned?.keys.length ?? 0));
    const { stage = [1] } = this.#flags;
    const verification = this.#flags.verify ? await this.#verification(left) : undefined;
    const warmer = this.#flags.warm === undefined ? undefined : await this.#warmer();
    const urls = new UrlStages(this.#remaining());
    try {
      await this.#purgeStages(urls, stageSizes(left, stage), verification, warmer);
    } finally {
      await urls.close();
    }
    if (warmer !== undefined) this.#result.describe({ warm: warmer.finish() });
    if (verification !== undefined) {
      const { cleared, failed } = this.#result.outcome;
      const purged = await this.#purgedOf(verification.redirectTargets);
      const result = verification.finish(Math.min(left, cleared + failed), purged);
      this.#result.describe({ verification: result });
    }
    this.#receiptError = await verification?.writeReceipt();
    this.#isDone = this.#stopped === undefined;
  }

  async #purgeStages(
    urls: UrlStages,
    sizes: readonly number[],
    verification: Verification | undefined,
    warmer: Warmer | undefined,
  ): Promise<void> {
    const { pause } = this.#flags;
    for (const [index, size] of sizes.entries()) {
      const isLast = index === sizes.length - 1;
      if (size === 0 && !isLast) continue;
      await this.#purgeStage(urls, size, isLast, verification, warmer);
      if (isLast) return;
      this.#stopped = this.#problemAfter(index + 1, sizes.length, warmer);
      if (this.#stopped !== undefined) return;
      const { cleared, requested } = this.#result.outcome;
      const done = `${groupDigits(cleared)} of ${groupDigits(requested)}`;
      this.#context.log.note(`stage ${index + 1} of ${sizes.length}: purged ${done}`);
      if (pause > 0) await this.#context.clock.sleep(pause, this.#context.signal);
    }
  }

  /** Purges, verifies and warms the next URLs; the last stage clears the keys as well. */
  async #purgeStage(
    urls: UrlStages,
    size: number,
    isLast: boolean,
    verification: Verification | undefined,
    warmer: Warmer | undefined,
  ): Promise<void> {
    if (verification !== undefined) {
      const { MAX_PAGES } = await import('./verification.ts');
      await verification.before((await urls.peek(Math.min(size, MAX_PAGES))).map(({ url }) => url));
    }
    const purged: string[] = [];
    const stage = urls.take(size);
    await this.#send(warmer === undefined ? stage : noted(stage, purged), size, event =>
      this.#recordEvent(event),
    );
    if (isLast) await this.#finishSending();
    await verification?.after();
    this.#stale = verification?.stale ?? 0;
    await warmer?.warm(purged);
  }

  /** Clears the keys of a plan, and everything again after `--repeat-after`. */
  async #finishSending(): Promise<void> {
    await this.#clearKeys(event => this.#recordEvent(event));
    await repeatLater(this.#flags, this.#context, async () => {
      const all = this.#journal.all(this.#onDamage);
      await this.#send(all, this.#journal.total, async event => this.#recordRepeat(event));
      await this.#clearKeys(async event => this.#recordRepeat(event));
    });
  }

  /** Why the next stage must not follow; undefined where it may. */
  #problemAfter(stage: number, count: number, warmer: Warmer | undefined): string | undefined {
    const { failed } = this.#result.outcome;
    const problem =
      failed > 0
        ? `${pluralize(failed, 'target')} could not be cleared`
        : this.#stale > 0
          ? this.#staleSentence()
          : warmer?.stopped;
    return problem === undefined ? undefined : `stopped after stage ${stage} of ${count}: ${problem}`;
  }

  #staleSentence(): string {
    const confirmed = this.#planned === undefined ? '' : ', so it is not confirmed';
    return `${pluralize(this.#stale, 'page')} ${this.#stale === 1 ? 'was' : 'were'} stale after the purge${confirmed}`;
  }

  /** Those of these URLs that were purged. */
  async #purgedOf(wanted: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const purged = new Set<string>();
    if (wanted.size === 0) return purged;
    const { requestedUrl } = await import('../../../operations/purge/verification.ts');
    const { cleared, failed } = this.#result.outcome;
    // Without a journal that can be resumed, URLs are sent in order, all of them or those of the first stages.
    const isSent = (index: number) => this.#journal.isSealed || index < cleared + failed;
    for await (const block of this.#journal.all(this.#onDamage))
      for (const { index, url } of block) {
        const requested = requestedUrl(url);
        if (wanted.has(requested) && isSent(index) && !this.#result.hasFailed(url)) purged.add(requested);
      }
    if (this.#journal.isSealed)
      for await (const block of this.#remaining())
        for (const { url } of block) purged.delete(requestedUrl(url));
    return purged;
  }

  async #warmer(): Promise<Warmer> {
    const { Warmer } = await import('./traffic/warmer.ts');
    return await Warmer.open(this.#remaining(), this.#domain, this.#flags, this.#context);
  }

  async #clearKeys(record: (event: ClearEvent) => Promise<void>): Promise<void> {
    const { keys = [] } = this.#planned ?? {};
    if (keys.length === 0) return;
    const kind = await this.#kind('key');
    await this.#clear(batchesOf(keys, kind.batchSize), { kind, what: 'key', count: keys.length }, record);
  }

  /** Stores the purge in the history. */
  async #record(): Promise<void> {
    const { recordPurge } = await import('./history.ts');
    const keys = this.#what === 'key' ? await this.#lines() : (this.#planned?.keys ?? []);
    const { confirmed, ...counts } = this.#result.outcome;
    const id = await recordPurge(
      {
        startedAt: this.#startedAt,
        ...(this.#domain !== undefined && { domain: this.#domain }),
        what: this.#what === 'key' ? 'key' : keys.length > 0 ? 'target' : 'URL',
        ...counts,
        confirmed: confirmed && this.#isDone && this.#stale === 0,
      },
      { ...(this.#what === 'URL' && { urlList: this.#journal.listPath }), keys },
      this.#context,
    );
    await this.#planned?.onEnd({ id, result: this.#result, isDone: this.#isDone, stale: this.#stale });
  }

  async #verification(count: number): Promise<Verification> {
    const { MAX_PAGES, Verification } = await import('./verification.ts');
    const { stage } = this.#flags;
    if (count > MAX_PAGES)
      this.#context.log.note(
        `only the first ${MAX_PAGES} URLs${stage === undefined ? '' : ' of each stage'} are verified`,
      );
    return new Verification(this.#flags, this.#context);
  }

  /** All lines of the journal that can be read. */
  async #lines(): Promise<string[]> {
    const lines: string[] = [];
    for await (const block of this.#journal.all(() => {})) lines.push(...block.map(({ url }) => url));
    return lines;
  }

  /** Clears lines of the journal. */
  async #send(
    lines: AsyncIterable<readonly NumberedUrl[]>,
    count: number,
    record: (event: ClearEvent) => Promise<void>,
  ): Promise<void> {
    const kind = await this.#kind(this.#what);
    const batches = contiguousBatches(lines, kind.batchSize);
    await this.#clear(batches, { kind, what: this.#what, count }, record);
  }

  async #clear(
    batches: AsyncIterable<Batch>,
    { kind, what, count }: { kind: TargetKind; what: 'URL' | 'key'; count: number },
    record: (event: ClearEvent) => Promise<void>,
  ): Promise<void> {
    const progress = this.#context.log.progress(count, `${what}s`);
    const onEvent = async (event: ClearEvent): Promise<void> => {
      this.#result.addRequest();
      await record(event);
      const done = event.batch.targets.length;
      if (event.cleared) progress.advance(done);
      else if (!event.split) progress.advance(done, done);
      await this.#printEvent(event, what, progress);
    };
    try {
      await clearTargets(batches, {
        sender: await this.#context.gateway(),
        requestOf: kind.requestOf,
        concurrency: this.#flags.concurrency,
        split: what === 'URL' && this.#flags.split,
        onErrorText: this.#onErrorText,
        onEvent,
      });
    } finally {
      progress.finish();
    }
  }

  async #recordEvent({ batch, cleared, error, split }: ClearEvent): Promise<void> {
    if (cleared) {
      // Keys of a plan are not in a journal, and a plan's journal is never sealed.
      await this.#journal.confirm(batch.from, batch.targets.length);
      this.#result.addCleared(batch.targets);
      this.#planned?.onCleared(batch.targets);
    } else if (!split && error !== undefined) this.#result.addFailed(batch.targets, error);
  }

  #recordRepeat({ batch, error, split }: ClearEvent): void {
    if (!split && error !== undefined) this.#result.addFailedRepeat(batch.targets, error);
  }

  async #printEvent(
    { batch, cleared, error, split }: ClearEvent,
    what: 'URL' | 'key',
    progress: Progress,
  ): Promise<void> {
    const { globals } = this.#context;
    const format = (await this.#context.settings()).output.value;
    if (format !== 'ndjson' || globals.jq !== undefined) return;
    progress.hide();
    const outcome = cleared ? 'cleared' : split ? 'split' : 'failed';
    const line = {
      [what === 'URL' ? 'urls' : 'keys']: batch.targets.length,
      outcome,
      ...(error && { error: error.message }),
    };
    await this.#context.out.printText(stringifyJson(line));
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
    const without = optionsNotResumed();
    return this.#context.commandLine({ without, withArguments: false, add: ['--resume'] });
  }

  async #release(keep: boolean): Promise<void> {
    await (keep ? this.#journal.close() : this.#journal.remove());
  }

  async #finish(): Promise<void> {
    if (this.#isPaused) this.#context.log.note(`to purge the rest, run: ${this.#resumeCommand()}`);
    await this.#result.finish(this.#context, this.#flags, this.#receiptError);
    if (this.#stopped !== undefined)
      throw new PartialError(this.#stopped, { code: this.#stale > 0 ? 'stale_pages' : 'partial_failure' });
    if (this.#stale > 0) throw new PartialError(this.#staleSentence(), { code: 'stale_pages' });
    if (!this.#isIncomplete) return;
    const lost = pluralize(this.#unreadable ?? 0, this.#what);
    throw new PartialError(
      `${lost} of the damaged journal ${this.#journal.folder} could not be read; delete the journal after purging them`,
      { code: 'partial_failure' },
    );
  }
}

/** Passes blocks on and collects their URLs. */
async function* noted(
  blocks: AsyncIterable<readonly NumberedUrl[]>,
  into: string[],
): AsyncGenerator<readonly NumberedUrl[]> {
  for await (const block of blocks) {
    for (const { url } of block) into.push(url);
    yield block;
  }
}
