import { readColumnCatalogue } from '../../apis/bda/catalogue.ts';
import { type FilterExpression, type KindOf, needsColumnType } from '../../apis/bda/filter-expression.ts';
import { columnsPath, type KnownColumn, readColumns, writeColumns } from '../../apis/bda/listing-cache.ts';
import { valueKindOfType } from '../../apis/bda/value-kind.ts';
import { fetchListing } from '../../apis/bda-v2/listings.ts';
import { cacheFolder } from '../../config/platform.ts';
import { GatectlError, InterruptedError } from '../../errors/index.ts';
import type { JsonResponse } from '../../http/gateway.ts';
import type { Json } from '../../json/index.ts';
import type { Context } from '../framework/context.ts';
import { bdaV2Site } from './site.ts';

/** The cached columns of this profile, for completion and suggestions; undefined without a cache. */
export async function columnCatalogue(context: Context): Promise<readonly KnownColumn[] | undefined> {
  const path = await pathOf(context);
  return path === undefined ? undefined : await readColumns(path);
}

/** Column names from the cache, or else, with `maySend`, from the gateway; none if that fails. */
export async function columnNames(
  context: Context,
  { maySend }: { readonly maySend: boolean },
): Promise<readonly string[]> {
  const columns = (await columnCatalogue(context)) ?? (maySend ? await listColumns(context) : []);
  return columns.map(({ name }) => name);
}

/**
 * Caches the columns of a listing and returns their number; 0 if none can be read or the listing is marked `no-store`.
 * Throws FileError.
 */
export async function cacheColumns({ body, storable }: JsonResponse, context: Context): Promise<number> {
  const path = await pathOf(context);
  const columns = storable ? columnsIn(body) : [];
  if (path === undefined || columns.length === 0) return 0;
  await writeColumns(path, columns, context.clock.now());
  return columns.length;
}

/**
 * The value kinds of the columns of some filters, as far as they are known. Sends a request only if a value is ambiguous
 * without the type of its column: `id=123` may be a number or a text.
 */
export async function columnKinds(
  filters: readonly FilterExpression[],
  context: Context,
  { maySend }: { readonly maySend: boolean },
): Promise<KindOf> {
  if (filters.length === 0) return () => undefined;
  let types = typesOf((await columnCatalogue(context)) ?? []);
  const unsure = filters.filter(needsColumnType).some(({ column }) => !types.has(column));
  if (unsure && maySend) types = typesOf(await listColumns(context));
  return column => {
    const type = types.get(column);
    return type === undefined ? undefined : valueKindOfType(type);
  };
}

/**
 * The units of some columns, as far as they are known. Calls `list` for columns that are not cached, and ignores its failure.
 */
export async function unitsOf(
  names: readonly string[],
  context: Context,
  list: () => Promise<JsonResponse>,
): Promise<ReadonlyMap<string, string>> {
  let columns = (await columnCatalogue(context)) ?? [];
  const known = new Set(columns.map(({ name }) => name));
  if (names.some(name => !known.has(name))) columns = await listedColumns(list);
  return new Map(columns.flatMap(({ name, unit }) => (unit === undefined ? [] : [[name, unit]])));
}

async function listedColumns(list: () => Promise<JsonResponse>): Promise<readonly KnownColumn[]> {
  try {
    return columnsIn((await list()).body);
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return [];
  }
}

/** Lists and caches the columns; none if that fails, because the query itself reports the error. */
async function listColumns(context: Context): Promise<readonly KnownColumn[]> {
  try {
    const listing = await fetchListing(await context.gateway(), await bdaV2Site(context), 'columns');
    await cacheColumns(listing, context);
    return columnsIn(listing.body);
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return [];
  }
}

function columnsIn(listing: Json): readonly KnownColumn[] {
  return [...(readColumnCatalogue(listing)?.values() ?? [])];
}

function typesOf(columns: readonly KnownColumn[]): ReadonlyMap<string, string> {
  return new Map(columns.flatMap(({ name, type }) => (type === undefined ? [] : [[name, type]])));
}

/** Undefined without a cache: for the sandbox, whose columns are not those of the profile, and without a cache folder. */
async function pathOf(context: Context): Promise<string | undefined> {
  if (context.globals.sandbox) return undefined;
  const { baseUrl, profile } = await context.settings();
  const folder = cacheFolder(context.io);
  if (folder === undefined || baseUrl.value === undefined) return undefined;
  return columnsPath(folder, { baseUrl: baseUrl.value, profile: profile.value });
}
