import { isDay } from '../../apis/bda/days.ts';
import { fetchListing } from '../../apis/bda-v2/listings.ts';
import { type Json, textOf } from '../../json/index.ts';
import { bdaV2Site } from '../../operations/listings/analytics.ts';
import { cacheListedNames, domainNames } from '../../operations/listings/listed-names.ts';
import { dataSetListing, listingOf } from '../../operations/listings/listings.ts';
import { presentationOf } from '../../output/presentation/index.ts';
import { gridOf } from '../../output/shape.ts';
import type { Column } from '../../output/view.ts';
import { defineCommand, oneOf } from '../framework/define-command.ts';
import { OPEN } from '../framework/output-schema.ts';
import { COLUMNS_FLAG } from '../framework/shared-flags.ts';

/** Selects the API, for listings that both have. */
export const API_FLAG = oneOf('--api <version>', 'API version: v2 (default), or v1 with saved reports', [
  'v1',
  'v2',
]);

const SHAPE = 'The shape of the response is not documented; -o json prints it unchanged.';

export const domains = defineCommand({
  name: 'domains',
  effect: 'read',
  summary: 'list the sites of the account',
  description: `Lists the sites with analytics. Pass a name to --domain, or an id to --domain-id, of bda query. ${SHAPE}`,
  options: { api: API_FLAG, ...COLUMNS_FLAG },
  examples: { 'gatectl bda domains': 'list the sites and their ids' },
  output: OPEN,
  async run({ api, columns }, context) {
    const listing = await listingOf('domains', api, context);
    await cacheListedNames('domain', listing, domainNames, context);
    await context.out.print(listing.body, { chosen: columns, empty: 'the account has no sites' });
  },
});

export const dataSets = defineCommand({
  name: 'data-sets',
  effect: 'read',
  summary: 'list the data sets',
  description: `Lists the data sets for --data-set of bda query. Most v1 reports correspond to the data set pageview. ${SHAPE}`,
  options: COLUMNS_FLAG,
  examples: { 'gatectl bda data-sets': 'list the data sets' },
  output: OPEN,
  async run(flags, context) {
    const listing = await dataSetListing(context);
    await context.out.print(listing, { chosen: flags.columns, empty: 'no data sets' });
  },
});

export const dateRange = defineCommand({
  name: 'date-range',
  effect: 'read',
  summary: 'show the first and the last day with data',
  description: `Shows the earliest and the latest day with data. ${SHAPE}`,
  options: {},
  examples: { 'gatectl bda date-range': 'show the first and the last day' },
  output: OPEN,
  async run(_, context) {
    const listing = await fetchListing(await context.gateway(), await bdaV2Site(context), 'date-range');
    await context.out.print(listing.body, { columns: dayColumns(listing.body), empty: 'no data' });
  },
});

/** The fields of a listing, of which people read those with days as in other tables. */
function dayColumns(listing: Json): Column[] {
  const { columns, rows } = gridOf(listing, {});
  return columns.map(({ key }) => {
    const presentation = presentationOf(key);
    const texts = rows.map(row => textOf(row[key])).filter(text => text !== '');
    return { key, presentation: texts.every(isDay) ? { ...presentation, time: 'day' } : presentation };
  });
}
