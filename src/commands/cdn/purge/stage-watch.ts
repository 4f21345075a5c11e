import type { PurgeRun, StageWatch } from '../../../operations/purge/purge.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import type { PurgeFlags } from './flags.ts';
import type { PurgeResult } from './result.ts';

/** The watch of a purge, and what it leaves for the end. */
export interface PurgeWatch extends StageWatch {
  /** Why `--receipt` could not be written. */
  readonly receiptError: unknown;
}

interface Watched {
  readonly run: PurgeRun;
  readonly result: Pick<PurgeResult, 'describe'>;
  readonly domain: string | undefined;
  /** Whether everything on the domain is purged, not single URLs. */
  readonly isEverything: boolean;
  /** Whether what is purged is confirmed in a state. */
  readonly isConfirmed: boolean;
}

/** Verifies pages with `--verify` and warms them with `--warm`; undefined without either. `left` URLs are to be purged. */
export async function watchStages(
  left: number,
  { run, result, domain, isEverything, isConfirmed }: Watched,
  flags: PurgeFlags,
  context: Context,
): Promise<PurgeWatch> {
  const verification = flags.verify ? await openVerification(left, flags, context) : undefined;
  const warmer = flags.warm === undefined ? undefined : await openWarmer();
  let receiptError: unknown;
  const doubt = () => {
    const stale = verification?.stale ?? 0;
    if (stale === 0) return undefined;
    const so = isConfirmed ? ', so it is not confirmed' : '';
    return `${pluralize(stale, 'page')} ${stale === 1 ? 'was' : 'were'} stale after the purge${so}`;
  };
  return {
    readsSent: warmer !== undefined && !isEverything,
    get doubt() {
      return doubt();
    },
    get receiptError() {
      return receiptError;
    },
    async before(peek) {
      await verification?.before(await peek(verification.most));
    },
    async after(sent) {
      await verification?.after();
      await warmer?.warm(isEverything ? warmer.mostViewed : sent);
      return doubt() ?? warmer?.stopped;
    },
    async finish(left) {
      if (warmer !== undefined) result.describe({ warm: warmer.finish() });
      if (verification === undefined) return;
      const { cleared, failed } = run.tally.counts;
      const purged = await run.purgedOf(verification.redirectTargets);
      result.describe({ verification: verification.finish(Math.min(left, cleared + failed), purged) });
      receiptError = await verification.writeReceipt();
    },
  };

  async function openWarmer() {
    const { Warmer } = await import('./traffic/warmer.ts');
    return await Warmer.open(isEverything ? undefined : run.remaining(), domain, flags, context);
  }
}

async function openVerification(left: number, flags: PurgeFlags, context: Context) {
  const { MAX_PAGES, Verification } = await import('./verification.ts');
  if (left > MAX_PAGES)
    context.log.note(
      `only the first ${MAX_PAGES} URLs${flags.stage === undefined ? '' : ' of each stage'} are verified`,
    );
  return new Verification(flags, context);
}
