// BDA v1, written from the specification alone. Where it is silent, this gateway has chosen:
//  - a body is rejected for any member that is not documented, any value of another type than documented, and any word in another
//    spelling than documented; null is a member that is not there;
//  - MaxItems is required and at least 1, StartItem at least 0, DomainId at least 1 (a site of another account has no rows);
//  - RevenueDecimalPlaces is 0 to 6; without it, revenue is rounded to 2 decimals, halves away from zero;
//  - a column is named once; its type is one of the two words, whatever the column; a filter has all four members;
//  - with DateGrouping, the time columns become one that holds the beginning of the period; a request without one gets it first;
//  - ColumnNumber counts the columns that the request names; rows without an order are in that of their dimensions;
//  - with segments, rows begin with the name of their segment; MaxItems and StartItem count those of all segments, which are ordered
//    together; an empty list of segments gives none, so that those of the report apply; one that is listed twice counts once;
//  - of a report with several charts, the rows of each follow those before it; MaxItems and StartItem count those of one chart;
//  - a request for a saved report has no columns, order or filters of its own; BASE_LAST_7 are the seven days before today.
import {
  type Cell,
  type Condition,
  DIMENSIONS,
  dayAfter,
  isDay,
  METRICS,
  type Question,
  type Row,
  rowsOf,
  sorted,
  TIMES,
} from './facts.ts';

type Body = Record<string, unknown>;

/** Why v1 rejects a request. */
export class Rejected extends Error {}

export interface AnswerV1 {
  /** In the order of the columns of each row. */
  readonly rows: readonly Row[];
  /** The decimals of revenue. */
  readonly decimals: number;
}

export const SEGMENTS = [
  { id: 1, SegmentName: 'All users' },
  { id: 2, SegmentName: 'Desktop', SegmentMultiFilters: { '12': { FilterValues: ['desktop'] } } },
  { id: 201, SegmentName: 'Europe', SegmentMultiFilters: { '11': { FilterValues: ['DE', 'FR'] } } },
  {
    id: 202,
    SegmentName: 'Busy America',
    SegmentFilters: { '31': { FilterIntOperationId: 'GREATER', FilterValue: '4' } },
    SegmentMultiFilters: { '11': { FilterValues: ['US'] } },
  },
];

export const MULTIFILTERS = [
  { FilterName: 'Country', MultiFilterId: 11, MultiFilterTypeId: 1 },
  { FilterName: 'Device', MultiFilterId: 12, MultiFilterTypeId: 2 },
];
export const FILTERS = [{ FilterId: 31, FilterKey: 'visits' }];
const MULTIFILTER_COLUMNS: Record<string, string> = { '11': 'country', '12': 'device' };

const column = (Data: string) => ({ Data, Type: METRICS[Data] ? 'number' : 'string' });

export const REPORTS = [
  {
    id: 901,
    ReportTitle: 'Countries',
    ReportDateRange: { BaseSelectId: 'BASE_LAST_7' },
    Charts: [
      {
        Name: 'by country',
        DimensionColumns: [column('country')],
        MetricColumns: [column('visits'), column('revenue')],
        Segments: [],
        Order: { ColumnNumber: 2, Direction: 'DESC' },
      },
    ],
  },
  {
    id: 902,
    ReportTitle: 'Pages of Europe',
    ReportDateRange: { BaseSelectId: 'BASE_NOT_SELECTED' },
    Charts: [
      {
        Name: 'pages',
        DimensionColumns: [column('report_day'), column('page_url')],
        MetricColumns: [column('pageviews')],
        Segments: [201],
      },
    ],
  },
  {
    id: 903,
    ReportTitle: 'Two charts',
    ReportDateRange: { BaseSelectId: 'BASE_NOT_SELECTED' },
    Charts: [
      {
        Name: 'by device',
        DimensionColumns: [column('device')],
        MetricColumns: [column('visits'), column('bounce_rate')],
        Segments: [],
        Order: { ColumnNumber: 0, Direction: 'ASC' },
      },
      {
        Name: 'by day',
        DimensionColumns: [column('report_day')],
        MetricColumns: [column('revenue')],
        Segments: [2, 201],
        Order: { ColumnNumber: 1, Direction: 'DESC' },
      },
    ],
  },
];

