import type { Account } from '../../routing.ts';
import { COLUMNS, columnsOf, type DataSet } from '../columns.ts';
import { daysWithData, dayText } from '../days.ts';
import { DATA_SETS } from './read-query.ts';

const DESCRIPTIONS: Readonly<Record<DataSet, string>> = {
  pageview: 'Page views, visits, engagement and revenue by day, site, page and reader',
  visit: 'Visits and what they brought, without pages',
  bulk: 'Ten million single rows for export tests: made as they are sent, not grouped',
};

/** The account's sites. */
export function domainListing(account: Account): unknown {
  return { domains: account.domains.map(({ id, domain }) => ({ domain_id: id, domain })) };
}

/** Every column with what is known about it. */
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
export function dataSetListing(): unknown {
  return {
    data_sets: DATA_SETS.map(name => ({
      name,
      description: DESCRIPTIONS[name],
      columns: columnsOf(name).length,
    })),
  };
}

/** The days that hold data on a day. */
export function dateRangeListing(today: number): unknown {
  const { first, last } = daysWithData(today);
  return { earliest_date: dayText(first), latest_date: dayText(last) };
}
