export type DataSet = 'pageview' | 'visit' | 'bulk';

/** One of the tables that a dimension is read from; `fact` is always there. */
export type DimensionTable =
  | 'day'
  | 'site'
  | 'country'
  | 'device'
  | 'gender'
  | 'source'
  | 'page'
  | 'platform';

interface ColumnFacts {
  readonly name: string;
  readonly label: string;
  readonly type: 'string' | 'number' | 'date';
  readonly unit: string | null;
  readonly description: string;
  /** None: the column is v1's alone. */
  readonly dataSets: readonly DataSet[];
  /** SQL over `fact` and the dimension tables; for a metric an aggregate. */
  readonly sql: string;
}

export interface Dimension extends ColumnFacts {
  readonly role: 'dimension';
  /** Absent for a column of the bulk data set alone. */
  readonly table?: DimensionTable;
}

export interface Metric extends ColumnFacts {
  readonly role: 'metric';
  /** Decimals that the SQL value carries as a scaled integer; absent for a quotient. */
  readonly decimals?: number;
}

export type Column = Dimension | Metric;

/** Decimals of revenue. Sums have more digits than a double keeps. */
export const REVENUE_DECIMALS = 13;
/** The currency of the sandbox's money. */
/** The unit of every revenue column. */
export const CURRENCY = 'USD';

const EVERYWHERE: readonly DataSet[] = ['pageview', 'visit', 'bulk'];
const AGGREGATED: readonly DataSet[] = ['pageview', 'visit'];

function dimension(
  name: string,
  label: string,
  dataSets: readonly DataSet[],
  [table, field]: [DimensionTable, string],
  description: string,
  type: 'string' | 'date' = 'string',
): Dimension {
  const sql = `${table}.${field}`;
  return { role: 'dimension', name, label, type, unit: null, description, dataSets, table, sql };
}

function sum(
  name: string,
  label: string,
  dataSets: readonly DataSet[],
  facts: { field: string; unit: string; decimals?: number },
  description: string,
): Metric {
  const { field, unit, decimals = 0 } = facts;
  const sql = `sum(fact.${field})`;
  return { role: 'metric', name, label, type: 'number', unit, description, dataSets, sql, decimals };
}

function quotient(
  name: string,
  label: string,
  dataSets: readonly DataSet[],
  facts: { over: string; under: string; unit: string },
  description: string,
): Metric {
  const sql = `CAST(${facts.over} AS REAL) / nullif(sum(fact.${facts.under}), 0)`;
  return { role: 'metric', name, label, type: 'number', unit: facts.unit, description, dataSets, sql };
}

/** Every column, dimensions first. Requests name columns; only the SQL written here ever reaches the database. */
export const COLUMNS: readonly Column[] = [
  dimension('report_day', 'Day', EVERYWHERE, ['day', 'day'], 'Day in UTC, YYYY-MM-DD', 'date'),
  dimension('report_week', 'Week', AGGREGATED, ['day', 'week'], 'Monday of the week, YYYY-MM-DD', 'date'),
  dimension('report_month', 'Month', AGGREGATED, ['day', 'month'], 'Month, YYYY-MM', 'date'),
  dimension('site', 'Site', AGGREGATED, ['site', 'domain'], 'Domain of the site'),
  dimension('country', 'Country', EVERYWHERE, ['country', 'code'], 'Two-letter country code'),
  dimension('device', 'Device', AGGREGATED, ['device', 'name'], 'desktop, mobile or tablet'),
  dimension('gender', 'Gender', AGGREGATED, ['gender', 'name'], 'female, male or unknown'),
  dimension('traffic_source', 'Traffic source', AGGREGATED, ['source', 'name'], 'Where the visit came from'),
  dimension('page_url', 'Page URL', ['pageview', 'bulk'], ['page', 'url'], 'Address of the page'),
  dimension('page_title', 'Page title', ['pageview'], ['page', 'title'], 'Title of the page'),
  dimension(
    'author',
    'Author',
    ['pageview'],
    ['page', 'author'],
    'Author of the page; empty where none is known',
  ),
  {
    role: 'dimension',
    name: 'row_id',
    label: 'Row',
    type: 'number',
    unit: null,
    description: 'Number of the row in the bulk data set, 20 digits',
    dataSets: ['bulk'],
    sql: '',
  },
  sum('visits', 'Visits', EVERYWHERE, { field: 'visits', unit: 'count' }, 'Visits'),
  sum('pageviews', 'Pageviews', EVERYWHERE, { field: 'pageviews', unit: 'count' }, 'Page views'),
  sum(
    'engaged_page_pageviews',
    'Engaged pageviews',
    ['pageview'],
    { field: 'engaged_pageviews', unit: 'count' },
    'Page views on which the reader engaged',
  ),
  quotient(
    'engaged_pageviews_per_visit',
    'Engaged pageviews per visit',
    AGGREGATED,
    { over: 'sum(fact.engaged_pageviews)', under: 'visits', unit: 'count per visit' },
    'Engaged page views divided by visits',
  ),
  sum(
    'engaged_time',
    'Engaged time',
    EVERYWHERE,
    { field: 'engaged_ms', unit: 'seconds', decimals: 3 },
    'Seconds of engagement, added up',
  ),
  quotient(
    'bounce_rate',
    'Bounce rate',
    AGGREGATED,
    { over: 'sum(fact.bounces)', under: 'visits', unit: 'ratio' },
    'Visits of a single page divided by visits, 0 to 1',
  ),
  sum(
    'revenue',
    'Revenue',
    EVERYWHERE,
    { field: 'revenue', unit: CURRENCY, decimals: REVENUE_DECIMALS },
    'Revenue at full precision',
  ),
  quotient(
    'epmv',
    'EPMV',
    AGGREGATED,
    { over: `sum(fact.revenue) / 1e${REVENUE_DECIMALS - 3}`, under: 'visits', unit: CURRENCY },
    'Revenue per thousand visits',
  ),
  quotient(
    'copy_paste_per_pageview',
    'Copies per pageview',
    ['pageview'],
    { over: 'sum(fact.copies)', under: 'pageviews', unit: 'count per pageview' },
    'Copy events divided by page views',
  ),
  quotient(
    'pageviews_per_visit',
    'Pageviews per visit',
    [],
    { over: 'sum(fact.pageviews)', under: 'visits', unit: 'count per visit' },
    'Page views divided by visits',
  ),
  {
    role: 'metric',
    name: 'adjustment',
    label: 'Adjustment',
    type: 'number',
    unit: CURRENCY,
    description: 'Ledger adjustment, written in every form that JSON numbers can take',
    dataSets: ['bulk'],
    sql: '',
  },
];

/** The columns of a v2 data set. */
export function columnsOf(dataSet: DataSet): readonly Column[] {
  return COLUMNS.filter(column => column.dataSets.includes(dataSet));
}

/** v1's columns: everything but the bulk data set's own. */
export const COLUMNS_V1: readonly Column[] = COLUMNS.filter(column => column.sql !== '');
