import type { WorkerMetrics } from '../../../../sync/engine/metrics.ts';
import type { UnitJob } from '../../../../sync/engine/unit-job.ts';
import type { UnitOutcome } from '../../../../sync/engine/worker-options.ts';
import { groupDigits, pluralize } from '../../../../terminal/numbers.ts';
import type { Context } from '../../../framework/context.ts';

type Fields = Readonly<Record<string, string | number | null>>;

/** Characters of a unit's id in a log: enough to find it. */
const ID_LENGTH = 12;

/** What a worker writes to stderr: lines for people, or one JSON object a line. */
export class WorkerLog {
  readonly #format: 'text' | 'json';
  readonly #account: string;
  readonly #context: Context;

  constructor(format: 'text' | 'json', account: string, context: Context) {
    this.#format = format;
    this.#account = account;
    this.#context = context;
  }

  ready(concurrency: number): void {
    this.#write('info', 'worker_ready', { concurrency }, `account ${this.#account}: waiting for units`);
  }

  started(id: string, job: UnitJob): void {
    if (this.#format === 'json' || this.#context.globals.verbose)
      this.#write('debug', 'unit_started', unitFields(id, job), `${nameOf(id, job)} started`);
  }

  finished({
    result,
    id,
    job,
    ms,
    partitions,
    changes,
    rows,
    requests,
    rest,
    error,
    attempt,
  }: UnitOutcome): void {
    const fields = {
      ...unitFields(id, job),
      ...{ result, attempt, ms, partitions, ...changes, rows, requests, rest },
      ...(error !== undefined && { error }),
    };
    const unit = nameOf(id, job);
    const done = `${pluralize(partitions, 'partition')}, ${pluralize(rows, 'row')}, ${groupDigits(ms)} ms`;
    const text = {
      done: `${unit} done: ${done}`,
      returned: `${unit} returned to the queue: ${error}`,
      lost: `${unit} is lost: ${error}`,
      failed: `${unit} failed and is tried again: ${error}`,
      set_aside: `${unit} is set aside: ${error}`,
    };
    const level = result === 'done' || result === 'returned' ? 'info' : 'warning';
    this.#write(level, `unit_${result}`, fields, text[result]);
  }

  paused(ms: number, rate: number | undefined): void {
    const slower = rate === undefined ? '' : `, then at most ${Number(rate.toPrecision(3))} units a second`;
    this.#write(
      'warning',
      'rate_limited',
      { pause_ms: ms, rate: rate ?? null },
      `the gateway's rate limit is reached: all workers of the account pause for ${(ms / 1000).toFixed(1)} s${slower}`,
    );
  }

  widened(table: string, version: number, changes: readonly string[]): void {
    const text = `${table}, version ${version} of its column types: ${changes.join(', ')}`;
    this.#write('info', 'types_widened', { table, version, changes: changes.join(', ') }, text);
  }

  engineFailed(message: string): void {
    this.#write('warning', 'engine_failed', { error: message }, `the queue failed: ${message}; trying again`);
  }

  limitsLost(): void {
    const text =
      'the queue lost its limits, as when its server was emptied: they are set again; submit the plan again';
    this.#write('warning', 'limits_lost', {}, text);
  }

  stopping(): void {
    this.#write('info', 'worker_stopping', {}, 'stopping when the units in progress are finished');
  }

  ended({ results, totals }: WorkerMetrics): void {
    const { done, failed, set_aside, returned, lost } = results;
    const text = `${pluralize(done, 'unit')} done, ${failed + set_aside} failed, ${returned} returned${lost === 0 ? '' : `, ${lost} lost`}; ${pluralize(totals.partitions, 'partition')}, ${pluralize(totals.rows, 'row')}, ${pluralize(totals.requests, 'request')}`;
    this.#write('info', 'worker_ended', { ...results, ...totals }, text);
  }

  #write(level: 'debug' | 'info' | 'warning', event: string, fields: Fields, text: string): void {
    const { log, clock, redactor, io, globals } = this.#context;
    if (this.#format === 'text') {
      if (level === 'warning') log.warn(text);
      else log.info(text);
      return;
    }
    if (globals.quiet && level !== 'warning') return;
    const line = {
      time: new Date(clock.now()).toISOString(),
      level,
      event,
      account: this.#account,
      ...fields,
    };
    // Not folded to the width of a terminal, and each string redacted by itself, so that a line stays JSON.
    const redacted = Object.entries(line).map(([name, value]) => [
      name,
      typeof value === 'string' ? redactor.redact(value) : value,
    ]);
    io.stderr.write(`${JSON.stringify(Object.fromEntries(redacted))}\n`);
  }
}

function nameOf(id: string, { table, domain, from, to }: UnitJob): string {
  return `${id.slice(0, ID_LENGTH)} ${table} of ${domain} ${from} to ${to}`;
}

function unitFields(unit: string, { table, domain, domain_id, from, to, destination }: UnitJob): Fields {
  return { unit, table, domain, domain_id, from, to, destination };
}
