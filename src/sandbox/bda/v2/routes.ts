import { BDA_V2_PREFIX } from '../../../wire/bda-v2.ts';
import { listingReply, type Route } from '../../routing.ts';
import type { Analytics, BdaState } from '../state.ts';
import { columnListing, dataSetListing, dateRangeListing, domainListing } from './listings.ts';
import { queryAnswer } from './query.ts';

/** BDA v2 (spec, Endpoints D): the key in the header alone. */
export function routesV2(state: BdaState, analytics: Analytics): readonly Route[] {
  const route = (method: string, path: string, answer: Route['answer']): Route => ({
    api: 'bda-v2',
    method,
    path: BDA_V2_PREFIX + path,
    key: 'header',
    answer,
  });
  return [
    route('GET', '/domains', () => listingReply(domainListing(state.account))),
    route('GET', '/columns', () => listingReply(columnListing())),
    route('GET', '/data-sets', () => listingReply(dataSetListing())),
    route('GET', '/date-range', () => listingReply(dateRangeListing(analytics.today()))),
    route('POST', '/query', queryAnswer(state, analytics)),
  ];
}
