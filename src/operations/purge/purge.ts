import type { PurgeJournal } from '../../apis/cdn/journal.ts';
import type { RecordedTargets } from '../../apis/cdn/purged-targets.ts';
import { type CdnSite, purgeDomainRequest } from '../../apis/cdn/requests.ts';
import type { NumberedUrl } from '../../apis/cdn/url-list.ts';
import { UsageError } from '../../errors/index.ts';
import { invariant } from '../../errors/invariant.ts';
import { withLock } from '../../files/lock.ts';
import type { Clock } from '../../http/clock.ts';
import type { GatewayRequest } from '../../http/request.ts';
import type { Sender } from '../../http/sender.ts';
import { pluralize } from '../../terminal/numbers.ts';
import type { Machine } from '../machine.ts';
import {
  type Batch,
  batchesOf,
  type ClearEvent,
  clearTargets,
  contiguousBatches,
  keyTargets,
  type TargetKind,
  urlTargets,
} from './clear-targets.ts';
import type { PurgedLines, PurgeFacts, WeighedPurge } from './purge-counts.ts';
import { PurgeTally } from './tally.ts';
import { stageSizes, UrlStages } from './url-stages.ts';

/** What to purge. */
interface PurgeTargets {
  readonly journal: PurgeJournal;
  readonly what: PurgedLines;
  /** Surrogate keys to clear after the lines of the journal. */
  readonly keys: readonly string[];
  /** The one domain of all targets, where there is one; bare where there are keys. */
  readonly domain: string | undefined;
  /** Whether the journal was there before. */
  readonly isResumed: boolean;
}

/** How to purge. */
interface PurgeOptions {
  /** Whether to send the requests; otherwise a journal that was there before stays as it is. */
  readonly isSending: boolean;
  /** The ends of the stages, as shares from 0 to 1, ascending to 1. */
  readonly stages: readonly number[];
  /** Pause between stages, in milliseconds. */
  readonly pause: number;
  /** Purges everything again after this many seconds. */
  readonly repeatAfter: number | undefined;
  /** Maximum concurrent requests; undefined to adapt to the server. */
  readonly concurrency: number | undefined;
  /** Splits a rejected batch of URLs until the rejected ones are isolated. */
  readonly split: boolean;
}

/** What is known while a purge runs. */
export type PurgeEvent =
  | { readonly kind: 'sending'; readonly what: PurgedLines; readonly count: number }
  | { readonly kind: 'response'; readonly what: PurgedLines; readonly event: ClearEvent }
  | { readonly kind: 'sent' }
  | { readonly kind: 'stage'; readonly stage: number; readonly stages: number }
  | { readonly kind: 'repeating'; readonly seconds: number }
  /** It ended early and can be resumed, unless everything was cleared. */
  | { readonly kind: 'interrupted'; readonly isDone: boolean };

/** What a purge takes besides its targets. */
export interface PurgeWork {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly machine: Machine;
  readonly gateway: () => Promise<Sender>;
  readonly site: () => Promise<CdnSite>;
  /** Called with the error text of a successful response. */
  readonly onErrorText: (text: string) => void;
  readonly report: (event: PurgeEvent) => void | Promise<void>;
  /** Called with all targets before anything is sent. Throws UsageError where they may not be purged. */
  readonly weigh: (purge: WeighedPurge) => Promise<void>;
  /** Stores the purge in the history and returns its id there. */
  readonly record: (facts: PurgeFacts, targets: RecordedTargets) => Promise<string | undefined>;
  /** Called before anything is sent. */
  readonly onStart?: () => Promise<void>;
  /** Called with targets that were cleared. */
  readonly onCleared?: (targets: readonly string[]) => void;
  /** Called at the end, also of an interrupted purge that sent something. */
  readonly onEnd?: (id: string | undefined) => Promise<void>;
}

/** Looks at pages before and after each stage. */
export interface StageWatch {
  /** Called before the next URLs are purged; `peek` returns the first of them. */
  before(peek: (most: number) => Promise<readonly string[]>): Promise<void>;
  /** Called with the URLs that were sent. Returns why the next stage must not follow, if so. */
  after(sent: readonly string[]): Promise<string | undefined>;
  /** Whether `after` reads the URLs that were sent, which takes memory. */
  readonly readsSent: boolean;
  /** Why what was purged is not confirmed, although it was cleared. */
  readonly doubt: string | undefined;
  /** Called at the end of a purge that was not interrupted, with the number of URLs that were to be purged. */
  finish(left: number): Promise<void>;
}

