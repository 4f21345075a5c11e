import { UnrepresentableValueError } from '../../export/unrepresentable-value.ts';
import type { Sender } from '../../http/sender.ts';
import { pluralize } from '../../terminal/numbers.ts';
import { carryOut } from '../carry-out.ts';
import { BrokenContractError } from '../contracts/broken-contract.ts';
import type { FailedPartition, PartitionError } from '../run-unit.ts';
import { jobOf, type UnitJob, unitOfJob } from './unit-job.ts';
import type { UnitOutcome, WorkerOptions, WorkerSync } from './worker-options.ts';

/** What a unit has done so far. */
export type UnitTally = {
  -readonly [Name in 'partitions' | 'rows' | 'requests' | 'rest']: UnitOutcome[Name];
} & { readonly changes: { added: number; changed: number; unchanged: number } };

/** Requests the rows of units, and replaces their partitions. */
export class UnitRunner {
  readonly #options: WorkerOptions;
  /** The last unit of each site: a process writes a site once at a time. */
  readonly #sites = new Map<string, Promise<unknown>>();

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Whether no unit is in hand. */
  get isIdle(): boolean {
    return this.#sites.size === 0;
  }

  /**
   * Runs a unit while no other process writes its site, and adds units for what is left of it. Throws PartitionError after all
   * partitions were replaced that can be.
   */
  async run(job: UnitJob, tries: number, signal: AbortSignal, tally: UnitTally): Promise<void> {
    const { syncs, queue, sender } = this.#options;
    const named = syncs.filter(({ name }) => name === job.destination);
    const tableIn = ({ tables }: WorkerSync) => tables.find(({ name }) => name === job.table);
    const sync = named.find(each => tableIn(each) !== undefined);
    const kindOf = sync?.kindOf ?? (() => undefined);
    const whole = unitOfJob(job, sync && tableIn(sync), kindOf);
    const { destination } = sync as WorkerSync;
    const { table, domain } = whole;
    const context = {
      destination: job.destination,
      today: job.today,
      plannedAt: job.planned_at,
      lookback: job.lookback,
      latestDays: new Map(job.latest === null ? [] : [[table.name, job.latest]]),
      kindOf,
    };
    await this.#inTurn(`${job.destination}/${table.name}/${domain.id}`, async () => {
      const mark = { query: job.query, plannedAt: job.planned_at };
      const { rest, failed } = await carryOut(
        { unit: whole, mark },
        {
          ...this.#options,
          ...context,
          destination,
          signal,
          sender: endedBy(signal, sender),
          onLeftOut: () => {},
          onPage: () => {
            tally.requests += 1;
          },
          onWritten: (replaced, rows) => {
            tally.partitions += 1;
            tally.changes[replaced] += 1;
            tally.rows += rows;
          },
        },
      );
      tally.rest = rest.length;
      // Before this unit is done: if the worker is killed in between, the unit runs again, and adds the same ones.
      await queue.add(
        rest.map(left => jobOf(left, queue.account, context)),
        tries,
      );
      const [first, ...others] = failed;
      if (first !== undefined) throw errorOf(first, others.length);
    });
  }

  async #inTurn(site: string, work: () => Promise<void>): Promise<void> {
    const before = this.#sites.get(site) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#sites.set(site, turn);
    try {
      await turn;
    } finally {
      if (this.#sites.get(site) === turn) this.#sites.delete(site);
    }
  }
}

/** The error of a unit of which some partitions may not be replaced. */
function errorOf({ partition, error }: FailedPartition, others: number): PartitionError {
  const more = others === 0 ? '' : ` and ${pluralize(others, 'other partition')}`;
  const message = `${partition.key}${more}: ${error.message}`;
  if (error instanceof BrokenContractError) return new BrokenContractError([{ text: message }], false);
  return new UnrepresentableValueError(message, {
    path: partition.key,
    code: 'unrepresentable_value',
    cause: error,
  });
}

/** A sender whose requests end when a signal aborts: nobody waits for the rows of a unit that another worker has. */
function endedBy(signal: AbortSignal, sender: Sender): Sender {
  return {
    capacity: api => sender.capacity(api),
    send: request => sender.send({ ...request, signal }),
    stream: (request, ahead) => sender.stream({ ...request, signal }, ahead),
  };
}
