import type { PurgeJournal } from '../../../apis/cdn/journal.ts';
import { PartialError } from '../../../errors/index.ts';
import { stringifyJson } from '../../../json/index.ts';
import type { ClearEvent } from '../../../operations/purge/clear-targets.ts';
import { type PurgeEvent, PurgeRun } from '../../../operations/purge/purge.ts';
import type { PurgedLines } from '../../../operations/purge/purge-counts.ts';
import { groupDigits, pluralize } from '../../../terminal/numbers.ts';
import type { Progress } from '../../../terminal/progress.ts';
import type { Context } from '../../framework/context.ts';
import { purgeWork } from '../../framework/purge-work.ts';
import { isUnsent, type PurgeFlags } from './flags.ts';
import { optionsNotResumed } from './modes.ts';
import { PurgeResult } from './result.ts';
import type { PurgeWatch } from './stage-watch.ts';

/** What a purge of changes adds to another purge. */
export interface PlannedRun {
  /** Surrogate keys to clear after the URLs. */
  readonly keys: readonly string[];
  /** Called before anything is sent. */
  onStart(): Promise<void>;
  /** Called with targets that were cleared. */
  onCleared(targets: readonly string[]): void;
  /** Called at the end, also of an interrupted run, with the id in the history. */
  onEnd(id: string | undefined): Promise<void>;
}

interface PurgeParts {
  /** The one that all targets are on, where there is one. */
  readonly domain: string | undefined;
  readonly isResumed: boolean;
  readonly what?: PurgedLines;
  readonly planned?: PlannedRun;
}

/** A purge as the command line requests it: its flags become an operation, whose events and end are printed. */
export class PrintedPurge {
  readonly result: PurgeResult;
  readonly #run: PurgeRun;
  readonly #journal: PurgeJournal;
  readonly #flags: PurgeFlags;
  readonly #context: Context;
  readonly #domain: string | undefined;
  readonly #what: PurgedLines;
  readonly #planned: PlannedRun | undefined;
  #watch: PurgeWatch | undefined;
  #progress: Progress | undefined;

