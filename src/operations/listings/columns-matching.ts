import { closeNamesHint, readColumnCatalogue } from '../../apis/bda/catalogue.ts';
import { UsageError } from '../../errors/index.ts';
import { isList, isRecord, type Json } from '../../json/index.ts';
import type { Analytics } from './analytics.ts';

/** The columns of a data set, and those with a word in one of their texts. */
interface ColumnFilter {
  readonly dataSet: string | undefined;
  readonly search: string | undefined;
}

/**
 * A listing of columns with those that match. One that cannot be filtered is returned whole, with a warning. Throws UsageError for an
 * unknown data set.
 */
export function columnsMatching(
  listing: Json,
  { dataSet, search }: ColumnFilter,
  log: Analytics['log'],
): Json {
  const ofDataSet = dataSet !== undefined && namesDataSets(listing, dataSet, log) ? dataSet : undefined;
  if (search === undefined && ofDataSet === undefined) return listing;
  const shown = filterListing(
    listing,
    item =>
      (search === undefined || mentions(item, search)) &&
      (ofDataSet === undefined || isInDataSet(item, ofDataSet)),
  );
  if (shown === undefined) log.warn('the response is not a list of columns, so it is not filtered');
  return shown ?? listing;
}

/** Whether the listing names data sets of columns, which is not documented. Throws UsageError if `dataSet` is none of them. */
function namesDataSets(listing: Json, dataSet: string, log: Analytics['log']): boolean {
  const isNamed = requireDataSet(readColumnCatalogue(listing)?.values() ?? [], dataSet);
  if (!isNamed) log.warn('the response names no data sets, so the columns are not filtered by one');
  return isNamed;
}

/** Whether columns name data sets. Throws UsageError if `dataSet` is none of them. */
export function requireDataSet(
  columns: Iterable<{ readonly dataSets?: readonly string[] | undefined }>,
  dataSet: string,
): boolean {
  const known = new Set([...columns].flatMap(({ dataSets = [] }) => dataSets));
  if (known.size === 0 || known.has(dataSet)) return known.size > 0;
  throw new UsageError(`there is no data set ${dataSet}${closeNamesHint(known, dataSet)}`, {
    code: 'unknown_name',
    reason: 'unknown_data_set',
  });
}

function isInDataSet(item: Json, dataSet: string): boolean {
  const [column] = readColumnCatalogue([item])?.values() ?? [];
  return column?.dataSets?.includes(dataSet) ?? false;
}

/**
 * Filters a listing: an array, or an object with exactly one array, whose other fields stay. Undefined for any other shape.
 */
function filterListing(listing: Json, matches: (item: Json) => boolean): Json | undefined {
  if (isList(listing)) return listing.filter(matches);
  if (!isRecord(listing)) return undefined;
  const lists = Object.entries(listing).filter(([, value]) => isList(value));
  const [found] = lists;
  if (found === undefined || lists.length > 1) return undefined;
  const [name, list] = found;
  return { ...listing, [name]: isList(list) ? list.filter(matches) : list };
}

/** Whether one of the texts of an item contains a word, ignoring case. Nested lists are ignored. */
function mentions(item: Json, word: string): boolean {
  const texts = isRecord(item) ? Object.values(item) : [item];
  const lower = word.toLowerCase();
  return texts.some(text => typeof text === 'string' && text.toLowerCase().includes(lower));
}
