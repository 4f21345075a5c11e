import { join } from 'node:path';
import { dayIn } from '../../apis/bda/days.ts';
import type { Outcome } from '../../apis/subscriptions/audit/results.ts';
import {
  newRunPath,
  type RunHead,
  RunWriter,
  removeRun,
  runsIn,
  StoredRun,
} from '../../apis/subscriptions/audit/stored-run.ts';
import { type ReaderHash, readerHash } from '../../apis/subscriptions/reader-hash.ts';
import { FileError, LockedError, UsageError } from '../../errors/index.ts';
import { makePrivateFolder } from '../../files/folders.ts';
import { lockState, withLock } from '../../files/lock.ts';
import { DAY_MS } from '../../wire/day.ts';
import type { Machine } from '../machine.ts';
import { folderName, readerState } from './seen-readers.ts';

const RUNS_KEPT = 30;
/** Interrupted runs are removed after this time, in days. */
const PART_DAYS = 7;
/** What audits must have in common to be compared or resumed. */
interface AuditScope {
  readonly gateway: string;
  readonly domain: string;
  /** The product, or the column that names it. */
  readonly products: readonly string[];
}

/**
 * The results of earlier audits on this machine. Readers are stored as keyed hashes, never as addresses. An audit works without a
 * store, but cannot be resumed or compared then.
 */
export class AuditStore {
  readonly hash: ReaderHash;
  readonly #folder: string;
  readonly #machine: Machine;

  private constructor(folder: string, hash: ReaderHash, machine: Machine) {
    this.#folder = folder;
    this.hash = hash;
    this.#machine = machine;
  }

  /** Throws FileError if there is no folder for it, or it cannot be used. */
  static async open(scope: AuditScope, machine: Machine): Promise<AuditStore> {
    const { gateway, domain, products } = scope;
    const { folder: readers, key } = await readerState(machine);
    const folder = join(readers, 'audits', folderName([gateway, domain, products]));
    return new AuditStore(folder, readerHash(key, [gateway, domain]), machine);
  }

  /**
   * The last run (`last`), or the last one of a day or before it. Undefined for `last` if there is none, as before the first audit.
   * Throws UsageError with the days of the runs for any other day.
   */
  async earlier(against: string, timeZone: string): Promise<StoredRun | undefined> {
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
      reason: { name: 'no_audit_then', days: [...days].reverse() },
    });
  }

  /**
   * Calls `work` with a new run, or with the interrupted one with `resume`, after `onResume` with its start and its results. Throws UsageError or LockedError if there is none to resume, and the errors of `work`.
   */
  async record<T>(
    head: RunHead,
    resume: boolean,
    onResume: (startedAt: string, results: number) => void,
    work: (recording: AuditRecording) => Promise<T>,
  ): Promise<T> {
    const machine = this.#machine;
    await makePrivateFolder(this.#folder);
    const path = resume
      ? await this.#interrupted()
      : newRunPath(this.#folder, new Date(machine.now()).toISOString(), machine.pid);
    return await withLock(path, { machine, wait: 0 }, async () => {
      const resumed = resume ? await readInterrupted(path) : undefined;
      if (resumed !== undefined) onResume(resumed.head.startedAt, resumed.size);
      const writer = await RunWriter.open(path, head, { resumed, uid: machine.uid });
      const recording = new AuditRecording(writer, resumed, this);
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
      const state = await lockState(path, this.#machine);
      if (state.kind !== 'held') return path;
      locked ??= new LockedError(path, { holder: state.holder, isRunning: state.isRunning });
    }
    throw locked ?? nothingToResume();
  }

  async #removeOld(): Promise<void> {
    const { complete, interrupted } = await runsIn(this.#folder);
    for (const path of complete.slice(RUNS_KEPT)) await removeRun(path);
    const oldest = new Date(this.#machine.now() - PART_DAYS * DAY_MS).toISOString().slice(0, 10);
    for (const path of interrupted) {
      const day = /(\d{4}-\d\d-\d\d)T[^/\\]*$/.exec(path)?.[1] ?? '';
      if (day >= oldest) continue;
      const isFree = (await lockState(path, this.#machine)).kind !== 'held';
      if (isFree) await removeRun(path);
    }
  }
}

/** The error where there is no interrupted audit to resume. */
function nothingToResume(): UsageError {
  return new UsageError('there is no interrupted audit of these products to resume', {
    code: 'cannot_resume',
    reason: 'no_audit_to_resume',
  });
}

/** The interrupted run at a path; one that is damaged in its first line is started again. */
async function readInterrupted(path: string): Promise<StoredRun | undefined> {
  const { partPath } = await import('../../apis/subscriptions/audit/stored-run.ts');
  try {
    return await StoredRun.read(partPath(path));
  } catch (error) {
    if (error instanceof FileError && error.code === 'file_not_found') return undefined;
    throw error;
  }
}

/** Where the results of this run are stored, and what an interrupted run has found. */
export class AuditRecording {
  readonly resumed: StoredRun | undefined;
  readonly #store: AuditStore;
  readonly #writer: RunWriter;
  isComplete = false;
  /** The reason why results are no longer stored. */
  failure: FileError | undefined;

  constructor(writer: RunWriter, resumed: StoredRun | undefined, store: AuditStore) {
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
