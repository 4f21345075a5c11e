import { DestinationError } from '../../errors/index.ts';
import type { SyncTable } from '../config.ts';
import type { Ledger } from '../ledger.ts';
import type { SyncDomain } from '../plan.ts';
import type { Destination } from './destination.ts';

/** Called for a site whose server in a cluster cannot be reached. */
export type OnLost = (table: SyncTable, domain: SyncDomain, error: DestinationError) => void;

/** The ledger of a site in a table; undefined if only its server in a cluster cannot be reached. Throws other errors. */
export async function reachableLedger(
  destination: Destination,
  table: SyncTable,
  domain: SyncDomain,
  onLost: OnLost,
): Promise<Ledger | undefined> {
  try {
    return await destination.ledger(table.name, domain.id);
  } catch (error) {
    if (!(error instanceof DestinationError) || !error.isOfSites) throw error;
    onLost(table, domain, error);
    return undefined;
  }
}
