import { fetchDecision } from '../../apis/subscriptions/access.ts';
import type { AuditList } from '../../apis/subscriptions/audit/audit-list.ts';
import { AuditReport } from '../../apis/subscriptions/audit/report.ts';
import { AuditResults, type Outcome } from '../../apis/subscriptions/audit/results.ts';
import type { StoredRun } from '../../apis/subscriptions/audit/stored-run.ts';
import type { Site } from '../../apis/subscriptions/requests.ts';
import { FileError, GatectlError, UsageError } from '../../errors/index.ts';
import type { Clock } from '../../http/clock.ts';
import { forEachConcurrently } from '../../http/concurrent.ts';
import type { Sender } from '../../http/sender.ts';
import type { Progress } from '../../terminal/progress.ts';
import type { Redactor } from '../../text/redactor.ts';
import type { AuditRecording, AuditStore } from './audit-store.ts';
import { failsEveryReader, isTransient } from './check-access.ts';

/** After this many failures in a row, the gateway is down. */
const FAILURES_IN_A_ROW = 100;
/** Checks that failed are repeated after these pauses, in milliseconds. */
const PAUSES = [1000, 5000];

/** What checking a list takes. */
interface AuditWork {
  readonly sender: Sender;
  readonly site: Site;
  /** Maximum requests in flight; undefined for as many as the server accepts. */
  readonly most: number | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Hides each address while it is checked. That of an error that ends the audit stays hidden. */
  readonly redactor: Redactor;
  /** Shows the progress of a long job. */
  readonly progress: (total: number | undefined, unit: string) => Progress;
}

interface AuditOptions extends AuditWork {
  /** Where results are stored; undefined to store none. */
  readonly store: AuditStore | undefined;
  /** Whether to resume an interrupted audit. */
  readonly resume: boolean;
  /** The audit to compare with. */
  readonly earlier: StoredRun | undefined;
  /** RFC 3339. */
  readonly startedAt: string;
  /** Called with the start and the number of stored results of the audit that is resumed. */
  readonly onResume: (startedAt: string, results: number) => void;
  /** Called when results cannot be stored, so that the audit cannot be resumed or compared with. */
  readonly onNotStored: (error: FileError) => Promise<void>;
  /** Called before the error that interrupts an audit is thrown, if the audit can be resumed. */
  readonly onInterrupted: () => void;
}

/** What an audit found, and whether those that could not be checked can be checked by resuming it. */
interface Audited {
  readonly report: AuditReport;
  readonly isResumable: boolean;
}

/**
 * Checks every entry of a list, stores the results as they come, and compares them with the list and with an earlier audit. Throws what
 * concerns all readers, the last of many failures in a row, and UsageError or LockedError where there is no audit to resume.
 */
export async function auditReaders(list: AuditList, options: AuditOptions): Promise<Audited> {
  const { store, earlier } = options;
  const results = new AuditResults(list.end);
  const isResumable = await checkAndStore(list, results, options);
  const against = earlier && store && { run: earlier, hash: store.hash };
  return { report: new AuditReport(list, results, against), isResumable };
}

/** Resolves to whether what is left can be checked by resuming the audit. */
async function checkAndStore(
  list: AuditList,
  results: AuditResults,
  options: AuditOptions,
): Promise<boolean> {
  const { store, site, startedAt, resume, clock, signal, onNotStored } = options;
  const check = async (recording: AuditRecording | undefined): Promise<boolean> => {
    if (recording?.resumed !== undefined && store !== undefined)
      for (const index of list.indexes()) {
        const { email, product } = list.at(index);
        const known = recording.resumed.outcomeOf(store.hash(email, product));
        if (known !== undefined) results.setOutcome(index, known);
      }
    const left = await checkList(list, results, options, recording);
    if (left === 0) await recording?.finish(new Date(clock.now()).toISOString());
    if (recording?.failure !== undefined) await onNotStored(recording.failure);
    return left > 0 && recording !== undefined && recording.failure === undefined;
  };
  if (store === undefined) return await check(undefined);
  let isStarted = false;
  try {
    return await store.record(
      { startedAt, domain: site.domain },
      resume,
      options.onResume,
      async recording => {
        isStarted = true;
        try {
          return await check(recording);
        } catch (error) {
          const isOver = !signal.aborted && error instanceof UsageError;
          if (!isOver && recording.failure === undefined) options.onInterrupted();
          throw error;
        }
      },
    );
  } catch (error) {
    if (isStarted || resume || !(error instanceof FileError)) throw error;
    await onNotStored(error);
    return await check(undefined);
  }
}

/**
 * Checks every entry of a list that has no result yet, in any order, and repeats those that failed for a transient reason. A check
 * that still fails is an error in the results; resolves to how many of them may succeed later. Throws errors that concern all
 * readers, and the last one of many in a row.
 */
async function checkList(
  list: AuditList,
  results: AuditResults,
  { sender, site, most, clock, signal, redactor, progress: show }: AuditWork,
  recording: AuditRecording | undefined,
): Promise<number> {
  const left = [...list.indexes()].filter(index => results.at(index) === undefined);
  const progress = show(list.size, 'readers');
  progress.resumeAt(list.size - left.length);
  let failuresInARow = 0;
  let succeeded = 0;

  const check = async (index: number, failed: number[]): Promise<void> => {
    const { email, product } = list.at(index);
    // An error that ends the command is printed later: its address stays registered.
    redactor.add(email);
    try {
      const reader = { kind: 'email', email } as const;
      const { decision, reasonCode } = await fetchDecision(sender, site, reader, { product });
      const outcome: Outcome = { decision, reasonCode };
      results.setOutcome(index, outcome);
      failuresInARow = 0;
      succeeded += 1;
      progress.advance(1);
      await recording?.add(email, product, outcome);
    } catch (error) {
      if (!(error instanceof GatectlError) || failsEveryReader(error)) throw error;
      failuresInARow = isTransient(error) ? failuresInARow + 1 : 0;
      if (failuresInARow >= FAILURES_IN_A_ROW) throw error;
      results.setError(index, redactor.redact(error.message));
      if (isTransient(error)) failed.push(index);
      else progress.advance(1, 1);
    }
    redactor.remove(email);
  };

  let indexes: readonly number[] = left;
  try {
    for (const pause of [0, ...PAUSES]) {
      if (indexes.length === 0) break;
      await clock.sleep(pause, signal);
      const failed: number[] = [];
      await forEachConcurrently(each(indexes), index => check(index, failed), {
        most,
        capacity: () => sender.capacity('subscriptions'),
      });
      indexes = failed;
      // A gateway without a single response is down.
      if (succeeded === 0) break;
    }
    progress.advance(indexes.length, indexes.length);
    return indexes.length;
  } finally {
    progress.finish();
  }
}

async function* each(indexes: readonly number[]): AsyncGenerator<number> {
  yield* indexes;
}
