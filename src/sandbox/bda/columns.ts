export type DataSet = 'pageview' | 'visit' | 'bulk';

/** The table of a dimension; `fact` is always joined. */
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
  /** Empty for a column of v1 only. */
  readonly dataSets: readonly DataSet[];
  /** SQL expression over `fact` and the dimension tables; an aggregate for a metric. */
  readonly sql: string;
}

export interface Dimension extends ColumnFacts {
  readonly role: 'dimension';
  /** Absent for a column of the bulk data set only. */
  readonly table?: DimensionTable;
}

export interface Metric extends ColumnFacts {
  readonly role: 'metric';
  /** Number of decimals of the scaled integer in SQL; absent for a quotient. */
  readonly decimals?: number;
}

export type Column = Dimension | Metric;

/** Decimals of revenue. Sums exceed the precision of a double. */
export const REVENUE_DECIMALS = 13;
/** The unit of every revenue column. */
export const CURRENCY = 'USD';

const ALL_SETS: readonly DataSet[] = ['pageview', 'visit', 'bulk'];
const GROUPED_SETS: readonly DataSet[] = ['pageview', 'visit'];

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

/** Every column, dimensions first. Requests select columns by name; the SQL is fixed here. */
export const COLUMNS: readonly Column[] = [
  dimension('report_day', 'Day', ALL_SETS, ['day', 'day'], 'Day in UTC, YYYY-MM-DD', 'date'),
  dimension('report_week', 'Week', GROUPED_SETS, ['day', 'week'], 'Monday of the week, YYYY-MM-DD', 'date'),
  dimension('report_month', 'Month', GROUPED_SETS, ['day', 'month'], 'Month, YYYY-MM', 'date'),
  dimension('site', 'Site', GROUPED_SETS, ['site', 'domain'], 'Domain of the site'),
  dimension('country', 'Country', ALL_SETS, ['country', 'code'], 'Two-letter country code'),
  dimension('device', 'Device', GROUPED_SETS, ['device', 'name'], 'desktop, mobile or tablet'),
  dimension('gender', 'Gender', GROUPED_SETS, ['gender', 'name'], 'female, male or unknown'),
  dimension(
    'traffic_source',
    'Traffic source',
    GROUPED_SETS,
    ['source', 'name'],
    'Where the visit came from',
  ),
  dimension('page_url', 'Page URL', ['pageview', 'bulk'], ['page', 'url'], 'Address of the page'),
  dimension('page_title', 'Page title', ['pageview'], ['page', 'title'], 'Title of the page'),
  dimension('author', 'Author', ['pageview'], ['page', 'author'], 'Author of the page; empty if unknown'),
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
  sum('visits', 'Visits', ALL_SETS, { field: 'visits', unit: 'count' }, 'Visits'),
  sum('pageviews', 'Pageviews', ALL_SETS, { field: 'pageviews', unit: 'count' }, 'Page views'),
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
    GROUPED_SETS,
    { over: 'sum(fact.engaged_pageviews)', under: 'visits', unit: 'count per visit' },
    'Engaged page views divided by visits',
  ),
  sum(
    'engaged_time',
    'Engaged time',
    ALL_SETS,
    { field: 'engaged_ms', unit: 'seconds', decimals: 3 },
    'Total seconds of engagement',
  ),
  quotient(
    'bounce_rate',
    'Bounce rate',
    GROUPED_SETS,
    { over: 'sum(fact.bounces)', under: 'visits', unit: 'ratio' },
    'Visits of a single page divided by visits, 0 to 1',
  ),
  sum(
    'revenue',
    'Revenue',
    ALL_SETS,
    { field: 'revenue', unit: CURRENCY, decimals: REVENUE_DECIMALS },
    'Revenue at full precision',
  ),
  quotient(
    'epmv',
    'EPMV',
    GROUPED_SETS,
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
    description: 'Ledger adjustment, in various spellings of JSON numbers',
    dataSets: ['bulk'],
    sql: '',
  },
];

/** The columns of a v2 data set. */
export function columnsOf(dataSet: DataSet): readonly Column[] {
  return COLUMNS.filter(column => column.dataSets.includes(dataSet));
}

/** The columns of v1: all except those of the bulk data set. */
export const COLUMNS_V1: readonly Column[] = COLUMNS.filter(column => column.sql !== '');