/**
 * A purge of URLs, surrogate keys or a whole domain, from its list to its end. Batches are cleared with the same stop rule whatever they
 * contain (`clearTargets`). The journal is removed once every target was tried, and stays when the purge is interrupted.
 */
export class PurgeRun {
  readonly tally = new PurgeTally();
  readonly #targets: PurgeTargets;
  readonly #options: PurgeOptions;
  readonly #work: PurgeWork;
  readonly #startedAt: string;
  /** Unconfirmed lines that cannot be read; undefined for a journal without damage. */
  #unreadable: number | undefined;
  #isDone = false;
  #stopped: string | undefined;
  #watch: StageWatch | undefined;

  constructor(targets: PurgeTargets, options: PurgeOptions, work: PurgeWork) {
    this.#targets = targets;
    this.#options = options;
    this.#work = work;
    this.#startedAt = new Date(work.clock.now()).toISOString();
  }

  /** Skips the damaged blocks of the journal, which hold `unreadable` unconfirmed lines; with any, the journal stays. */
  skipDamage(unreadable: number): void {
    this.#unreadable = unreadable;
  }

  get unreadable(): number {
    return this.#unreadable ?? 0;
  }

  /** Whether everything was sent. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Why a purge in stages ended early. */
  get stopped(): string | undefined {
    return this.#stopped;
  }

  /** Whether everything was sent and cleared, and no policy denies it. */
  get isConfirmed(): boolean {
    return this.#isDone && this.#watch?.doubt === undefined && this.tally.failures.length === 0;
  }

  /** Whether it ended early and can be resumed. */
  get isPaused(): boolean {
    return this.#stopped !== undefined && this.#targets.journal.isSealed;
  }

