import { type GatectlError, PartialError } from '../../../errors/index.ts';
import { writeAtomic } from '../../../files/atomic-file.ts';
import { isList, type JsonRecord } from '../../../json/index.ts';
import type { Outcome } from '../../../output/view.ts';
import { groupDigits, pluralize } from '../../../terminal/numbers.ts';
import type { Context, OutputSection } from '../../framework/context.ts';

interface Failure {
  readonly target: string;
  readonly error: GatectlError;
}

/** What is purged: some of a domain, or all of it. */
interface PurgeSubject {
  readonly what: 'URL' | 'key' | 'target' | 'everything';
  /** The one domain of all targets, where there is one. */
  readonly domain: string | undefined;
}

const COUNTS = ['requested', 'cleared', 'failed', 'requests'].map(key => ({ key, kind: 'number' }) as const);

const FAILURES = [
  { key: 'target', title: 'Target' },
  { key: 'error', title: 'Error' },
];

/** Targets that the output lists: those of a longer list are in the user's own file. */
const MAX_TARGETS_SHOWN = 10;

/** Counts what a purge did, and prints it at the end. */
export class PurgeResult {
  readonly #subject: PurgeSubject;
  readonly #failures: Failure[] = [];
  readonly #shown: string[] = [];
  readonly #described: OutputSection[] = [];
  #fields: JsonRecord = {};
  #requested = 0;
  #cleared = 0;
  #requests = 0;

  constructor(subject: PurgeSubject) {
    this.#subject = subject;
  }

  get cleared(): number {
    return this.#cleared;
  }

  /** The counts, and whether nothing failed. */
  get outcome(): { requested: number; cleared: number; failed: number; confirmed: boolean } {
    const failed = this.#failures.length;
    return { requested: this.#requested, cleared: this.#cleared, failed, confirmed: failed === 0 };
  }

  /** Whether a target could not be cleared. */
  hasFailed(target: string): boolean {
    return this.#failures.some(failure => failure.target === target);
  }

  /** Adds fields to the JSON output, and a first section to the output for people. */
  describe(fields: JsonRecord, section?: OutputSection): void {
    this.#fields = { ...this.#fields, ...fields };
    if (section !== undefined) this.#described.push(section);
  }

  addRequested(count: number): void {
    this.#requested += count;
  }

  addRequest(): void {
    this.#requests += 1;
  }

  addCleared(targets: readonly string[]): void {
    this.#cleared += targets.length;
    if (this.#shown.length < MAX_TARGETS_SHOWN)
      this.#shown.push(...targets.slice(0, MAX_TARGETS_SHOWN - this.#shown.length));
  }

  addFailed(targets: readonly string[], error: GatectlError): void {
    for (const target of targets) this.#failures.push({ target, error });
  }

  /** Counts cleared targets as failed: they could not be cleared again after the pause. */
  addFailedRepeat(targets: readonly string[], error: GatectlError): void {
    const known = new Set(this.#failures.map(({ target }) => target));
    const cleared = targets.filter(target => !known.has(target));
    this.#cleared -= cleared.length;
    this.addFailed(cleared, error);
  }

  /**
   * Prints the outcome, writes the failed targets to `failedFile` and adds the outcome to `summary`. Throws what could not be written, `receiptError`
   * included; otherwise PartialError when some targets failed, and the failure itself when all did.
   */
  async finish(
    context: Context,
    {
      failedFile,
      summary,
    }: { readonly failedFile: string | undefined; readonly summary: string | undefined },
    receiptError?: unknown,
  ): Promise<void> {
    // Before the output: stdout may be closed, and a list that cannot be written is still printed.
    const failedError = await this.#writeFailed(failedFile);
    const writeError = failedError ?? (await this.#summarize(summary, context)) ?? receiptError;
    const format = (await context.settings()).output.value;
    if (format !== 'ndjson' || context.globals.jq !== undefined) await this.#print(context);
    if (writeError !== undefined) throw writeError;
    const [first] = this.#failures;
    if (first === undefined) return;
    if (this.#cleared === 0) throw first.error;
    throw new PartialError(`${this.#failures.length} of ${this.#requested} could not be cleared`, {
      code: 'partial_failure',
    });
  }

  async #summarize(path: string | undefined, context: Context): Promise<unknown> {
    if (path === undefined) return undefined;
    const { summarizePurge } = await import('./job-summary.ts');
    const { requested, cleared, failed } = this.outcome;
    const reasons = isList(this.#fields.reasons)
      ? this.#fields.reasons.filter(each => typeof each === 'string')
      : [];
    return await summarizePurge(
      path,
      { ...this.#subject, requested, cleared, failed, reasons },
      context,
    ).then(
      () => undefined,
      error => error,
    );
  }

  async #print({ out }: Context): Promise<void> {
    const { what, domain } = this.#subject;
    const failures = this.#failures.map(({ target, error }) => ({ target, error: error.message }));
    const counts = {
      requested: this.#requested,
      cleared: this.#cleared,
      failed: failures.length,
      requests: this.#requests,
    };
    const sections: OutputSection[] = [
      ...this.#described,
      { title: this.#title(), data: counts, view: { columns: COUNTS, outcome: this.#outcome() } },
      ...(what === 'everything' ? [] : this.#clearedSection()),
    ];
    const data = { ...(domain !== undefined && { domain }), ...counts, failures, ...this.#fields };
    if (failures.length === 0) return await out.printResult(data, sections, failures);
    sections.push({ title: 'Not cleared', data: failures, view: { columns: FAILURES, outcome: 'bad' } });
    await out.printSections(data, sections, failures);
  }

  /** `Purge of 3 URLs on example.com`. */
  #title(): string {
    const { what, domain } = this.#subject;
    const targets = what === 'everything' ? 'everything' : pluralize(this.#requested, what);
    return domain === undefined ? `Purge of ${targets}` : `Purge of ${targets} on ${domain}`;
  }

  #outcome(): Outcome {
    if (this.#failures.length === 0) return 'good';
    return this.#cleared === 0 ? 'bad' : 'warning';
  }

  #clearedSection(): OutputSection[] {
    const more = this.#cleared - this.#shown.length;
    const lines = more > 0 ? [...this.#shown, `and ${groupDigits(more)} more`] : this.#shown;
    return lines.length === 0
      ? []
      : [{ title: 'Cleared', data: lines, view: { prose: true, outcome: 'good' } }];
  }

  async #writeFailed(path: string | undefined): Promise<unknown> {
    if (path === undefined) return undefined;
    const lines = this.#failures.map(({ target }) => `${target}\n`);
    return await writeAtomic(path, lines.join('')).then(
      () => undefined,
      error => error,
    );
  }
}
