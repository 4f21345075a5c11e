import { randomBytes } from 'node:crypto';
import type { PurgeOwner } from '../../apis/cdn/journal.ts';
import { newJournal } from './journal-folders.ts';
import { PurgeRun, type PurgeWork } from './purge.ts';
import type { PurgeTally } from './tally.ts';

/** URLs or surrogate keys that were checked, each once. */
export interface CheckedTargets {
  readonly what: 'URL' | 'key';
  readonly targets: readonly string[];
  /** The one domain of all targets, where there is one; bare for keys. */
  readonly domain: string | undefined;
}

interface TargetWork extends PurgeWork {
  /** Called with why the journal is not in its usual folder. */
  readonly note: (text: string) => void;
  /** Whether an interrupted purge may be resumed. */
  readonly isResumable: boolean;
  readonly owner: (salt: string) => Promise<PurgeOwner>;
}

/** Purges checked targets in one stage, and returns what became of them. Throws what stops the purge (`clearTargets`), and FileError. */
export async function purgeTargets(
  { what, targets, domain }: CheckedTargets,
  { note, isResumable, owner, ...work }: TargetWork,
): Promise<PurgeTally> {
  const journal = await newJournal(work.machine, note);
  const run = new PurgeRun(
    { journal, what, domain, keys: [], isResumed: false },
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
      const mayResume = isResumable && journal.total > 1;
      await journal.endList(mayResume);
      if (mayResume) await journal.seal(await owner(randomBytes(12).toString('hex')), startedAt, what);
      return true;
    },
    async () => {},
  );
  return run.tally;
}