  /**
   * Purges under the lock of the journal, after `prepare`, which completes the list; where that resolves to false, nothing is sent and
   * the journal is removed. `watchStages`, if given, is called before the first stage. Returns whether the targets were sent, or passed
   * to `printUnsent` where requests are not to be sent. Throws what any step throws.
   */
  async execute(
    prepare: () => Promise<boolean>,
    printUnsent: (requests: AsyncIterable<GatewayRequest>) => Promise<void>,
    watchStages?: (left: number) => Promise<StageWatch>,
  ): Promise<boolean> {
    const { journal, isResumed } = this.#targets;
    const { isSending } = this.#options;
    let isLocked = false;
    let isPrepared = false;
    let isWeighed = !isSending;
    const locked = withLock(journal.folder, { machine: this.#work.machine, wait: 0 }, async () => {
      isLocked = true;
      if (isResumed && !(await journal.isThere())) throw resumedElsewhere();
      try {
        if (!(await prepare())) return await this.#release(false);
        isPrepared = true;
        if (isSending) await this.weigh();
        isWeighed = true;
        if (isSending) await this.#purgeAndRecord(watchStages);
        else await printUnsent(this.#requests());
      } catch (error) {
        if (isPrepared && !isWeighed) await this.#release(isResumed);
        else await this.#afterInterruption();
        throw error;
      }
      await this.#release(isSending ? this.unreadable > 0 || this.isPaused : isResumed);
    });
    await locked.catch(async error => {
      if (!isLocked) await this.#release(isResumed);
      throw error;
    });
    return isPrepared;
  }

  /** Throws UsageError where the targets that are left may not be purged. */
  async weigh(): Promise<void> {
    const { what, domain, keys } = this.#targets;
    await this.#work.weigh({
      effect: what === 'everything' ? 'irreversible' : 'write',
      domain,
      targets: () => this.targets(),
      urls: what === 'everything' ? undefined : () => this.remaining(),
      keys: keys.length,
    });
  }

  /** The targets that are left, block after block. */
  async *targets(): AsyncGenerator<
    readonly { readonly what: PurgedLines; readonly targets: readonly string[] }[]
  > {
    const { what, keys } = this.#targets;
    for await (const block of this.remaining()) yield [{ what, targets: block.map(({ url }) => url) }];
    if (keys.length > 0) yield [{ what: 'key', targets: keys }];
  }

  /** The lines that are not confirmed. Throws at damage, unless it is skipped. */
  remaining(): AsyncGenerator<readonly NumberedUrl[]> {
    return this.#targets.journal.remaining(this.#onDamage);
  }

  /** Those of these URLs, as `requestedUrl` has them, that were purged. */
  async purgedOf(wanted: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const purged = new Set<string>();
    if (wanted.size === 0) return purged;
    const { requestedUrl } = await import('./verification.ts');
    const { journal } = this.#targets;
    const { cleared, failed } = this.tally.counts;
    // Without a journal that can be resumed, URLs are sent in order, all of them or those of the first stages.
    const isSent = (index: number) => journal.isSealed || index < cleared + failed;
    for await (const block of journal.all(this.#onDamage))
      for (const { index, url } of block) {
        const requested = requestedUrl(url);
        if (wanted.has(requested) && isSent(index) && !this.tally.hasFailed(url)) purged.add(requested);
      }
    if (journal.isSealed)
      for await (const block of this.remaining())
        for (const { url } of block) purged.delete(requestedUrl(url));
    return purged;
  }

  async *#requests(): AsyncGenerator<GatewayRequest> {
    const { what, keys } = this.#targets;
    const kind = await this.#kind(what);
    for await (const { targets } of contiguousBatches(this.remaining(), kind.batchSize))
      yield kind.requestOf(targets);
    if (keys.length === 0) return;
    const ofKeys = await this.#kind('key');
    for await (const { targets } of batchesOf(keys, ofKeys.batchSize)) yield ofKeys.requestOf(targets);
  }

  async #kind(what: PurgedLines): Promise<TargetKind> {
    const site = await this.#work.site();
    if (what === 'URL') return urlTargets(site);
    if (what === 'key') return keyTargets(site, this.#targets.domain ?? '');
    return { batchSize: 1, requestOf: ([domain = '']) => purgeDomainRequest(site, domain) };
  }

  async #purgeAndRecord(watchStages: ((left: number) => Promise<StageWatch>) | undefined): Promise<void> {
    await this.#work.onStart?.();
    try {
      await this.#purge(watchStages);
    } finally {
      const { cleared, failed } = this.tally.counts;
      if (cleared > 0 || failed > 0 || this.#isDone) {
        const id = await this.#record();
        await this.#work.onEnd?.(id);
      }
    }
  }

  async #purge(watchStages: ((left: number) => Promise<StageWatch>) | undefined): Promise<void> {
    const { journal, keys } = this.#targets;
    const left = journal.total - this.unreadable - (await journal.confirmedCount());
    this.tally.addRequested(left + keys.length);
    this.#watch = await watchStages?.(left);
    const urls = new UrlStages(this.remaining());
    try {
      await this.#purgeStages(urls, stageSizes(left, this.#options.stages));
    } finally {
      await urls.close();
    }
    await this.#watch?.finish(left);
    this.#isDone = this.#stopped === undefined;
  }

  async #purgeStages(urls: UrlStages, sizes: readonly number[]): Promise<void> {
    const { clock, signal, report } = this.#work;
    for (const [index, size] of sizes.entries()) {
      const isLast = index === sizes.length - 1;
      if (size === 0 && !isLast) continue;
      const problem = await this.#purgeStage(urls, size, isLast);
      if (isLast) return;
      const { failed } = this.tally.counts;
      const stage = index + 1;
      if (failed > 0 || problem !== undefined) {
        const why = failed > 0 ? `${pluralize(failed, 'target')} could not be cleared` : problem;
        this.#stopped = `stopped after stage ${stage} of ${sizes.length}: ${why}`;
        return;
      }
      await report({ kind: 'stage', stage, stages: sizes.length });
      if (this.#options.pause > 0) await clock.sleep(this.#options.pause, signal);
    }
  }

  /** Purges the next URLs; the last stage clears the keys as well. Returns why the next stage must not follow. */
  async #purgeStage(urls: UrlStages, size: number, isLast: boolean): Promise<string | undefined> {
    const watch = this.#watch;
    await watch?.before(async most => (await urls.peek(Math.min(size, most))).map(({ url }) => url));
    const sent: string[] = [];
    const stage = urls.take(size);
    const record = (event: ClearEvent) => this.#recordEvent(event);
    await this.#sendLines(watch?.readsSent ? withNotes(stage, sent) : stage, size, record);
    if (isLast) await this.#finishSending();
    return await watch?.after(sent);
  }

  /** Clears the keys, and everything again after a pause if that was requested. */
  async #finishSending(): Promise<void> {
    await this.#sendKeys(event => this.#recordEvent(event));
    const { repeatAfter: seconds } = this.#options;
    if (seconds === undefined) return;
    const { clock, signal, report } = this.#work;
    await report({ kind: 'repeating', seconds });
    await clock.sleep(seconds * 1000, signal);
    const { journal } = this.#targets;
    const record = async (event: ClearEvent) => this.tally.addRepeated(event);
    await this.#sendLines(journal.all(this.#onDamage), journal.total, record);
    await this.#sendKeys(record);
  }

  async #sendLines(
    lines: AsyncIterable<readonly NumberedUrl[]>,
    count: number,
    record: (event: ClearEvent) => Promise<void>,
  ): Promise<void> {
    const { what } = this.#targets;
    const kind = await this.#kind(what);
    await this.#send(contiguousBatches(lines, kind.batchSize), { kind, what, count }, record);
  }

  async #sendKeys(record: (event: ClearEvent) => Promise<void>): Promise<void> {
    const { keys } = this.#targets;
    if (keys.length === 0) return;
    const kind = await this.#kind('key');
    await this.#send(batchesOf(keys, kind.batchSize), { kind, what: 'key', count: keys.length }, record);
  }

  async #send(
    batches: AsyncIterable<Batch>,
    { kind, what, count }: { kind: TargetKind; what: PurgedLines; count: number },
    record: (event: ClearEvent) => Promise<void>,
  ): Promise<void> {
    const { report, onErrorText, gateway } = this.#work;
    await report({ kind: 'sending', what, count });
    try {
      await clearTargets(batches, {
        sender: await gateway(),
        requestOf: kind.requestOf,
        concurrency: this.#options.concurrency,
        split: what === 'URL' && this.#options.split,
        onErrorText,
        onEvent: async event => {
          await record(event);
          await report({ kind: 'response', what, event });
        },
      });
    } finally {
      await report({ kind: 'sent' });
    }
  }

  async #recordEvent(event: ClearEvent): Promise<void> {
    this.tally.add(event);
    if (!event.cleared) return;
    const { from, targets } = event.batch;
    // Keys after the lines are not in the journal, which is not sealed then.
    await this.#targets.journal.confirm(from, targets.length);
    this.#work.onCleared?.(targets);
  }

  /** Stores the purge in the history. */
  async #record(): Promise<string | undefined> {
    const { journal, what, domain, keys } = this.#targets;
    const { requests: _, ...counts } = this.tally.counts;
    invariant(
      counts.cleared >= 0 && counts.cleared + counts.failed <= counts.requested,
      `${counts.cleared} cleared and ${counts.failed} failed of ${counts.requested}`,
    );
    const facts = {
      startedAt: this.#startedAt,
      ...(domain !== undefined && { domain }),
      what: what === 'URL' && keys.length > 0 ? ('target' as const) : what,
      ...counts,
      confirmed: this.isConfirmed,
      finishedAt: new Date(this.#work.clock.now()).toISOString(),
    };
    const uncleared = counts.cleared < counts.requested ? { uncleared: this.#uncleared() } : {};
    if (what === 'everything') return await this.#work.record(facts, { domain: domain ?? '', ...uncleared });
    const recorded = what === 'key' ? await this.#lines() : keys;
    const urls = what === 'URL' ? { urlList: journal.listPath } : {};
    return await this.#work.record(facts, { ...urls, keys: recorded, ...uncleared });
  }

  /** The targets that failed, and of a purge that ended early all that may not be cleared. */
  async *#uncleared(): AsyncGenerator<readonly string[]> {
    yield this.tally.failures.map(({ target }) => target);
    if (this.#isDone) return;
    for await (const block of this.remaining()) yield block.map(({ url }) => url);
    yield this.#targets.keys;
  }

  /** All lines of the journal that can be read. */
  async #lines(): Promise<string[]> {
    const lines: string[] = [];
    for await (const block of this.#targets.journal.all(() => {})) lines.push(...block.map(({ url }) => url));
    return lines;
  }

  get #onDamage(): (() => void) | undefined {
    return this.#unreadable === undefined ? undefined : () => {};
  }

  async #afterInterruption(): Promise<void> {
    const { journal, isResumed } = this.#targets;
    const { isSending } = this.#options;
    if (!isSending || !journal.isSealed) return await this.#release(isResumed && !isSending);
    const isDone = (await journal.confirmedCount()) === journal.total;
    await this.#work.report({ kind: 'interrupted', isDone });
    await this.#release(!isDone);
  }

  async #release(keep: boolean): Promise<void> {
    const { journal } = this.#targets;
    await (keep ? journal.close() : journal.remove());
  }
}

/** The error of an interrupted purge that another process has purged since it was found. */
export function resumedElsewhere(): UsageError {
  return new UsageError('another process has completed the interrupted purge; nothing was sent', {
    code: 'cannot_resume',
  });
}

/** Passes blocks on and collects their URLs. */
async function* withNotes(
  blocks: AsyncIterable<readonly NumberedUrl[]>,
  into: string[],
): AsyncGenerator<readonly NumberedUrl[]> {
  for await (const block of blocks) {
    for (const { url } of block) into.push(url);
    yield block;
  }
}
