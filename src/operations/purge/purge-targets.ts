import { randomBytes } from 'node:crypto';
import type { PurgeOwner } from '../../apis/cdn/journal.ts';
import { newJournal } from './journal-folders.ts';
import { PurgeRun, type PurgeWork, type StageWatch } from './purge.ts';
import type { PurgedLines } from './purge-counts.ts';
import type { PurgeTally } from './tally.ts';

/** URLs or surrogate keys that were checked, each once, or the domain of which everything is purged. */
export interface CheckedTargets {
  readonly what: PurgedLines;
  readonly targets: readonly string[];
  /** Surrogate keys to clear after the targets. */
  readonly keys: readonly string[];
  /** The one domain of all targets, where there is one; bare for keys. */
  readonly domain: string | undefined;
}

/** What a purge of checked targets takes. */
export interface TargetWork extends PurgeWork {
  /** Called with why the journal is not in its usual folder. */
  readonly note: (text: string) => void;
  /** Whether an interrupted purge may be resumed. */
  readonly isResumable: boolean;
  readonly owner: (salt: string) => Promise<PurgeOwner>;
  /** Looks at pages before and after. `left` URLs are to be purged. */
  readonly watch?: (left: number, run: PurgeRun) => Promise<StageWatch>;
}

/** Purges checked targets in one stage, and returns what became of them. Throws what stops the purge (`clearTargets`), and FileError. */
export async function purgeTargets(
  { what, targets, keys, domain }: CheckedTargets,
  { note, isResumable, owner, watch, ...work }: TargetWork,
): Promise<PurgeTally> {
  const journal = await newJournal(work.machine, note);
  const run = new PurgeRun(
    { journal, what, domain, keys, isResumed: false },
    {
      ...{ isSending: true, stages: [1], pause: 0, split: true },
      repeatAfter: undefined,
      concurrency: undefined,
    },
    work,
  );
  const startedAt = new Date(work.clock.now()).toISOString();
  await run.execute(
    async () => {
      for (const target of targets) {
        journal.add(target);
        await journal.flushIfFull();
      }
      // Keys after the targets are not in the journal.
      const mayResume = isResumable && journal.total > 1 && keys.length === 0;
      await journal.endList(mayResume);
      if (mayResume && what !== 'everything')
        await journal.seal(await owner(randomBytes(12).toString('hex')), startedAt, what);
      return true;
    },
    async () => {},
    watch && (left => watch(left, run)),
  );
  return run.tally;
}
