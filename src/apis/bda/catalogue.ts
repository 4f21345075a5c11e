import { distance } from 'fastest-levenshtein';
import { isRecord, type JsonRecord } from '../../json/index.ts';
import { anyFieldOf, listOf, scalarText } from './fields.ts';

/** A column as v1 or v2 lists it; what a listing leaves out is absent. */
export interface CatalogueColumn {
  readonly name: string;
  readonly type?: string;
  readonly unit?: string;
  readonly dataSets?: readonly string[];
  readonly description?: string;
}

/** A listing of columns, by name. */
export type ColumnCatalogue = ReadonlyMap<string, CatalogueColumn>;

const NAME_FIELDS = ['name', 'column', 'columnName', 'data', 'key', 'id'];

/** Reads a columns listing of v1 or v2; undefined when no column can be found in it. */
export function readColumnCatalogue(listing: unknown): ColumnCatalogue | undefined {
  const columns = new Map<string, CatalogueColumn>();
  for (const item of listOf(listing)) {
    const column = typeof item === 'string' ? { name: item } : isRecord(item) ? readColumn(item) : undefined;
    if (column !== undefined) columns.set(column.name, column);
  }
  return columns.size > 0 ? columns : undefined;
}

function readColumn(record: JsonRecord): CatalogueColumn | undefined {
  const name = scalarText(anyFieldOf(record, ...NAME_FIELDS));
  if (name === undefined) return undefined;
  const type = scalarText(anyFieldOf(record, 'type', 'dataType'));
  const unit = scalarText(anyFieldOf(record, 'unit'));
  const dataSets = readDataSets(anyFieldOf(record, 'dataSets', 'dataSet'));
  const description = scalarText(anyFieldOf(record, 'description'));
  return {
    name,
    ...(type !== undefined && { type }),
    ...(unit !== undefined && { unit }),
    ...(dataSets !== undefined && { dataSets }),
    ...(description !== undefined && { description }),
  };
}

function readDataSets(value: unknown): string[] | undefined {
  const items = typeof value === 'string' ? [value] : Array.isArray(value) ? value : undefined;
  return items?.flatMap(
    item => scalarText(isRecord(item) ? anyFieldOf(item, 'name', 'dataSet', 'id') : item) ?? [],
  );
}

const loose = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** The column that is called so, or nearly so: `Country` and `Report Day` are `country` and `report_day`. */
export function columnCalled(catalogue: ColumnCatalogue, name: string): string | undefined {
  if (catalogue.has(name)) return name;
  return [...catalogue.keys()].find(column => loose(column) === loose(name));
}

/** Up to three names that may have been meant, nearest first; one that differs in letter case alone is the one. */
export function closeNames(names: Iterable<string>, name: string): string[] {
  const wanted = name.toLowerCase();
  const reach = reachOf(wanted);
  const close = [...names]
    .map(candidate => ({ candidate, far: farness(candidate.toLowerCase(), wanted, reach) }))
    .filter(({ far }) => far <= reach)
    .sort((a, b) => a.far - b.far || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, 3);
  const same = close.filter(({ far }) => far === 0);
  return (same.length > 0 ? same : close).map(({ candidate }) => candidate);
}

/** Edit distance; a name that holds the other is near whatever its length, and so is one with the same stem: Country, Countries. */
function farness(candidate: string, wanted: string, reach: number): number {
  const edits = distance(candidate, wanted);
  const holds = wanted.length >= 3 && (candidate.includes(wanted) || wanted.includes(candidate));
  const isKin = holds || stemOf(candidate, wanted) >= Math.max(4, (wanted.length * 2) / 3);
  return isKin ? Math.min(edits, reach) : edits;
}

/** Edits up to which a name may be the one meant: of a code of two letters any other one is a single edit away. */
function reachOf(wanted: string): number {
  if (wanted.length <= 2) return 0;
  return wanted.length <= 4 ? 1 : Math.max(2, Math.floor(wanted.length / 3));
}

function stemOf(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

/** `; close: "a", "b"`, or nothing when no name is close. */
export function closeNamesHint(names: Iterable<string>, name: string): string {
  const close = closeNames(names, name);
  return close.length === 0 ? '' : `; close: ${close.map(quoted).join(', ')}`;
}

export function quoted(name: string): string {
  return `"${name}"`;
}

const REVENUE_NAME = /revenue|epmv|rpm(_|$)/i;
const MONEY_UNIT = /^(currency|money|usd|eur|gbp|\$|€|£)$/i;

/** Whether v1 rounds the column as revenue: by its unit where known, else by its name. */
export function isRevenue(name: string, catalogue: ColumnCatalogue | undefined): boolean {
  const unit = catalogue?.get(name)?.unit;
  return REVENUE_NAME.test(name) || (unit !== undefined && MONEY_UNIT.test(unit));
}
