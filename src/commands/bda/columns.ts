import { readColumnCatalogue } from '../../apis/bda/catalogue.ts';
import { filterListing, mentions } from '../../apis/bda/listing-filter.ts';
import { FileError, UsageError } from '../../errors/index.ts';
import type { Json } from '../../json/index.ts';
import type { Context } from '../framework/context.ts';
import { boolean, defineCommand, string } from '../framework/define-command.ts';
import { OPEN } from '../framework/output-schema.ts';
import { cacheColumns } from './column-catalogue.ts';
import { API_FLAG, listingOf } from './listings.ts';

export const columns = defineCommand({
  name: 'columns',
  summary: 'list the dimensions and metrics',
  description:
    'Lists the columns that bda query can ask for and filter by, or with --api v1 those of saved reports, with their type, unit, description and data sets. What is listed is also kept, per profile, for shell completion, for suggestions and for reading filter values; an answer is never taken from there.',
  options: {
    api: API_FLAG,
    search: string('--search <word>', 'only columns with this word in their name, description or unit'),
    dataSet: string('--data-set <name>', 'only columns of this data set', { completes: 'data-set' }),
    refresh: boolean('--refresh', 'make sure that the kept list is new: fail when it can not be kept'),
  },
  examples: [
    { does: 'everything about revenue', command: 'gatectl bda columns --search revenue' },
    { does: 'the columns of saved reports', command: 'gatectl bda columns --api v1' },
    { does: 'one data set, for a spreadsheet', command: 'gatectl bda columns --data-set pageview --csv' },
  ],
  answers: OPEN,
  async run({ api, search, dataSet, refresh }, context) {
    if (api === 'v1' && (dataSet !== undefined || refresh))
      throw new UsageError(`--api v1 and ${refresh ? '--refresh' : '--data-set'} don't go together`, {
        hints: ['the older API has no data sets, and its columns are not kept'],
      });
    const listing = await listingOf('columns', api, context);
    if (api !== 'v1') await keep(listing, refresh, context);
    const wanted = (item: Json) =>
      (search === undefined || mentions(item, search)) &&
      (dataSet === undefined || isInDataSet(item, dataSet));
    const isFiltered = search !== undefined || dataSet !== undefined;
    const shown = isFiltered ? filterListing(listing, wanted) : listing;
    if (shown === undefined) {
      context.log.warn('the answer is no list of columns, so nothing could be left out of it');
    }
    await context.out.print(shown ?? listing, { empty: 'no column is like that' });
  },
});

async function keep(listing: Json, refresh: boolean, context: Context): Promise<void> {
  try {
    const count = await cacheColumns(listing, context);
    if (!refresh) return;
    if (count === 0)
      throw new UsageError('there is nothing to keep', {
        hints: [
          'the embedded gateway is not kept, and without a home folder there is no place: set XDG_CACHE_HOME',
        ],
      });
    context.log.note(`${count} columns are kept for completion, suggestions and filter values`);
  } catch (error) {
    // Listing columns must work where nothing can be written.
    if (refresh || !(error instanceof FileError)) throw error;
  }
}

function isInDataSet(item: Json, dataSet: string): boolean {
  const [column] = readColumnCatalogue([item])?.values() ?? [];
  return column?.dataSets?.includes(dataSet) ?? false;
}
