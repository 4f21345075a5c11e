import { ApiError, type GatectlError, InvalidResponseError, NetworkError } from '../../../errors/index.ts';
import type { Json, JsonRecord } from '../../../json/index.ts';
import {
  type Migration,
  type PlanPart,
  queryJson,
  queryRecord,
  type Readiness,
  readinessOf,
  type SegmentMigration,
} from '../../../migrate/index.ts';
import { daysOf, type MigrateOptions } from '../../../operations/migrate/convert-request.ts';
import {
  type Outcome,
  replaysOf,
  verifiedDays,
  verifyMigration,
} from '../../../operations/migrate/verify-migration.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { gatewayName } from '../../framework/lock-machine.ts';
import type { MigrateFlags } from '../flags/migrate-flags.ts';
import type { MigrationSource } from '../flags/migration-source.ts';
import { lossesIn, migrationRecord, noteRecords } from '../output/migration-notes.ts';
import type { OutFolder } from './out-folder.ts';
import { type VerifiedItem, VerifiedJournal } from './verified-journal.ts';
import { versionsFor } from './verify.ts';
import { type Form, queriesText } from './write-queries.ts';

/** One request, report or segment of a batch. */
export interface Item {
  readonly kind: 'request' | 'report' | 'segment';
  readonly id: string | null;
  readonly name: string;
  /** The name of its file, without extension. */
  readonly stem: string;
  readonly migration: Migration | SegmentMigration;
  /** What to verify; absent where v1 has no such request. */
  readonly verification?: VerifyOptions;
}

/** The result of an item. */
export interface ItemResult extends Item, Readiness {
  /** Whether something is lost, with `--strict`. */
  readonly isTooLossy: boolean;
  /** Absent unless it was verified. */
  readonly verified?: VerifiedItem;
  /** Path of its queries. */
  readonly file?: string;
}

/** Writes and verifies each item, as the flags require. */
export async function migrateItems(
  items: readonly Item[],
  flags: Pick<MigrateFlags, 'as' | 'strict' | 'verify'>,
  folder: OutFolder | undefined,
  options: MigrateOptions,
  context: Context,
): Promise<ItemResult[]> {
  const journal = folder && (await VerifiedJournal.open(folder.path));
  const gateway = flags.verify ? await gatewayIdentity(context) : undefined;
  const progress = flags.verify ? context.log.progress(items.length, 'items') : undefined;
  const results: ItemResult[] = [];
  const isTooLossy = ({ migration }: Item) => flags.strict && lossesIn(migration.notes).length > 0;
  const files =
    folder &&
    (await filesOf(
      items.filter(item => !isTooLossy(item)),
      flags.as ?? 'json',
      context,
    ));
  await folder?.assertFree(new Map(files?.values()));
  for (const item of items) {
    const { migration, verification: proof } = item;
    const written = files?.get(item);
    const file = written && (await folder?.write(...written));
    const verified =
      migration.ok && !isTooLossy(item) && flags.verify && proof !== undefined
        ? await verifyOnce(proof, { journal, gateway }, options, context)
        : undefined;
    results.push({
      ...item,
      ...readinessOf(migration),
      isTooLossy: isTooLossy(item),
      ...(verified && { verified }),
      ...(file && { file }),
    });
    progress?.advance(1);
  }
  progress?.finish();
  if (journal !== undefined && journal.reused > 0)
    context.log.note(`${pluralize(journal.reused, 'item')} verified by an earlier run that did not end`);
  await journal?.remove();
  return results;
}

/** What a comparison depends on besides the request: where it is sent. */
async function gatewayIdentity(context: Context): Promise<unknown> {
  const { domain, prefixBdaV1, prefixBdaV2 } = await context.settings();
  // The key decides whose account it is.
  const account = await context.keyHash('verified');
  return [await gatewayName(context), account, domain.value ?? null, prefixBdaV1.value, prefixBdaV2.value];
}

/** Verifies an item, unless an earlier run that did not end has. */
async function verifyOnce(
  proof: VerifyOptions,
  { journal, gateway }: { readonly journal: VerifiedJournal | undefined; readonly gateway: unknown },
  options: MigrateOptions,
  context: Context,
): Promise<VerifiedItem> {
  const identity = { ...proof, days: options.days, gateway };
  const known = journal?.find(identity);
  if (known !== undefined) return known;
  const verified = await verifyItems(proof, options, context);
  if (verified.outcome !== 'failed') await journal?.add(identity, verified);
  return verified;
}

/** Name and text of the file of each item that was converted: its queries, or the filters of a segment as of `bda query --filter-json`. */
async function filesOf(
  items: readonly Item[],
  form: Form,
  context: Context,
): Promise<ReadonlyMap<Item, readonly [string, string]>> {
  const files = new Map<Item, readonly [string, string]>();
  for (const item of items) {
    const { migration, stem } = item;
    if (!migration.ok) continue;
    if ('queries' in migration) {
      const extension = form === 'json' ? 'json' : 'sh';
      files.set(item, [`${stem}.${extension}`, await queriesText(migration.parts, form, context)]);
    } else {
      const filters = migration.filters.map(filter => queryJson(filter));
      files.set(item, [`${stem}.json`, `[${filters.join(',\n')}]\n`]);
    }
  }
  return files;
}

/** The JSON form of an item. */
export function itemRecord({ kind, id, name, migration, file, verified }: ItemResult): JsonRecord {
  const isVerified = verified?.outcome === 'parity';
  return {
    ...{ kind, id, name },
    ...(file !== undefined && { file }),
    ...(verified && {
      verified: verified.outcome,
      verified_days: verified.days,
      verification_notes: verified.notes,
    }),
    ...('filters' in migration
      ? { ok: true, filters: filtersOf(migration), notes: noteRecords(migration.notes, isVerified) }
      : migrationRecord(migration, isVerified)),
  };
}

function filtersOf({ filters }: Extract<SegmentMigration, { ok: true }>): Json {
  return filters.map(queryRecord);
}

/** A plan and the request that it is converted from. */
interface VerifyOptions {
  readonly source: MigrationSource;
  readonly parts: readonly PlanPart[];
}

const WORST_FIRST: readonly Outcome[] = ['different', 'unverified', 'parity'];

/** Verifies the plan of an item; a failed request fails this item only. */
async function verifyItems(
  { source, parts }: VerifyOptions,
  options: MigrateOptions,
  context: Context,
): Promise<VerifiedItem> {
  const versions = await versionsFor(context);
  const replays = replaysOf(source, parts, daysOf(options));
  const days = verifiedDays(parts);
  const outcomes = new Set<Outcome>();
  const notes: string[] = [];
  for (const replay of replays) {
    try {
      const { outcome, note, label } = await verifyMigration(replay, versions);
      outcomes.add(outcome);
      if (note !== undefined) notes.push(replays.length > 1 ? `${label}: ${note}` : note);
    } catch (error) {
      if (!affectsOneQuery(error)) throw error;
      return {
        outcome: 'failed',
        days,
        notes: [...notes, `${error.request?.path ?? 'request'}: ${error.message}`],
      };
    }
  }
  return { outcome: WORST_FIRST.find(one => outcomes.has(one)) ?? 'unverified', days, notes };
}

const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  'timeout',
  'service_unavailable',
  'upstream_error',
  'internal_error',
]);

/** Whether the next query may succeed: a large one can exceed a time limit. */
function affectsOneQuery(error: unknown): error is GatectlError {
  if (error instanceof NetworkError) return TRANSIENT_CODES.has(error.code);
  return error instanceof ApiError || error instanceof InvalidResponseError;
}
