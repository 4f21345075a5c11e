import type { Day } from '../../apis/bda/days.ts';
import type { KindOf } from '../../apis/bda/filter-expression.ts';
import type { SyncTable } from '../config.ts';
import type { Destination } from '../destinations/destination.ts';
import type { SyncDomain } from '../plan.ts';
import type { UnitOptions } from '../run-unit.ts';
import type { UnitContext } from '../unit-record.ts';
import type { EngineConnection } from './connect.ts';
import type { UnitJob } from './unit-job.ts';
import type { UnitQueue } from './unit-queue.ts';

/** What a worker did with a unit. */
export interface UnitOutcome {
  /** `lost`: the queue no longer has it, as when its server was emptied. */
  readonly result: 'done' | 'failed' | 'set_aside' | 'returned' | 'lost';
  readonly id: string;
  readonly job: UnitJob;
  readonly ms: number;
  readonly partitions: number;
  readonly changes: { readonly added: number; readonly changed: number; readonly unchanged: number };
  readonly rows: number;
  readonly requests: number;
  /** Units that it added for what is left. */
  readonly rest: number;
  /** Of all but `done`. */
  readonly error: string | undefined;
  /** Which try it was, from 1. */
  readonly attempt: number;
}

/** A sync file of a worker. */
export interface WorkerSync {
  /** The destination as the file names it. */
  readonly name: string;
  readonly destination: Destination;
  readonly tables: readonly SyncTable[];
  readonly kindOf: KindOf;
  readonly today: Day;
  /** What units are planned with that write again what has earlier column types. */
  readonly plan: () => Promise<Pick<UnitContext, 'lookback' | 'latestDays'>>;
  /** The sites that the gateway lists. */
  readonly domains: readonly SyncDomain[];
}

export interface WorkerOptions
  extends Omit<
    UnitOptions,
    'today' | 'lookback' | 'latestDays' | 'onPage' | 'onWritten' | 'kindOf' | 'destination'
  > {
  readonly connection: EngineConnection;
  readonly queue: UnitQueue;
  readonly syncs: readonly WorkerSync[];
  /** For the status of the queue: host and process. */
  readonly name: string;
  /** Units of this worker at a time. */
  readonly concurrency: number;
  /** After how many milliseconds without a sign of life another worker takes a unit over. */
  readonly lostAfter: number;
  readonly onStarted: (id: string, job: UnitJob) => void;
  readonly onFinished: (outcome: UnitOutcome) => void;
  /** Called for a pause of the account, with its length and the new rate in units a second, if one was set. */
  readonly onPaused: (ms: number, rate: number | undefined) => void;
  /** Called when the engine cannot be reached; the worker tries again. */
  readonly onEngineError: (message: string) => void;
  /** Replaces secrets in the error of a unit, which the queue stores. */
  readonly redact: (text: string) => string;
}
