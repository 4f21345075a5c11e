import { PartialError } from '../errors/index.ts';
import type { SyncTable } from './config.ts';
import type { Destination } from './destinations/destination.ts';
import { packUnits, type Unit } from './plan.ts';

/** Types settle within a few passes, because each only becomes wider. */
const MOST_PASSES = 8;

/** What is to have the column types of today. */
export interface ConvergeOptions {
  readonly tables: readonly SyncTable[];
  readonly destination: Destination;
  /** The hash of a table's query; undefined for a table that is left alone. */
  readonly queryOf: (table: SyncTable) => string | undefined;
  /** Whether a partition can be requested. */
  readonly isDue: (table: SyncTable, domainId: number, partition: string) => boolean;
}

/**
 * Has `carryOut` write the partitions again that were written with earlier column types, by whichever process, until there are none: a
 * type that became wider is used for the files before it, too. Resolves to whether there are none.
 */
export async function converge(
  options: ConvergeOptions,
  carryOut: (units: AsyncIterable<Unit>) => Promise<void>,
): Promise<boolean> {
  let before: ReadonlySet<string> = new Set();
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const found = new Set<string>();
    const units = async function* () {
      for await (const unit of unitsOfEarlierTypes(options)) {
        found.add(`${unit.table.name}/${unit.domain.id}/${unit.days.from}/${unit.days.to}`);
        yield unit;
      }
    };
    await carryOut(units());
    if (found.size === 0) return true;
    if (found.size === before.size && [...found].every(unit => before.has(unit))) return false;
    before = found;
  }
  return false;
}

/** Whether a partition that is due has earlier column types. */
export async function hasEarlierTypes(options: ConvergeOptions): Promise<boolean> {
  for await (const _ of unitsOfEarlierTypes(options)) return true;
  return false;
}

/** The error of a destination in which files with earlier column types are left. */
export function earlierTypesError({ name }: Pick<Destination, 'name'>): PartialError {
  return new PartialError(`${name} still has files with earlier column types than those of their table`, {
    code: 'partial_failure',
    reason: 'earlier_types',
  });
}

async function* unitsOfEarlierTypes({
  tables,
  destination,
  queryOf,
  isDue,
}: ConvergeOptions): AsyncGenerator<Unit> {
  if (!destination.rewritesForTypes) return;
  for (const table of tables) {
    const hash = queryOf(table);
    if (hash === undefined) continue;
    const { version } = await destination.schema(table.name);
    for (const id of await destination.domainIds(table.name)) {
      const entries = [...(await destination.ledger(table.name, id)).values()];
      await destination.release(table.name, id);
      const [latest] = entries.toSorted((one, other) => (one.fetchedAt > other.fetchedAt ? -1 : 1));
      const stale = entries
        .filter(({ rows, schema, query }) => rows > 0 && schema !== version && query === hash)
        .filter(({ partition }) => isDue(table, id, partition))
        .map(({ partition: key, from, to, rows }) => ({
          key,
          days: { from, to },
          rows,
          reason: 'schema' as const,
        }))
        .sort((one, other) => (one.key < other.key ? -1 : 1));
      if (latest?.domain !== undefined && stale.length > 0)
        yield* packUnits(table, { id, name: latest.domain }, stale);
    }
  }
}
