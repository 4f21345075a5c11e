import { similar } from '../../errors/nearest.ts';
import { isRecord, type JsonRecord } from '../../json/index.ts';
import { anyFieldOf, isSameField, listOf, scalarText } from './fields.ts';

const ROLES = ['dimension', 'metric'] as const;
/** What a column is in a query, where its listing says so, which is not documented. */
type ColumnRole = (typeof ROLES)[number];

/** A column in a listing of v1 or v2. */
export interface CatalogueColumn {
  readonly name: string;
  readonly type?: string;
  readonly unit?: string;
  readonly label?: string;
  readonly role?: ColumnRole;
  readonly dataSets?: readonly string[];
  readonly description?: string;
}

/** Columns by name. */
export type ColumnCatalogue = ReadonlyMap<string, CatalogueColumn>;

const NAME_FIELDS = ['name', 'column', 'columnName', 'data', 'key', 'id'];
const TYPE_FIELDS = ['type', 'dataType'];
const UNIT_FIELDS = ['unit'];
const LABEL_FIELDS = ['label', 'displayName'];
const ROLE_FIELDS = ['role', 'kind'];
const DESCRIPTION_FIELDS = ['description'];

/** Reads a columns listing of v1 or v2; undefined if it contains no column. */
export function readColumnCatalogue(listing: unknown): ColumnCatalogue | undefined {
  const columns = new Map<string, CatalogueColumn>();
  for (const item of listOf(listing)) {
    const column = typeof item === 'string' ? { name: item } : isRecord(item) ? readColumn(item) : undefined;
    if (column !== undefined) columns.set(column.name, column);
  }
  return columns.size > 0 ? columns : undefined;
}

/** The fields of a columns listing beyond the name, type, unit and description of a column, the last one first. */
export function secondaryFields(listing: unknown): readonly string[] {
  const fields = new Set(listOf(listing).flatMap(item => (isRecord(item) ? Object.keys(item) : [])));
  const primary = [...NAME_FIELDS, ...TYPE_FIELDS, ...UNIT_FIELDS, ...DESCRIPTION_FIELDS];
  return [...fields].filter(field => !primary.some(name => isSameField(name, field))).reverse();
}

function readColumn(record: JsonRecord): CatalogueColumn | undefined {
  const name = scalarText(anyFieldOf(record, ...NAME_FIELDS));
  if (name === undefined) return undefined;
  const type = scalarText(anyFieldOf(record, ...TYPE_FIELDS));
  const unit = scalarText(anyFieldOf(record, ...UNIT_FIELDS));
  const label = scalarText(anyFieldOf(record, ...LABEL_FIELDS));
  const roleText = scalarText(anyFieldOf(record, ...ROLE_FIELDS))?.toLowerCase();
  const role = ROLES.find(word => word === roleText);
  const dataSets = readDataSets(anyFieldOf(record, 'dataSets', 'dataSet'));
  const description = scalarText(anyFieldOf(record, ...DESCRIPTION_FIELDS));
  return {
    name,
    ...(type !== undefined && { type }),
    ...(unit !== undefined && { unit }),
    ...(label !== undefined && label.trim() !== '' && { label }),
    ...(role !== undefined && { role }),
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

/** Finds a column by name, ignoring case and punctuation: `Report Day` is `report_day`. */
export function findColumn(catalogue: ColumnCatalogue, name: string): string | undefined {
  if (catalogue.has(name)) return name;
  return [...catalogue.keys()].find(column => loose(column) === loose(name));
}

/**
 * The columns that a word means, the best first: `countries` is country, `sources` is traffic_source, `pages` is page_url before
 * page_title.
 */
export function columnsMeant(names: readonly string[], word: string): readonly string[] {
  const one = singular(word);
  const exact = names.find(name => [word, one].some(each => loose(each) === loose(name)));
  if (exact !== undefined) return [exact];
  const having = names.filter(name => name.toLowerCase().split('_').includes(loose(one)));
  // An address identifies a page, and its title need not.
  const address = having.filter(name => name.endsWith('_url'));
  return [...new Set([...address, ...having])];
}

/** `country` for `countries`. */
export function singular(word: string): string {
  return word.replace(/ies$/i, 'y').replace(/s$/i, '');
}

/** Up to three similar names, best match first; only the exact match if one differs in case only. A date is a day. */
export function closeNames(names: Iterable<string>, name: string): string[] {
  const word = name.toLowerCase();
  const close = similar(name, [...names].sort(), { related: true });
  const same = close.filter(candidate => candidate.toLowerCase() === word);
  // `page` is rather page_url than pages_per_visit.
  const isPart = (candidate: string) => candidate.toLowerCase().startsWith(`${word}_`);
  const parts = close.filter(isPart);
  const found = ([same, parts].find(({ length }) => length > 0) ?? close).slice(0, 3);
  return found.length === 0 && word === 'date' ? closeNames(names, 'day') : found;
}

/** `; did you mean "a" or "b"?`, or empty if no name is similar. */
export function closeNamesHint(names: Iterable<string>, name: string): string {
  const close = closeNames(names, name);
  return close.length === 0 ? '' : `; did you mean ${close.map(quoted).join(' or ')}?`;
}

export function quoted(name: string): string {
  return `"${name}"`;
}

const REVENUE_NAME = /revenue|epmv|rpm(_|$)/i;
const MONEY_UNIT = /^(currency|money|usd|eur|gbp|\$|€|£)$/i;

/** Whether v1 rounds the column as revenue, judged by its unit or its name. */
export function isRevenue(name: string, catalogue: ColumnCatalogue | undefined): boolean {
  const unit = catalogue?.get(name)?.unit;
  return REVENUE_NAME.test(name) || (unit !== undefined && MONEY_UNIT.test(unit));
}
