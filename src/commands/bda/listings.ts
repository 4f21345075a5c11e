import { fetchV1Listing } from '../../apis/bda-v1/listings.ts';
import { fetchListing } from '../../apis/bda-v2/listings.ts';
import type { JsonResponse } from '../../http/gateway.ts';
import type { Context } from '../framework/context.ts';
import { defineCommand, oneOf } from '../framework/define-command.ts';
import { OPEN } from '../framework/output-schema.ts';
import { cacheListedNames, domainNames, namesInListing } from './listed-names.ts';
import { bdaV1Site, bdaV2Site } from './site.ts';

/** Which of the two APIs is asked, where both have a listing. */
export const API_FLAG = oneOf('--api <version>', 'which API to ask: v2, or v1 with its saved reports', [
  'v1',
  'v2',
]);

/** A listing that both APIs have; v2's unless v1 is asked for. */
export async function listingOf(
  name: 'columns' | 'domains',
  api: 'v1' | 'v2' | undefined,
  context: Context,
): Promise<JsonResponse> {
  const gateway = await context.gateway();
  if (api === 'v1') return await fetchV1Listing(gateway, await bdaV1Site(context), `get${name}`);
  return await fetchListing(gateway, await bdaV2Site(context), name);
}

const SHAPE =
  'The shape of the answer is not documented; whatever comes is shown, and -o json passes it through whole.';

export const domains = defineCommand({
  name: 'domains',
  summary: 'list the sites of the account',
  description: `Lists the sites that analytics can be asked about; --domain of bda query takes their names, --domain-id their numbers. ${SHAPE}`,
  options: { api: API_FLAG },
  examples: [{ does: 'the sites and their numbers', command: 'gatectl bda domains' }],
  answers: OPEN,
  async run({ api }, context) {
    const listing = await listingOf('domains', api, context);
    await cacheListedNames('domain', listing, domainNames, context);
    await context.out.print(listing.body, { empty: 'the account has no sites' });
  },
});

export const dataSets = defineCommand({
  name: 'data-sets',
  summary: 'list what can be queried',
  description: `Lists the data sets for --data-set of bda query. Most reports of the older version are in the data set pageview. ${SHAPE}`,
  options: {},
  examples: [{ does: 'the data sets', command: 'gatectl bda data-sets' }],
  answers: OPEN,
  async run(_, context) {
    const listing = await fetchListing(await context.gateway(), await bdaV2Site(context), 'data-sets');
    await cacheListedNames(
      'data-set',
      listing,
      body => namesInListing(body, ['name', 'dataSet', 'id'], []),
      context,
    );
    await context.out.print(listing.body, { empty: 'there are no data sets' });
  },
});

export const dateRange = defineCommand({
  name: 'date-range',
  summary: 'show the first and the last day that hold data',
  description: `Shows from when to when there is data to ask about. ${SHAPE}`,
  options: {},
  examples: [{ does: 'the first and the last day', command: 'gatectl bda date-range' }],
  answers: OPEN,
  async run(_, context) {
    const listing = await fetchListing(await context.gateway(), await bdaV2Site(context), 'date-range');
    await context.out.print(listing.body, { empty: 'there is no data' });
  },
});