  constructor(
    journal: PurgeJournal,
    flags: PurgeFlags,
    context: Context,
    { domain, isResumed, what = 'URL', planned }: PurgeParts,
  ) {
    this.#journal = journal;
    this.#flags = flags;
    this.#context = context;
    this.#domain = domain;
    this.#what = what;
    this.#planned = planned;
    const { stage: stages = [1], pause, repeatAfter, concurrency, split } = flags;
    const keys = planned?.keys ?? [];
    this.#run = new PurgeRun(
      { journal, what, keys, domain, isResumed },
      { isSending: this.#isSending, stages, pause, repeatAfter, concurrency, split },
      {
        ...purgeWork(context),
        report: event => this.#print(event),
        onCleared: targets => {
          this.result.addCleared(targets);
          planned?.onCleared(targets);
        },
        ...(planned && { onStart: () => planned.onStart(), onEnd: id => planned.onEnd(id) }),
      },
    );
    const subject = { what: keys.length > 0 ? ('target' as const) : what, domain };
    this.result = new PurgeResult(subject, this.#run.tally);
  }

  /** Purges what `prepare` lists, and prints the outcome. Throws what any step throws, and PartialError. */
  async execute(prepare: () => Promise<boolean>): Promise<void> {
    const { verify, warm, dryRun, planOut } = this.#flags;
    const isWatched = verify || warm !== undefined;
    const isPrepared = await this.#run.execute(
      prepare,
      async requests => {
        if (planOut !== undefined) return await this.#plan();
        const { printUnsent } = await import('./unsent-requests.ts');
        await printUnsent(requests, dryRun, this.#context);
      },
      isWatched ? left => this.#open(left) : undefined,
    );
    if (isPrepared && this.#isSending) await this.#finish();
  }

  /**
   * Prints the impact of the remaining URLs, if the flags request it. Call it before the journal is sealed. Throws UsageError for
   * more than `--max-impact`, and with it for what has no figures.
   */
  async checkImpact(): Promise<void> {
    if (!this.#flags.impact && this.#flags.maxImpact === undefined) return;
    const { checkImpact } = await import('./traffic/impact.ts');
    const pages = this.#what === 'everything' ? undefined : this.#journal;
    const targets = { pages, keys: this.#planned?.keys.length ?? 0, domain: this.#domain };
    const impact = await checkImpact(targets, this.#flags, this.#context);
    if (impact !== undefined) this.result.describe(impact.fields, impact.section);
  }

  /** Skips the damaged blocks of the journal, which hold `unreadable` unconfirmed URLs; with any, the journal stays. */
  skipDamage(unreadable: number): void {
    this.#run.skipDamage(unreadable);
  }

  /** Whether everything was sent and cleared, and no page was found stale. */
  get isConfirmed(): boolean {
    return this.#run.isConfirmed;
  }

  /** Whether pages were found stale after the purge. */
  get isDoubtful(): boolean {
    return this.#watch?.doubt !== undefined;
  }

  /** Such as `300 of 1,000 URLs`. */
  async progress(): Promise<string> {
    return `${groupDigits(await this.#journal.confirmedCount())} of ${pluralize(this.#journal.total, this.#what)}`;
  }

  get #isSending(): boolean {
    return !isUnsent(this.#flags, this.#context);
  }

  async #plan(): Promise<void> {
    const { printPlan } = await import('../../framework/make-plan.ts');
    const targets: string[] = [];
    for await (const block of this.#run.remaining()) targets.push(...block.map(({ url }) => url));
    await printPlan(
      this.#flags,
      {
        ...{
          kind: 'purge',
          what: this.#what,
          domain: this.#domain,
          targets,
          keys: this.#planned?.keys ?? [],
        },
        maxImpact: this.#flags.maxImpact?.text,
      },
      this.#context,
    );
  }

  async #open(left: number): Promise<PurgeWatch> {
    const { watchStages } = await import('./stage-watch.ts');
    const [domain, run, result] = [this.#domain, this.#run, this.result];
    const kind = { isEverything: this.#what === 'everything', isConfirmed: this.#planned !== undefined };
    this.#watch = await watchStages(left, { domain, run, result, ...kind }, this.#flags, this.#context);
    return this.#watch;
  }

  async #print(event: PurgeEvent): Promise<void> {
    const { log } = this.#context;
    switch (event.kind) {
      case 'sending':
        this.#progress =
          event.what === 'everything' ? undefined : log.progress(event.count, `${event.what}s`);
        return;
      case 'response':
        return await this.#printResponse(event.event, event.what);
      case 'sent':
        this.#progress?.finish();
        return;
      case 'stage': {
        const { cleared, requested } = this.#run.tally.counts;
        const done = `${groupDigits(cleared)} of ${groupDigits(requested)}`;
        return log.note(`stage ${event.stage} of ${event.stages}: purged ${done}`);
      }
      case 'repeating':
        return log.note(`purging again in ${event.seconds} s`);
      case 'interrupted': {
        const next = event.isDone ? '' : `; to resume, run: ${this.#resumeCommand()}`;
        return log.note(`cleared ${await this.progress()}${next}`);
      }
    }
  }

  async #printResponse({ batch, cleared, error, split }: ClearEvent, what: PurgedLines): Promise<void> {
    const progress = this.#progress;
    const done = batch.targets.length;
    if (cleared) progress?.advance(done);
    else if (!split) progress?.advance(done, done);
    const format = (await this.#context.settings()).output.value;
    if (format !== 'ndjson' || this.#context.globals.jq !== undefined || what === 'everything') return;
    progress?.hide();
    const line = {
      [what === 'URL' ? 'urls' : 'keys']: done,
      outcome: cleared ? 'cleared' : split ? 'split' : 'failed',
      ...(error && { error: error.message }),
    };
    await this.#context.out.printText(stringifyJson(line));
  }

  #resumeCommand(): string {
    const without = optionsNotResumed();
    return this.#context.commandLine({ without, withArguments: false, add: ['--resume'] });
  }

  async #finish(): Promise<void> {
    const { stopped, unreadable, isPaused } = this.#run;
    if (isPaused) this.#context.log.note(`to purge the rest, run: ${this.#resumeCommand()}`);
    await this.result.finish(this.#context, this.#flags, this.#watch?.receiptError);
    const problem = stopped ?? this.#watch?.doubt;
    if (problem !== undefined)
      throw new PartialError(problem, { code: this.isDoubtful ? 'stale_pages' : 'partial_failure' });
    if (unreadable === 0) return;
    throw new PartialError(
      `${pluralize(unreadable, this.#what)} of the damaged journal ${this.#journal.folder} could not be read; delete the journal after purging them`,
      { code: 'partial_failure' },
    );
  }
}
