import { checkAccess } from '../../../apis/subscriptions/access.ts';
import type { AuditList } from '../../../apis/subscriptions/audit/audit-list.ts';
import type { AuditResults, Outcome } from '../../../apis/subscriptions/audit/results.ts';
import type { Site } from '../../../apis/subscriptions/requests.ts';
import { GatectlError } from '../../../errors/index.ts';
import { forEachConcurrently } from '../../../http/concurrent.ts';
import type { Context } from '../../framework/context.ts';
import { failsEveryReader, isTransient } from '../outcome.ts';

/** After this many failures in a row, the gateway is down. */
const FAILURES_IN_A_ROW = 100;
/** Checks that failed are repeated after these pauses, in milliseconds. */
const PAUSES = [1000, 5000];

interface CheckOptions {
  readonly list: AuditList;
  readonly results: AuditResults;
  readonly site: Site;
  /** Maximum requests in flight; undefined for as many as the server bears. */
  readonly most: number | undefined;
  readonly onOutcome: (email: string, product: string, outcome: Outcome) => Promise<void>;
}

/**
 * Checks every entry of a list that has no result yet, in any order, and repeats those that failed for a transient reason. A check
 * that still fails is an error in the results; resolves to how many of them may succeed later. Throws errors that concern all
 * readers, and the last one of many in a row.
 */
export async function checkList(options: CheckOptions, context: Context): Promise<number> {
  const { list, results } = options;
  const sender = await context.gateway();
  const left = [...list.indexes()].filter(index => results.at(index) === undefined);
  const progress = context.log.progress(list.size, 'readers');
  progress.resumeAt(list.size - left.length);
  let failuresInARow = 0;
  let succeeded = 0;

  const check = async (index: number, failed: number[]): Promise<void> => {
    const { email, product } = list.at(index);
    // An error that ends the command is printed later: its address stays registered.
    context.redactor.add(email);
    try {
      const reader = { kind: 'email', email } as const;
      const { decision, reasonCode } = await checkAccess(sender, options.site, reader, { product });
      results.setOutcome(index, { decision, reasonCode });
      failuresInARow = 0;
      succeeded += 1;
      progress.advance(1);
      await options.onOutcome(email, product, { decision, reasonCode });
    } catch (error) {
      if (!(error instanceof GatectlError) || failsEveryReader(error)) throw error;
      failuresInARow = isTransient(error) ? failuresInARow + 1 : 0;
      if (failuresInARow >= FAILURES_IN_A_ROW) throw error;
      results.setError(index, context.redactor.redact(error.message));
      if (isTransient(error)) failed.push(index);
      else progress.advance(1, 1);
    }
    context.redactor.remove(email);
  };

  let indexes: readonly number[] = left;
  try {
    for (const pause of [0, ...PAUSES]) {
      if (indexes.length === 0) break;
      await context.clock.sleep(pause, context.signal);
      const failed: number[] = [];
      await forEachConcurrently(each(indexes), index => check(index, failed), {
        most: options.most,
        capacity: () => sender.capacity,
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
