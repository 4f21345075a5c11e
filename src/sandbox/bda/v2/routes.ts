import { BDA_V2_PREFIX } from '../../../wire/bda-v2.ts';
import { listingReply, type Route } from '../../routing.ts';
import { COLUMNS, columnsOf, type DataSet } from '../columns.ts';
import { daysWithData, dayText } from '../days.ts';
import type { Analytics, BdaState } from '../state.ts';
import { queryHandler } from './query.ts';
import { DATA_SETS } from './read-query.ts';

const DESCRIPTIONS: Readonly<Record<DataSet, string>> = {
  pageview: 'Page views, visits, engagement and revenue by day, site, page and reader',
  visit: 'Visits and what they brought, without pages',
  bulk: 'Ten million generated rows for export tests, not grouped',
};

/** Every column with its metadata. */
export function columnListing(): unknown {
  const columns = COLUMNS.filter(column => column.dataSets.length > 0);
  return {
    columns: columns.map(({ name, type, unit, description, role, dataSets }) => ({
      name,
      type,
      unit,
      description,
      role,
      data_sets: dataSets,
    })),
  };
}

/** The data sets and their columns. */
function dataSetListing(): unknown {
  return {
    data_sets: DATA_SETS.map(name => ({
      name,
      description: DESCRIPTIONS[name],
      columns: columnsOf(name).length,
    })),
  };
}

/** The first and last day with data. */
function dateRangeListing(today: number): unknown {
  const { first, last } = daysWithData(today);
  return { earliest_date: dayText(first), latest_date: dayText(last) };
}

/** BDA v2 (spec, Endpoints D): accepts the key in the header only. */
export function routesV2(state: BdaState, analytics: Analytics): readonly Route[] {
  const route = (method: string, path: string, handle: Route['handle']): Route => ({
    api: 'bda-v2',
    method,
    path: BDA_V2_PREFIX + path,
    key: 'header',
    handle,
  });
  return [
    route('GET', '/domains', () => {
      const { domains } = state.account;
      return listingReply({ domains: domains.map(({ id, domain }) => ({ domain_id: id, domain })) });
    }),
    route('GET', '/columns', () => listingReply(columnListing())),
    route('GET', '/data-sets', () => listingReply(dataSetListing())),
    route('GET', '/date-range', () => listingReply(dateRangeListing(analytics.today()))),
    route('POST', '/query', queryHandler(state, analytics)),
  ];
}
