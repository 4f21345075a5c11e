import { UsageError } from '../errors/index.ts';
import type { Destination } from './destinations/destination.ts';
import type { Ledger } from './ledger.ts';
import { packUnits, type Unit } from './plan.ts';

/** What tells a unit of an earlier plan from what was written since. */
export interface PlanMark {
  /** Identifies the query of the table. */
  readonly query: string;
  /** RFC 3339 */
  readonly plannedAt: string;
}

/** A unit of a table that has been written with another query since it was planned: it would replace newer rows by older ones. */
export class SupersededError extends UsageError {
  override readonly name = 'SupersededError';
  constructor(message: string) {
    super(message, { code: 'superseded_unit', reason: 'superseded_unit' });
  }
}

/** How the message of a {@link SupersededError} ends. */
const SUPERSEDED = 'was written with another query after this unit was planned';

/** Whether a unit was set aside because of a {@link SupersededError}. */
export function isSuperseded(message: string): boolean {
  return message.endsWith(SUPERSEDED);
}

/**
 * What is left to request of a unit that was planned by another process, or some time ago. What was written since then is not requested
 * again, and a partition with more days than the unit knows is not replaced by fewer. The site must be locked. Throws SupersededError.
 */
export async function unitsLeft(
  unit: Unit,
  mark: PlanMark,
  ledger: Ledger,
  destination: Destination,
): Promise<readonly Unit[]> {
  const { table, domain, partitions } = unit;
  const { version } = await destination.schema(table.name);
  const unfinished = await destination.unfinished?.(table.name, domain.id);
  for (const { key, replaces = [] } of partitions) {
    const { query, fetchedAt = '' } = ledger.get(key) ?? unfinished?.get(key) ?? {};
    if (query === undefined || query === mark.query) continue;
    if (replaces.includes(query) && fetchedAt <= mark.plannedAt) continue;
    throw new SupersededError(`${key} of ${domain.name} in ${table.name} ${SUPERSEDED}`);
  }
  const left = partitions.filter(planned => {
    const { from, to } = planned.days;
    const entry = ledger.get(planned.key);
    const known = entry ?? unfinished?.get(planned.key);
    if (known?.query !== mark.query) return true;
    // It has more days, or had them before a process was killed: then a later plan requests it.
    if ((known.to ?? to) > to || (known.from ?? from) < from) return false;
    if (entry === undefined) return true;
    const isWrittenSince = entry.from <= from && entry.to >= to && entry.fetchedAt >= mark.plannedAt;
    if (!isWrittenSince) return true;
    if (destination.rewritesForTypes && entry.rows > 0 && entry.schema !== version) return true;
    return !destination.isIntact(table.name, domain.id, entry);
  });
  return left.length === partitions.length ? [unit] : packUnits(table, domain, left);
}
