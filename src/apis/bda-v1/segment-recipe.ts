import { isRecord, type JsonRecord } from '../../json/index.ts';
import { closeNames, quoted } from '../bda/catalogue.ts';
import { anyFieldOf, idOf, isFilledStructure, listOf, recordWithId, scalarText } from '../bda/fields.ts';
import type { FilterExpression } from '../bda/filter-expression.ts';
import { operationId } from './data-request.ts';

/** The listings that resolve the names in a segment, unparsed. */
interface SegmentListings {
  readonly multifilters: unknown;
  readonly types: unknown;
  /** Required for plain filters only. */
  readonly filters: unknown;
}

/** Selected options of a multifilter: `country` and its keys or labels. */
export interface OptionChoice {
  readonly filter: string;
  readonly options: readonly string[];
}

/** A name that the listings do not contain. */
export class SegmentProblem extends Error {
  override readonly name = 'SegmentProblem';
  /** What to use instead. */
  readonly instead: string;
  /** The listing with further choices, if any. */
  readonly listing: keyof SegmentListings | undefined;

  constructor(message: string, instead: string, listing?: keyof SegmentListings) {
    super(message);
    this.instead = instead;
    this.listing = listing;
  }
}

/**
 * The body of `createsegment` (spec, Endpoints C): resolves names of multifilters and plain filters to ids, and labels to option
 * keys. Throws SegmentProblem for unknown names.
 */
export function segmentOf(
  name: string,
  choices: readonly OptionChoice[],
  plain: readonly FilterExpression[],
  listings: SegmentListings,
): JsonRecord {
  const multi = choices.map(choice => multifilterEntry(choice, listings));
  const filters = plain.map(filter => plainEntry(filter, listings.filters));
  return {
    SegmentName: name,
    ...(filters.length > 0 && { SegmentFilters: byId(filters) }),
    ...(multi.length > 0 && { SegmentMultiFilters: byId(multi) }),
  };
}

type Entry = readonly [id: string, called: string, value: JsonRecord];

function byId(entries: readonly Entry[]): JsonRecord {
  const duplicate = entries.find(([id], index) => entries.findIndex(([other]) => other === id) < index);
  if (duplicate !== undefined)
    throw new SegmentProblem(
      `duplicate filter ${duplicate[1]}`,
      'pass all of its values in one flag, separated by commas',
    );
  return Object.fromEntries(entries.map(([id, , value]) => [id, value]));
}

function multifilterEntry(
  { filter, options }: OptionChoice,
  { multifilters, types }: SegmentListings,
): Entry {
  const named = new Map<string, JsonRecord>();
  for (const item of listOf(multifilters)) {
    const name = isRecord(item) ? scalarText(anyFieldOf(item, 'FilterName', 'Name')) : undefined;
    if (isRecord(item) && name !== undefined) named.set(name, item);
  }
  const found = named.get(called(filter, named.keys()) ?? '');
  const id = found && idOf(anyFieldOf(found, 'MultiFilterId', 'Id'));
  const type = found && idOf(anyFieldOf(found, 'MultiFilterTypeId', 'TypeId'));
  if (id === undefined || type === undefined) throw unlisted('multifilter', filter, [...named.keys()]);
  const known = optionsOf(types, type);
  if (known === undefined)
    throw new SegmentProblem(
      `the options of the multifilter ${filter} (type ${type}) are not listed`,
      'create the segment from JSON instead',
      'types',
    );
  const keys = [...new Set(options.map(option => optionKey(option, known, filter)))];
  return [id, filter, { FilterValues: keys }];
}

/** The option keys of a type with their labels, from an object of labels, or a list of keys or records. Undefined if there are none. */
function optionsOf(types: unknown, type: string): ReadonlyMap<string, string> | undefined {
  const options = keyedBy(type, types) ?? listedFor(type, types);
  const pairs = Array.isArray(options) ? options.flatMap(listedOption) : labelled(options);
  return pairs.length === 0 ? undefined : new Map(pairs);
}

/** The options keyed by type id, at the top level or in one wrapper. */
function keyedBy(type: string, types: unknown): unknown {
  if (!isRecord(types)) return undefined;
  const holder = [types, ...Object.values(types)].find(
    value => isRecord(value) && Object.hasOwn(value, type),
  );
  const options = isRecord(holder) ? holder[type] : undefined;
  return isRecord(options) ? (optionsField(options) ?? options) : options;
}

