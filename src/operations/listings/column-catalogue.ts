import { readColumnCatalogue } from '../../apis/bda/catalogue.ts';
import { type FilterExpression, type KindOf, needsColumnType } from '../../apis/bda/filter-expression.ts';
import type { KnownColumn } from '../../apis/bda/listing-cache.ts';
import { valueKindOfType } from '../../apis/bda/value-kind.ts';
import { fetchV1ColumnsBriefly } from '../../apis/bda-v1/listings.ts';
import { fetchColumnsBriefly, fetchListing } from '../../apis/bda-v2/listings.ts';
import { GatectlError, InterruptedError } from '../../errors/index.ts';
import type { JsonResponse } from '../../http/gateway.ts';
import type { Json } from '../../json/index.ts';
import type { ColumnFacts } from '../../output/presentation/column.ts';
import type { Analytics } from './analytics.ts';
import { bdaV1Site, bdaV2Site } from './analytics.ts';
import { listingCache } from './listed-names.ts';

async function cachedColumns(analytics: Analytics): Promise<readonly KnownColumn[] | undefined> {
  const cache = await listingCache(analytics);
  return await cache?.readColumns();
}

interface Lookup {
  /** Whether to ask the gateway for what is not cached. */
  readonly maySend: boolean;
  /** Columns without which a cached listing may be out of date. */
  readonly atLeast?: readonly string[];
}

/** Column names from the cache, or else, with `maySend`, from the gateway; none if that fails. */
export async function columnNames(analytics: Analytics, lookup: Lookup): Promise<readonly string[]> {
  return (await knownColumns(analytics, lookup)).map(({ name }) => name);
}

/** The names of the dimensions and of the metrics, as `columnNames`. */
export async function columnNamesByRole(
  analytics: Analytics,
  lookup: Lookup,
): Promise<Readonly<Record<'dimensions' | 'metrics', readonly string[]>>> {
  const columns = await knownColumns(analytics, lookup);
  // That a listing states roles is not documented.
  const isMetric = ({ role, type = '' }: KnownColumn) =>
    role === undefined ? valueKindOfType(type) === 'number' : role === 'metric';
  const names = (ofMetrics: boolean) =>
    columns.filter(column => isMetric(column) === ofMetrics).map(({ name }) => name);
  return { dimensions: names(false), metrics: names(true) };
}

async function knownColumns(
  analytics: Analytics,
  { maySend, atLeast = [] }: Lookup,
): Promise<readonly KnownColumn[]> {
  const cached = await cachedColumns(analytics);
  const isEnough = cached !== undefined && atLeast.every(name => cached.some(column => column.name === name));
  return isEnough || !maySend ? (cached ?? []) : await listColumns(analytics);
}

/**
 * Caches the columns of a listing and returns their number; 0 if none can be read or the listing is marked `no-store`.
 * Throws FileError.
 */
export async function cacheColumns({ body, storable }: JsonResponse, analytics: Analytics): Promise<number> {
  const cache = await listingCache(analytics);
  const columns = storable ? columnsIn(body) : [];
  if (cache === undefined || columns.length === 0) return 0;
  await cache.writeColumns(withUnits(columns, await cache.readColumns()), analytics.clock.now());
  return columns.length;
}

/**
 * The value kinds of the columns of some filters, as far as they are known. Sends a request only if a value is ambiguous
 * without the type of its column: `id=123` may be a number or a text.
 */
export async function columnKinds(
  filters: readonly FilterExpression[],
  analytics: Analytics,
  { maySend }: { readonly maySend: boolean },
): Promise<KindOf> {
  if (filters.length === 0) return () => undefined;
  let types = typesOf((await cachedColumns(analytics)) ?? []);
  const unsure = filters.filter(needsColumnType).some(({ column }) => !types.has(column));
  if (unsure && maySend) types = typesOf(await listColumns(analytics));
  return column => {
    const type = types.get(column);
    return type === undefined ? undefined : valueKindOfType(type);
  };
}

/**
 * The labels and units of some columns, or of all without `names`, as far as they are known. Requests and caches the listing for columns
 * that are not cached, and ignores its failure. Units are documented for the listing of v2 only; that of v1 is the second choice of v1.
 */
export async function factsOf(
  names: readonly string[],
  api: 'v1' | 'v2',
  analytics: Analytics,
): Promise<ReadonlyMap<string, ColumnFacts>> {
  let columns = (await cachedColumns(analytics)) ?? [];
  const known = new Set(columns.map(({ name }) => name));
  const isKnown = names.length === 0 ? known.size > 0 : names.every(name => known.has(name));
  for (const listing of isKnown ? [] : new Set(['v2', api] as const)) {
    columns = await orNone(() => headingColumns(listing, analytics), analytics);
    if (columns.length > 0) break;
  }
  return new Map(
    columns.flatMap(({ name, label, unit }) =>
      label === undefined && unit === undefined ? [] : [[name, { label, unit }]],
    ),
  );
}

async function headingColumns(api: 'v1' | 'v2', analytics: Analytics): Promise<JsonResponse> {
  const gateway = await analytics.gateway();
  return api === 'v1'
    ? await fetchV1ColumnsBriefly(gateway, await bdaV1Site(analytics))
    : await fetchColumnsBriefly(gateway, await bdaV2Site(analytics));
}

/** Lists and caches the columns; none if that fails, because the query itself reports the error. */
async function listColumns(analytics: Analytics): Promise<readonly KnownColumn[]> {
  return await orNone(
    async () => await fetchListing(await analytics.gateway(), await bdaV2Site(analytics), 'columns'),
    analytics,
  );
}

async function orNone(
  list: () => Promise<JsonResponse>,
  analytics: Analytics,
): Promise<readonly KnownColumn[]> {
  try {
    const listing = await list();
    await cacheColumns(listing, analytics);
    return columnsIn(listing.body);
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return [];
  }
}

/** A listing without any units, as that of v1 is, with those that are known. */
function withUnits(
  columns: readonly KnownColumn[],
  known: readonly KnownColumn[] = [],
): readonly KnownColumn[] {
  if (columns.some(({ unit }) => unit !== undefined)) return columns;
  const units = new Map(known.flatMap(({ name, unit }) => (unit === undefined ? [] : [[name, unit]])));
  return columns.map(column => {
    const unit = units.get(column.name);
    return unit === undefined ? column : { ...column, unit };
  });
}

function columnsIn(listing: Json): readonly KnownColumn[] {
  return [...(readColumnCatalogue(listing)?.values() ?? [])];
}

function typesOf(columns: readonly KnownColumn[]): ReadonlyMap<string, string> {
  return new Map(columns.flatMap(({ name, type }) => (type === undefined ? [] : [[name, type]])));
}
