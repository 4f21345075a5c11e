import { BDA_V2_PREFIX } from '../../../wire/bda-v2.ts';
import { json, type Route } from '../../routing.ts';
import type { Analytics, BdaState } from '../state.ts';
import { columnListing, dataSetListing, dateRangeListing, domainListing } from './listings.ts';
import { queryAnswer } from './query.ts';

/** BDA v2 (spec, Endpoints D): the key in the header alone. */
export function routesV2(state: BdaState, analytics: Analytics): readonly Route[] {
  const route = (method: string, path: string, answer: Route['answer']): Route => ({
    family: 'bda-v2',
    method,
    path: BDA_V2_PREFIX + path,
    key: 'header',
    answer,
  });
  return [
    route('GET', '/domains', () => json(200, domainListing(state.account))),
    route('GET', '/columns', () => json(200, columnListing())),
    route('GET', '/data-sets', () => json(200, dataSetListing())),
    route('GET', '/date-range', () => json(200, dateRangeListing(analytics.today()))),
    route('POST', '/query', queryAnswer(state, analytics)),
  ];
}