/** The options in a record with the type id. */
function listedFor(type: string, types: unknown): unknown {
  const record = recordWithId(types, type, ['MultiFilterTypeId', 'TypeId', 'Id']);
  if (record === undefined) return undefined;
  const structures = Object.values(record).filter(
    value => typeof value === 'object' && isFilledStructure(value),
  );
  return optionsField(record) ?? (structures.length === 1 ? structures[0] : undefined);
}

function optionsField(record: JsonRecord): unknown {
  const found = anyFieldOf(record, 'Options', 'OptionKeys', 'Keys', 'Values');
  return typeof found === 'object' ? found : undefined;
}

function listedOption(item: unknown): [string, string][] {
  const key = isRecord(item) ? idOf(anyFieldOf(item, 'Key', 'OptionKey', 'Value', 'Id')) : idOf(item);
  if (key === undefined) return [];
  const label = isRecord(item) ? scalarText(anyFieldOf(item, 'Label', 'Name', 'Title')) : undefined;
  return [[key, label ?? key]];
}

function labelled(options: unknown): [string, string][] {
  if (!isRecord(options)) return [];
  return Object.entries(options).map(([key, label]) => [key, scalarText(label) ?? key]);
}

function optionKey(option: string, known: ReadonlyMap<string, string>, filter: string): string {
  if (known.has(option)) return option;
  const folded = option.toLowerCase();
  for (const [key, label] of known)
    if (key.toLowerCase() === folded || label.toLowerCase() === folded) return key;
  const close = [...known].flatMap(([key, label]) =>
    closeNames([key, label], option).length > 0 ? [label === key ? key : `${key} (${label})`] : [],
  );
  const message = `${quoted(option)} is not an option of ${filter}`;
  if (close.length > 0) throw new SegmentProblem(message, `did you mean ${close.slice(0, 5).join(' or ')}?`);
  throw new SegmentProblem(message, `it has ${known.size} options`, 'types');
}

function plainEntry({ column, operator, values }: FilterExpression, filters: unknown): Entry {
  const named = new Map<string, JsonRecord>();
  for (const item of listOf(filters)) {
    if (!isRecord(item)) continue;
    const names = [anyFieldOf(item, 'FilterKey', 'Column', 'Data'), anyFieldOf(item, 'FilterName', 'Name')];
    for (const name of names.map(scalarText))
      if (name !== undefined && !named.has(name)) named.set(name, item);
  }
  const found = named.get(called(column, named.keys()) ?? '');
  const id = found && idOf(anyFieldOf(found, 'FilterId', 'Id'));
  if (found === undefined || id === undefined) throw unlisted('filter', column, [...named.keys()]);
  const operation = operationIn(found, operator, column);
  return [id, column, { FilterIntOperationId: operation, FilterValue: values[0]?.text ?? '' }];
}

/** The id of an operation: the id or name that the filter lists, or else the operator itself. */
function operationIn(filter: JsonRecord, operator: string, column: string): string {
  const word = operationId(operator);
  const offered = listOf(anyFieldOf(filter, 'Operations') ?? []).flatMap(item => {
    const name = isRecord(item)
      ? scalarText(anyFieldOf(item, 'Name', 'Operation', 'Title'))
      : scalarText(item);
    const id = isRecord(item) ? idOf(anyFieldOf(item, 'Id', 'OperationId')) : undefined;
    return name === undefined ? [] : [{ name, id: id ?? name }];
  });
  const found = offered.find(({ name }) => operationId(name.toLowerCase()) === word);
  if (found !== undefined || offered.length === 0) return found?.id ?? word;
  throw new SegmentProblem(
    `the filter ${column} has no operation ${word}`,
    `its operations: ${offered.map(({ name }) => name.toLowerCase()).join(', ')}`,
  );
}

/** Finds a listed name, ignoring case. */
function called(name: string, names: Iterable<string>): string | undefined {
  const all = [...names];
  return all.find(known => known === name) ?? all.find(known => known.toLowerCase() === name.toLowerCase());
}

function unlisted(what: 'multifilter' | 'filter', name: string, names: readonly string[]): SegmentProblem {
  const message = `there is no ${what} ${quoted(name)}`;
  if (names.length === 0) return new SegmentProblem(message, 'the gateway lists none', `${what}s`);
  const close = closeNames(names, name);
  return new SegmentProblem(
    message,
    close.length > 0 ? `did you mean ${close.map(quoted).join(' or ')}?` : `available: ${names.join(', ')}`,
  );
}
