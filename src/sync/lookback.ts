import { DEFAULT_LOOKBACK, type SyncTable } from './config.ts';
import type { Destination } from './destinations/destination.ts';
import type { SyncDomain } from './plan.ts';

/** Fewer revisions than this teach nothing. */
const LEAST_REVISIONS = 5;
/** The share of the revisions that the lookback covers; `sweep` finds the rare late ones. */
const COVERED = 0.95;
const LEAST_DAYS = 2;

/** How old days are when their figures change, from the revisions in the ledger. */
export async function learnedLookback(
  tables: readonly SyncTable[],
  domains: readonly SyncDomain[],
  destination: Destination,
): Promise<{ readonly days: number; readonly revisions: number }> {
  const ages: number[] = [];
  for (const table of tables)
    for (const domain of domains) {
      const ledger = await destination.ledger(table.name, domain.id);
      for (const { revisedAtAge } of ledger.values()) if (revisedAtAge !== undefined) ages.push(revisedAtAge);
      await destination.release(table.name, domain.id);
    }
  if (ages.length < LEAST_REVISIONS) return { days: DEFAULT_LOOKBACK, revisions: ages.length };
  ages.sort((one, other) => one - other);
  const age = ages[Math.ceil(ages.length * COVERED) - 1] ?? DEFAULT_LOOKBACK;
  return { days: Math.max(LEAST_DAYS, age + 1), revisions: ages.length };
}
