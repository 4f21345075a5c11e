import { join } from 'node:path';
import { dayIn, isDay } from '../../../apis/bda/days.ts';
import type { Outcome } from '../../../apis/subscriptions/audit/results.ts';
import {
  newRunPath,
  type RunHead,
  RunWriter,
  removeRun,
  runsIn,
  StoredRun,
} from '../../../apis/subscriptions/audit/stored-run.ts';
import { type ReaderHash, readerHash } from '../../../apis/subscriptions/reader-hash.ts';
import { FileError, LockedError, UsageError } from '../../../errors/index.ts';
import { makePrivateFolder } from '../../../files/folders.ts';
import { lockState, withLock } from '../../../files/lock.ts';
import { groupDigits } from '../../../terminal/numbers.ts';
import { DAY_MS } from '../../../wire/day.ts';
import type { Context } from '../../framework/context.ts';
import { lockMachine } from '../../framework/lock-machine.ts';
import { folderName, readerState } from '../../reader/reader-state.ts';

const RUNS_KEPT = 30;
/** Interrupted runs are removed after this time, in days. */
const PART_DAYS = 7;
/** What audits must have in common to be compared or resumed. */
interface AuditScope {
  readonly baseUrl: string;
  readonly domain: string;
  /** The product, or the column that names it. */
  readonly products: readonly string[];
}

/**
 * The results of earlier audits on this machine. Readers are stored as keyed hashes, never as addresses. An audit works without a
 * store, but cannot be resumed or compared then.
 */
export class RunStore {
  readonly hash: ReaderHash;
  readonly #folder: string;
  readonly #context: Context;

  private constructor(folder: string, hash: ReaderHash, context: Context) {
    this.#folder = folder;
    this.hash = hash;
    this.#context = context;
  }

  /** Throws FileError if there is no folder for it, or it cannot be used. */
  static async open(scope: AuditScope, context: Context): Promise<RunStore> {
    const { baseUrl, domain, products } = scope;
    const { folder: readers, key } = await readerState(context);
    const folder = join(readers, 'audits', folderName([baseUrl, domain, products]));
    return new RunStore(folder, readerHash(key, [baseUrl, domain]), context);
  }

  /**
   * The run that `--against` names: `last`, or the last one of a day or before it. Undefined for `last` if there is none, as before the
   * first audit. Throws UsageError with the days of the runs for any other day.
   */
  async earlier(against: string): Promise<StoredRun | undefined> {
    const { timeZone } = await this.#context.out.style();
    const days = new Set<string>();
    for (const path of (await runsIn(this.#folder)).complete) {
      const run = await StoredRun.read(path);
      if (run === undefined) continue;
      const day = dayIn(Date.parse(run.head.startedAt), timeZone);
      if (against === 'last' || day <= against) return run;
      days.add(day);
    }
    if (against === 'last') return undefined;
    throw new UsageError(`there is no audit of ${against} or before to compare with`, {
      code: 'unknown_name',
      hints: [
        days.size === 0
          ? 'no audit is stored for this domain and product'
          : `audits are stored of ${[...days].reverse().join(', ')}`,
      ],
    });
  }

  /**
   * Calls `work` with a new run, or with the interrupted one with `resume`. If the results cannot be stored, warns and continues
   * without. Throws UsageError or LockedError if there is none to resume, and the errors of `work`.
   */
  async record<T>(head: RunHead, resume: boolean, work: (recording: Recording) => Promise<T>): Promise<T> {
    const { io, log } = this.#context;
    await makePrivateFolder(this.#folder);
    const path = resume
      ? await this.#interrupted()
      : newRunPath(this.#folder, new Date(io.now()).toISOString(), io.self.pid);
    return await withLock(path, { machine: lockMachine(this.#context), wait: 0 }, async () => {
      const resumed = resume ? await readInterrupted(path) : undefined;
      if (resumed !== undefined)
        log.note(
          `resuming the audit of ${resumed.head.startedAt}: ${groupDigits(resumed.size)} results are stored`,
        );
      const writer = await RunWriter.open(path, head, { resumed, uid: io.self.uid });
      const recording = new Recording(writer, resumed, this);
      try {
        return await work(recording);
      } finally {
        await recording.close();
        await this.#removeOld().catch(() => undefined);
      }
    });
  }

  /** The last interrupted run; one before a complete run has old decisions. Throws LockedError or UsageError if there is none. */
  async #interrupted(): Promise<string> {
    let locked: LockedError | undefined;
    const { complete, interrupted } = await runsIn(this.#folder);
    for (const path of interrupted) {
      if (path < (complete[0] ?? '')) continue;
      const state = await lockState(path, lockMachine(this.#context));
      if (state.kind !== 'held') return path;
      locked ??= new LockedError(path, { holder: state.holder, isRunning: state.isRunning });
    }
    throw locked ?? nothingToResume();
  }

  async #removeOld(): Promise<void> {
    const { complete, interrupted } = await runsIn(this.#folder);
    for (const path of complete.slice(RUNS_KEPT)) await removeRun(path);
    const oldest = new Date(this.#context.io.now() - PART_DAYS * DAY_MS).toISOString().slice(0, 10);
    for (const path of interrupted) {
      const day = /(\d{4}-\d\d-\d\d)T[^/\\]*$/.exec(path)?.[1] ?? '';
      if (day >= oldest) continue;
      const isFree = (await lockState(path, lockMachine(this.#context))).kind !== 'held';
      if (isFree) await removeRun(path);
    }
  }
}

/** The error of --resume without an interrupted audit. */
export function nothingToResume(): UsageError {
  return new UsageError('there is no interrupted audit of these products to resume', {
    code: 'cannot_resume',
    hints: ['omit --resume to check all readers'],
  });
}

/** The interrupted run at a path; one that is damaged in its first line is started again. */
async function readInterrupted(path: string): Promise<StoredRun | undefined> {
  const { partPath } = await import('../../../apis/subscriptions/audit/stored-run.ts');
  try {
    return await StoredRun.read(partPath(path));
  } catch (error) {
    if (error instanceof FileError && error.code === 'file_not_found') return undefined;
    throw error;
  }
}

/** Where the results of this run are stored, and what an interrupted run has found. */
export class Recording {
  readonly resumed: StoredRun | undefined;
  readonly #store: RunStore;
  readonly #writer: RunWriter;
  isComplete = false;
  /** The reason why results are no longer stored. */
  failure: FileError | undefined;

  constructor(writer: RunWriter, resumed: StoredRun | undefined, store: RunStore) {
    this.#writer = writer;
    this.resumed = resumed;
    this.#store = store;
  }

  async add(email: string, product: string, outcome: Outcome): Promise<void> {
    await this.#attempt(() => this.#writer.add(this.#store.hash(email, product), outcome));
  }

  async finish(finishedAt: string): Promise<void> {
    await this.#attempt(async () => {
      await this.#writer.finish(finishedAt);
      this.isComplete = true;
    });
  }

  async close(): Promise<void> {
    if (!this.isComplete) await this.#attempt(() => this.#writer.closeUnfinished());
  }

  /** A storage failure must not stop an audit: its results matter more. */
  async #attempt(step: () => Promise<void>): Promise<void> {
    if (this.failure !== undefined) return;
    try {
      await step();
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.failure = error;
    }
  }
}

/** `--against`: `last`, or a day. Throws UsageError for anything else. */
export function readAgainst(text: string): string {
  if (text === 'last' || isDay(text)) return text;
  throw new UsageError(`--against cannot be '${text}'`, {
    code: 'invalid_value',
    hints: ['type last, or a day such as 2026-03-14 for the last audit until then'],
  });
}
