import type { SyncTable } from './config.ts';
import type { Destination } from './destinations/destination.ts';
import { partitionsOf } from './partitions.ts';
import {
  type PlannedPartition,
  type PlanOptions,
  packUnits,
  planPartitions,
  type SyncDomain,
  type Unit,
} from './plan.ts';

/** Ledgers that are read ahead. */
const LEDGERS_AHEAD = 8;
/** Units that are planned at a time where no ledger has to be read. */
const UNITS_AT_A_TIME = 100;

/** What a plan is made of, in the order of {@link plannedUnits}. */
type PlanSource = readonly [
  tables: readonly SyncTable[],
  domains: readonly SyncDomain[],
  destination: Destination,
  options: PlanOptions,
  only?: (planned: PlannedPartition) => boolean,
];

/**
 * The units of a plan: table after table, site after site. Holds the ledgers of a few sites at a
 * time.
 */
export async function* plannedUnits(...source: PlanSource): AsyncGenerator<Unit> {
  for await (const units of plannedBatches(...source)) yield* units;
}

/** The units of {@link plannedUnits}, some at a time: for millions of them, a step for each would take longest. */
export async function* plannedBatches(
  ...[tables, domains, destination, options, only = () => true]: PlanSource
): AsyncGenerator<readonly Unit[]> {
  for (const table of tables) {
    const partitions = [...partitionsOf(table, options.today)];
    const unitsOf = (domain: SyncDomain, ledger: Parameters<typeof planPartitions>[2]) =>
      packUnits(table, domain, planPartitions(table, domain, ledger, options, partitions).filter(only));
    const stored = new Set(await destination.domainIds(table.name));
    // Sites without a ledger differ in nothing but their name, unless their plan does.
    let unitsOfNew: readonly Unit[] | undefined;
    const unitsOfNewSite = (domain: SyncDomain): readonly Unit[] => {
      if (options.revised !== undefined) return unitsOf(domain, new Map());
      unitsOfNew ??= unitsOf(domain, new Map());
      return unitsOfNew.map(unit => ({ ...unit, domain }));
    };
    const planStored = async (domain: SyncDomain): Promise<readonly Unit[]> => {
      const units = unitsOf(domain, await destination.ledger(table.name, domain.id));
      // The ledgers of all sites do not fit into memory.
      await destination.release(table.name, domain.id);
      return units;
    };
    const ahead: Promise<readonly Unit[]>[] = [];
    let planned: Unit[] = [];
    for (const domain of domains) {
      const isNew = !stored.has(domain.id);
      if (isNew && ahead.length === 0) {
        planned.push(...unitsOfNewSite(domain));
        if (planned.length < UNITS_AT_A_TIME) continue;
        yield planned;
        planned = [];
        continue;
      }
      const next = isNew ? Promise.resolve(unitsOfNewSite(domain)) : planStored(domain);
      // Its failure is thrown when it is its turn.
      next.catch(() => {});
      ahead.push(next);
      if (ahead.length > LEDGERS_AHEAD) {
        yield [...planned, ...((await ahead.shift()) ?? [])];
        planned = [];
      }
    }
    yield planned;
    for (const units of ahead) yield await units;
  }
}
