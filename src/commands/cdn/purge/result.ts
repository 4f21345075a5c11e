import { writeAtomic } from '../../../files/atomic-file.ts';
import { isList, type JsonRecord } from '../../../json/index.ts';
import { type PurgeTally, purgeRecord } from '../../../operations/purge/tally.ts';
import type { Outcome } from '../../../output/view.ts';
import { groupDigits, pluralize } from '../../../terminal/numbers.ts';
import type { Context, OutputSection } from '../../framework/context.ts';

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

/** Prints what a purge did, at its end. */
export class PurgeResult {
  readonly #subject: PurgeSubject;
  readonly #tally: PurgeTally;
  readonly #shown: string[] = [];
  readonly #described: OutputSection[] = [];
  #fields: JsonRecord = {};

  constructor(subject: PurgeSubject, tally: PurgeTally) {
    this.#subject = subject;
    this.#tally = tally;
  }

  /** Adds fields to the JSON output, and a first section to the output for people. */
  describe(fields: JsonRecord, section?: OutputSection): void {
    this.#fields = { ...this.#fields, ...fields };
    if (section !== undefined) this.#described.push(section);
  }

  /** Shows the first targets that were cleared. */
  addCleared(targets: readonly string[]): void {
    if (this.#shown.length < MAX_TARGETS_SHOWN)
      this.#shown.push(...targets.slice(0, MAX_TARGETS_SHOWN - this.#shown.length));
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
    const { shortfall } = this.#tally;
    if (shortfall !== undefined) throw shortfall;
  }

  async #summarize(path: string | undefined, context: Context): Promise<unknown> {
    if (path === undefined) return undefined;
    const { summarizePurge } = await import('./job-summary.ts');
    const { requested, cleared, failed } = this.#tally.counts;
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
    const failed = this.#tally.failures;
    const counts = { ...this.#tally.counts };
    const failures = failed.map(({ target, error }) => ({ target, error: error.message }));
    const sections: OutputSection[] = [
      ...this.#described,
      { title: this.#title(), data: counts, view: { columns: COUNTS, outcome: this.#outcome() } },
      ...(what === 'everything' ? [] : this.#clearedSection()),
    ];
    const data = { ...purgeRecord(domain, this.#tally), ...this.#fields };
    if (failures.length === 0) return await out.printResult(data, sections, failures);
    sections.push({ title: 'Not cleared', data: failures, view: { columns: FAILURES, outcome: 'bad' } });
    await out.printSections(data, sections, failures);
  }

  /** `Purge of 3 URLs on example.com`. */
  #title(): string {
    const { what, domain } = this.#subject;
    const targets = what === 'everything' ? 'everything' : pluralize(this.#tally.counts.requested, what);
    return domain === undefined ? `Purge of ${targets}` : `Purge of ${targets} on ${domain}`;
  }

  #outcome(): Outcome {
    const { failed, cleared } = this.#tally.counts;
    return failed === 0 ? 'good' : cleared === 0 ? 'bad' : 'warning';
  }

  #clearedSection(): OutputSection[] {
    const more = this.#tally.counts.cleared - this.#shown.length;
    const lines = more > 0 ? [...this.#shown, `and ${groupDigits(more)} more`] : this.#shown;
    return lines.length === 0
      ? []
      : [{ title: 'Cleared', data: lines, view: { prose: true, outcome: 'good' } }];
  }

  async #writeFailed(path: string | undefined): Promise<unknown> {
    if (path === undefined) return undefined;
    const lines = this.#tally.failures.map(({ target }) => `${target}\n`);
    return await writeAtomic(path, lines.join('')).then(
      () => undefined,
      error => error,
    );
  }
}