const CHOICES: Record<string, readonly string[]> = {
  Platform: ['Service', 'SERVICE', 'Orig', 'ORIG', 'ALL'],
  DateGrouping: ['DAILY', 'WEEKLY', 'MONTHLY'],
  UrlParams: ['include', 'exclude'],
  UrlFragments: ['include', 'exclude'],
};
const INTEGERS: Record<string, readonly [number, number]> = {
  StartItem: [0, Number.MAX_SAFE_INTEGER],
  MaxItems: [1, Number.MAX_SAFE_INTEGER],
  DomainId: [1, Number.MAX_SAFE_INTEGER],
  RevenueDecimalPlaces: [0, 6],
};
const INLINE = ['DimensionColumns', 'MetricColumns', 'Order', 'Filters'];
const KNOWN = [
  ...Object.keys(CHOICES),
  ...Object.keys(INTEGERS),
  'StartDate',
  'EndDate',
  'SegmentIds',
  ...INLINE,
];

/** The answer to getCustomData, or with the id of a saved report to getdata. Throws Rejected. */
export function answerV1(request: unknown, today: string, reportId?: number): AnswerV1 {
  const body = membersOf(request, 'the body', KNOWN);
  for (const [name, words] of Object.entries(CHOICES))
    if (body[name] !== undefined && !words.includes(body[name] as string)) throw new Rejected(name);
  for (const [name, [least, most]] of Object.entries(INTEGERS))
    if (body[name] !== undefined && !isInteger(body[name], least, most)) throw new Rejected(name);
  if (body.MaxItems === undefined) throw new Rejected('MaxItems is required');
  const report = reportId === undefined ? undefined : REPORTS.find(({ id }) => id === reportId);
  if (reportId !== undefined && report === undefined) throw new Rejected('no such report');
  if (report !== undefined && INLINE.some(name => body[name] !== undefined))
    throw new Rejected('columns of a report');
  const days = daysOf(body, report?.ReportDateRange.BaseSelectId, today);
  const charts = report === undefined ? [{ chart: body, embedded: [] }] : chartsOf(report);
  const decimals = (body.RevenueDecimalPlaces as number | undefined) ?? 2;
  return {
    decimals,
    rows: charts
      .flatMap(({ chart, embedded }) => rowsOfChart(chart, embedded, body, days))
      .map(row => rounded(row, decimals)),
  };
}

const chartsOf = ({ Charts }: (typeof REPORTS)[number]) =>
  Charts.map(chart => ({ chart: chart as Body, embedded: chart.Segments }));

/** The page of one chart. */
function rowsOfChart(
  chart: Body,
  embedded: readonly number[],
  body: Body,
  days: { readonly from: string; readonly to: string },
): Row[] {
  const columns = columnsOf(chart, body.DateGrouping as string | undefined);
  const segments = segmentsOf(body.SegmentIds, embedded);
  const order = orderOf(chart.Order, columns.named.length);
  const platform = { SERVICE: 'service', ORIG: 'original' }[
    String(body.Platform).toUpperCase()
  ] as Question['platform'];
  const question = {
    ...days,
    dimensions: columns.dimensions,
    metrics: columns.metrics,
    site: body.DomainId as number | undefined,
    platform,
    keepsParams: body.UrlParams !== 'exclude',
    keepsFragments: body.UrlFragments !== 'exclude',
  };
  const conditions = filtersOf(chart.Filters);
  const all = (segments.length === 0 ? [undefined] : segments).flatMap(segment =>
    rowsOf({ ...question, conditions: [...conditions, ...(segment?.conditions ?? [])] }).map(
      (row): Row => (segment ? { Segment: segment.name, ...row } : row),
    ),
  );
  const by = order && columns.named[order.index];
  const inOrder = by === undefined ? all : sorted(all, by, order?.descending === true);
  const start = (body.StartItem as number | undefined) ?? 0;
  return inOrder.slice(start, start + (body.MaxItems as number));
}

/** Revenue with so many decimals. */
export function rounded(row: Row, decimals: number): Row {
  if (typeof row.revenue !== 'number') return row;
  const unit = 10 ** (6 - decimals);
  return { ...row, revenue: (Math.floor(Math.round(row.revenue * 1e6) / unit + 0.5) * unit) / 1e6 };
}

function membersOf(value: unknown, what: string, known: readonly string[]): Body {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Rejected(`${what} is no object`);
  const entries = Object.entries(value).filter(([, member]) => member !== null);
  for (const [name] of entries) if (!known.includes(name)) throw new Rejected(`${name} in ${what}`);
  return Object.fromEntries(entries);
}

function isInteger(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;
}

