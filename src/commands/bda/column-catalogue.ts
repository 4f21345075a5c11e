import { readColumnCatalogue } from '../../apis/bda/catalogue.ts';
import { type FilterExpression, needsColumnType } from '../../apis/bda/filter-expression.ts';
import type { KindOf } from '../../apis/bda/filter-values.ts';
import { columnsPath, type KnownColumn, readColumns, writeColumns } from '../../apis/bda/listing-cache.ts';
import { valueKindOfType } from '../../apis/bda/value-kind.ts';
import { fetchListing } from '../../apis/bda-v2/listings.ts';
import { cacheFolder } from '../../config/platform.ts';
import { GatectlError, InterruptedError } from '../../errors/index.ts';
import type { JsonResponse } from '../../http/gateway.ts';
import type { Json } from '../../json/index.ts';
import type { Context } from '../framework/context.ts';
import { bdaV2Site } from './site.ts';

/** The columns as they were last listed for this profile; undefined where they were not. For completion and suggestions. */
export async function columnCatalogue(context: Context): Promise<readonly KnownColumn[] | undefined> {
  const path = await pathOf(context);
  return path === undefined ? undefined : await readColumns(path);
}

/** The names of the columns: those that are kept, else (where it may `ask`) those that are listed now; none where that fails. */
export async function columnNames(
  context: Context,
  { ask }: { readonly ask: boolean },
): Promise<readonly string[]> {
  const columns = (await columnCatalogue(context)) ?? (ask ? await listColumns(context) : []);
  return columns.map(({ name }) => name);
}

/**
 * Caches the columns of a listing; resolves to their number, 0 where none can be read or the listing is marked `no-store`.
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
 * What kinds of values the columns of some filters hold, as far as is known. The gateway is asked only where a value can't be
 * read without: `id=123` may mean a number or a text.
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
 * The units of some columns, as far as is known. Where the kept list does not have the columns, `list` asks for one: a listing
 * that fails is as good as none.
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

/** The columns as they are now; none when the gateway does not tell them, which the query itself will run into. */
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

/** Undefined where nothing is kept: the embedded gateway is another one each time. */
async function pathOf(context: Context): Promise<string | undefined> {
  if (context.globals.sandbox) return undefined;
  const { baseUrl, profile } = await context.settings();
  const folder = cacheFolder(context.io);
  if (folder === undefined || baseUrl.value === undefined) return undefined;
  return columnsPath(folder, { baseUrl: baseUrl.value, profile: profile.value });
}
