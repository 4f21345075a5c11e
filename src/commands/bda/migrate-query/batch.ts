import type { Json, JsonRecord } from '../../../json/index.ts';
import {
  type Migration,
  queryJson,
  queryRecord,
  type Readiness,
  readinessOf,
  type SegmentMigration,
} from '../../../migrate/index.ts';
import type { Context } from '../../framework/context.ts';
import type { MigrateOptions } from './convert.ts';
import type { MigrateFlags } from './flags.ts';
import { lossesIn, migrationRecord } from './notes.ts';
import type { OutFolder } from './out-folder.ts';
import { type VerifiedItem, type VerifyOptions, verifyItems } from './verify-items.ts';
import { type Form, queriesText } from './write-queries.ts';

/** One of many things that are migrated together. */
export interface Item {
  readonly kind: 'request' | 'report' | 'segment';
  readonly id: string | null;
  readonly name: string;
  /** The name of its file in a folder, without the ending. */
  readonly stem: string;
  readonly migration: Migration | SegmentMigration;
  /** What verifies it; absent where there is nothing to ask. */
  readonly proof?: VerifyOptions;
}

/** What became of an item. */
export interface ItemResult extends Item, Readiness {
  /** Something is lost, and `--strict` lets nothing be. */
  readonly isTooLossy: boolean;
  /** Absent unless it was verified. */
  readonly proven?: VerifiedItem;
  /** Where its queries are. */
  readonly file?: string;
}

/** Writes and verifies each item as the flags say. */
export async function migrateItem(
  items: readonly Item[],
  flags: Pick<MigrateFlags, 'as' | 'strict' | 'verify'>,
  folder: OutFolder | undefined,
  terms: MigrateOptions,
  context: Context,
): Promise<ItemResult[]> {
  const line = flags.verify ? context.log.progress(items.length, 'items') : undefined;
  const settled: ItemResult[] = [];
  for (const item of items) {
    const { migration, stem, proof } = item;
    const isTooLossy = flags.strict && lossesIn(migration.notes).length > 0;
    const isKept = migration.ok && !isTooLossy;
    const file = isKept && folder && (await written(migration, stem, flags.as ?? 'json', folder, context));
    const proven =
      isKept && flags.verify && proof !== undefined ? await verifyItems(proof, terms, context) : undefined;
    settled.push({
      ...item,
      ...readinessOf(migration),
      isTooLossy,
      ...(proven && { proven }),
      ...(file && { file }),
    });
    line?.advance(1);
  }
  line?.finish();
  return settled;
}

/** Writes the queries, or of a segment its filters, as `--filter-json` of bda query takes them. Gives the path of the file. */
async function written(
  migration: Extract<Item['migration'], { ok: true }>,
  stem: string,
  form: Form,
  folder: OutFolder,
  context: Context,
): Promise<string> {
  if (!('queries' in migration)) {
    const filters = migration.filters.map(filter => queryJson(filter));
    return await folder.write(`${stem}.json`, `[${filters.join(',\n')}]\n`);
  }
  const ending = form === 'json' ? 'json' : 'sh';
  return await folder.write(`${stem}.${ending}`, await queriesText(migration.queries, form, context));
}

/** Everything about an item, for programs. */
export function itemRecord({ kind, id, name, migration, file, proven }: ItemResult): JsonRecord {
  return {
    ...{ kind, id, name },
    ...(file !== undefined && { file }),
    ...(proven && { verified: proven.outcome, remarks: proven.remarks }),
    ...('filters' in migration
      ? { ok: true, filters: filtersOf(migration), notes: migration.notes.map(note => ({ ...note })) }
      : migrationRecord(migration)),
  };
}

function filtersOf({ filters }: Extract<SegmentMigration, { ok: true }>): Json {
  return filters.map(queryRecord);
}
