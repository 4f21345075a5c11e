import { resolve } from 'node:path';
import { type GatectlError, PartialError } from '../../../errors/index.ts';
import { UnrepresentableValueError } from '../../../export/unrepresentable-value.ts';
import type { Json } from '../../../json/index.ts';
import { BrokenContractError } from '../../../sync/contracts/broken-contract.ts';
import { earlierTypesError } from '../../../sync/converge.ts';
import { SupersededError } from '../../../sync/unit-guard.ts';
import type { RunResult } from '../../../sync/unit-pool.ts';
import { groupDigits, pluralize } from '../../../terminal/numbers.ts';
import type { Context, OutputSection } from '../../framework/context.ts';
import { machineClock } from '../../framework/lock-machine.ts';
import { DAYS_COLUMNS, numberColumns, textColumns } from './columns.ts';

/** What a run did. */
export interface Ran extends RunResult {
  /** The destination, as messages name it. */
  readonly name: string;
}

/**
 * Runs `work`, and writes metrics of it to a file, if there is to be one, whatever becomes of it. `work` reports what the run did, as soon
 * as that is known. Throws what `work` throws, and FileError.
 */
export async function withRunMetrics(
  { command, metrics }: { readonly command: 'run' | 'sweep'; readonly metrics: string | undefined },
  context: Context,
  work: (report: (ran: Ran) => void) => Promise<void>,
): Promise<void> {
  const clock = machineClock(context);
  const startedAt = clock.now();
  let result: RunResult | undefined;
  const write = async (isComplete: boolean) => {
    if (metrics === undefined) return;
    const { runMetrics, writeMetrics } = await import('../../../sync/engine/metrics.ts');
    const facts = { command, result, isComplete, startedAt, endedAt: clock.now() };
    await writeMetrics(resolve(context.io.cwd, metrics), runMetrics(facts));
  };
  try {
    await work(ran => {
      result = ran;
    });
  } catch (error) {
    await write(false).catch(problem => context.log.warn(`cannot write the metrics: ${problem.message}`));
    throw error;
  }
  await write(true);
}

/** Prints what a run did. Throws PartialError for failed units, or the first failure if nothing succeeded. */
export async function printResult(
  { name, tables, failures, isConverged, left }: Ran,
  { out, log }: Context,
): Promise<void> {
  const rows = tables.map(({ table, partitions, added, changed, unchanged, rows, requests, failed }) => ({
    table,
    partitions,
    added,
    changed,
    unchanged,
    failed,
    rows,
    requests,
  }));
  const failed = failures.map(({ table, domain, days, error }) => ({
    table,
    domain,
    from: days.from,
    to: days.to,
    error: error.message,
    ...(error instanceof BrokenContractError && error.isKept && { quarantined: true }),
  }));
  const sum = (name: 'partitions' | 'added' | 'changed' | 'unchanged' | 'failed') =>
    rows.reduce((total, counts) => total + counts[name], 0);
  const done = sum('partitions');
  const unchanged = sum('unchanged');
  const written = `${pluralize(sum('added') + sum('changed'), 'partition')} written to ${name}`;
  const others = { unchanged, failed: sum('failed') };
  const counted = Object.entries(others).map(([what, count]) => count > 0 && `${groupDigits(count)} ${what}`);
  const title = [written, ...counted.filter(Boolean)].join(', ');
  const sections: OutputSection[] = [
    {
      title,
      data: rows,
      view: {
        columns: [
          ...textColumns({ table: 'Table' }),
          ...numberColumns({ partitions: 'Partitions', added: 'Added', changed: 'Changed' }),
          ...numberColumns({ unchanged: 'Unchanged', failed: 'Failed', rows: 'Rows', requests: 'Requests' }),
        ],
      },
    },
  ];
  const data: Json = { destination: name, tables: rows, failures: failed, ...(left > 0 && { left }) };
  const [first] = failures;
  if (first === undefined) {
    await out.printResult(data, sections, rows);
    if (left > 0)
      throw new PartialError(
        `${pluralize(left, 'partition')} left at the deadline; run it again to request them`,
        {
          code: 'partial_failure',
        },
      );
    if (!isConverged) throw earlierTypesError({ name });
    return;
  }
  sections.push({
    title: 'Failed',
    data: failed,
    view: { columns: [...DAYS_COLUMNS, ...textColumns({ error: 'Error' })], outcome: 'bad' },
  });
  await out.printSections(data, sections, rows);
  if (!isConverged && failures.some(({ error }) => error instanceof BrokenContractError))
    log.warn(
      'files that were not replaced have earlier column types than their table: read them with union_by_name = true',
    );
  throw failureOf(failures, { done, lost: others.failed });
}

/** The error of a run of which some partitions failed: the first one where nothing else was done. */
function failureOf(
  failures: RunResult['failures'],
  { done, lost }: { readonly done: number; readonly lost: number },
): GatectlError {
  const errors = failures.map(({ error }) => error);
  const broken = errors.filter(error => error instanceof BrokenContractError);
  if (done === 0 && broken.length === 0 && errors[0] !== undefined) return errors[0];
  const all = `${groupDigits(lost)} of ${pluralize(done + lost, 'partition')} failed`;
  const superseded = errors.find(error => error instanceof SupersededError);
  if (superseded !== undefined)
    return new PartialError(all, { code: 'partial_failure', reason: superseded.reason });
  if (broken.length > 0) {
    const isKept = broken.some(error => error.isKept);
    return new PartialError(all, { code: 'contract_broken', ...(isKept && { reason: 'quarantined' }) });
  }
  const advice = errors.every(error => error instanceof UnrepresentableValueError)
    ? ': a value that cannot be stored fails again, unless the gateway changes it or the sync file omits its column'
    : '; run it again to request them';
  return new PartialError(`${all}${advice}`, { code: 'partial_failure' });
}