function columnsOf(chart: Body, grouping: string | undefined) {
  const time = { DAILY: 'report_day', WEEKLY: 'report_week', MONTHLY: 'report_month' }[String(grouping)];
  const named = (list: unknown, known: Readonly<Record<string, unknown>>): string[] => {
    if (list === undefined) return [];
    if (!Array.isArray(list)) throw new Rejected('columns are no list');
    return list.map(item => {
      const { Data, Type } = membersOf(item, 'a column', ['Data', 'Type']);
      if (typeof Data !== 'string' || !Object.hasOwn(known, Data)) throw new Rejected(`no column ${Data}`);
      if (Type !== 'string' && Type !== 'number') throw new Rejected(`Type of ${Data}`);
      return Data;
    });
  };
  const dimensions = named(chart.DimensionColumns, DIMENSIONS);
  const metrics = named(chart.MetricColumns, METRICS);
  if (dimensions.length + metrics.length === 0) throw new Rejected('no columns');
  if (new Set(dimensions).size < dimensions.length || new Set(metrics).size < metrics.length)
    throw new Rejected('a column is named twice');
  if (time === undefined) return { named: [...dimensions, ...metrics], dimensions, metrics };
  const grouped = dimensions.map(name => (TIMES.includes(name) ? time : name));
  return {
    named: [...grouped, ...metrics],
    dimensions: [...new Set(grouped.includes(time) ? grouped : [time, ...grouped])],
    metrics,
  };
}

function orderOf(value: unknown, columns: number) {
  if (value === undefined || value === null) return undefined;
  const { ColumnNumber, Direction } = membersOf(value, 'an order', ['ColumnNumber', 'Direction']);
  if (!isInteger(ColumnNumber, 0, columns - 1)) throw new Rejected('ColumnNumber');
  if (Direction !== 'ASC' && Direction !== 'DESC') throw new Rejected('Direction');
  return { index: ColumnNumber, descending: Direction === 'DESC' };
}

function filtersOf(value: unknown): Condition[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Rejected('Filters');
  return value.map(item => {
    const names = ['Type', 'FilterKey', 'OperationId', 'FilterValue'];
    const filter = membersOf(item, 'a filter', names);
    if (filter.Type !== 'INCLUDE') throw new Rejected('Type of a filter');
    return conditionOf(filter.FilterKey, filter.OperationId, filter.FilterValue);
  });
}

function conditionOf(key: unknown, operation: unknown, value: unknown): Condition {
  if (typeof key !== 'string' || typeof value !== 'string') throw new Rejected('FilterKey or FilterValue');
  const isMetric = Object.hasOwn(METRICS, key);
  if (!isMetric && !Object.hasOwn(DIMENSIONS, key)) throw new Rejected('FilterKey');
  if (operation !== 'GREATER' && operation !== 'GREATER_OR_EQUAL') throw new Rejected('OperationId');
  if (isMetric && !/^-?\d+(\.\d+)?$/.test(value)) throw new Rejected('FilterValue');
  const bound = isMetric ? Number(value) : value;
  const matches = (cell: Cell) =>
    cell !== null && (cell > bound || (operation === 'GREATER_OR_EQUAL' && cell === bound));
  return { column: key, matches };
}

function segmentsOf(value: unknown, embedded: readonly number[]) {
  if (value !== undefined && !Array.isArray(value)) throw new Rejected('SegmentIds');
  const ids: readonly unknown[] = value === undefined || value.length === 0 ? embedded : value;
  return [...new Set(ids)].map(id => {
    const found = SEGMENTS.find(segment => segment.id === id);
    if (found === undefined) throw new Rejected(`no segment ${id}`);
    const plain = Object.entries(found.SegmentFilters ?? {}).map(([, each]) =>
      conditionOf('visits', each.FilterIntOperationId, each.FilterValue),
    );
    const multi = Object.entries(found.SegmentMultiFilters ?? {}).map(([filter, each]): Condition => {
      const values: readonly Cell[] = (each as { FilterValues: string[] }).FilterValues;
      return { column: MULTIFILTER_COLUMNS[filter] ?? '', matches: cell => values.includes(cell) };
    });
    return { name: found.SegmentName, conditions: [...plain, ...multi] };
  });
}

function daysOf(
  { StartDate, EndDate }: Body,
  base: string | undefined,
  today: string,
): { from: string; to: string } {
  if (StartDate === undefined && EndDate === undefined && base === 'BASE_LAST_7')
    return { from: dayAfter(today, -7), to: dayAfter(today, -1) };
  if (!isDay(StartDate) || !isDay(EndDate) || StartDate > EndDate) throw new Rejected('StartDate or EndDate');
  return { from: StartDate, to: EndDate };
}
