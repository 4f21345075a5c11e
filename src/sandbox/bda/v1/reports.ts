import type { Chart, CustomReport, DateBase } from '../../../wire/bda-v1.ts';
import { HttpError } from '../../http-error.ts';
import { integerOf, isObject } from '../json.ts';
import { chart, readColumnChoice, readOrder } from './columns.ts';
import { DATE_BASES, isDateBase } from './date-base.ts';
import { typeV1 } from './filters.ts';

/** A report in the format of `getreport`. */
export interface ReportDefinition {
  readonly ReportName: string;
  readonly DateBaseSelectId: string;
  readonly Charts: readonly Chart[];
}

export interface StoredReport {
  readonly id: number;
  readonly report: CustomReport;
}

const FIRST_DESC = { ColumnNumber: 1, Direction: 'DESC' };

function predefined(DateBaseSelectId: DateBase, only: Chart): ReportDefinition {
  return { ReportName: only.Name, DateBaseSelectId, Charts: [only] };
}

/** The predefined reports. */
export const PREDEFINED_REPORTS: readonly ReportDefinition[] = [
  predefined(
    'BASE_LAST_7',
    chart('Pages', ['page_url'], ['pageviews', 'visits', 'engaged_page_pageviews', 'revenue'], {
      order: FIRST_DESC,
    }),
  ),
  predefined(
    'BASE_NOT_SELECTED',
    chart('Countries', ['country'], ['visits', 'pageviews', 'revenue', 'epmv'], { order: FIRST_DESC }),
  ),
  predefined('BASE_LAST_7', chart('Devices', ['device'], ['visits', 'bounce_rate', 'epmv'])),
  predefined(
    'BASE_NOT_SELECTED',
    chart('Daily Revenue', ['report_day'], ['visits', 'pageviews', 'revenue', 'epmv']),
  ),
  predefined(
    'BASE_LAST_7',
    chart(
      'Engagement',
      ['report_day'],
      ['engaged_time', 'engaged_pageviews_per_visit', 'bounce_rate', 'copy_paste_per_pageview'],
    ),
  ),
  predefined(
    'BASE_NOT_SELECTED',
    chart('Traffic Sources', ['traffic_source', 'device'], ['visits', 'revenue']),
  ),
  predefined('BASE_LAST_7', chart('Sites', ['site'], ['visits', 'pageviews', 'revenue'])),
];

function custom(id: number, BaseSelectId: DateBase, only: Chart): StoredReport {
  return { id, report: { ReportTitle: only.Name, ReportDateRange: { BaseSelectId }, Charts: [only] } };
}

/** The custom reports of the account. The last two have no v2 equivalent: a missing column, and an operation in a segment. */
export const SEEDED_REPORTS: readonly StoredReport[] = [
  custom(
    101,
    'BASE_LAST_7',
    chart('Revenue by Day and Country', ['report_day', 'country'], ['visits', 'revenue', 'epmv'], {
      order: { ColumnNumber: 3, Direction: 'DESC' },
    }),
  ),
  custom(
    102,
    'BASE_NOT_SELECTED',
    chart('Desktop against North America', ['report_month'], ['visits', 'pageviews', 'revenue'], {
      segments: [2, 201],
      order: { ColumnNumber: 0, Direction: 'ASC' },
    }),
  ),
  custom(103, 'BASE_NOT_SELECTED', chart('Depth by Device', ['device'], ['visits', 'pageviews_per_visit'])),
  custom(
    104,
    'BASE_LAST_7',
    chart('Titles with The', ['page_title'], ['pageviews', 'revenue'], { segments: [203] }),
  ),
];

/** A custom report in the format of `getreport`. */
export function definitionOf({ report }: StoredReport): ReportDefinition {
  return {
    ReportName: report.ReportTitle,
    DateBaseSelectId: report.ReportDateRange.BaseSelectId,
    Charts: report.Charts,
  };
}

function readChart(value: unknown, path: string, knownSegments: readonly number[]): Chart {
  if (!isObject(value)) throw new HttpError(400, `${path} must be an object`);
  const { Name, Segments = [] } = value;
  if (typeof Name !== 'string') throw new HttpError(400, `${path}.Name is required`);
  const { dimensions, metrics } = readColumnChoice(value, `${path}.`);
  if (!Array.isArray(Segments)) throw new HttpError(400, `${path}.Segments must be a list of segment ids`);
  const segments = Segments.map((item: unknown) => {
    const id = integerOf(item);
    if (id === undefined || !knownSegments.includes(id)) {
      throw new HttpError(400, `${path}.Segments: there is no segment ${id ?? 'with this id'}`);
    }
    return id;
  });
  const order = readOrder(value.Order, dimensions.length + metrics.length, `${path}.`);
  const ref = (column: (typeof dimensions | typeof metrics)[number]) => ({
    Data: column.name,
    Type: typeV1(column),
  });
  return {
    Name,
    DimensionColumns: dimensions.map(ref),
    MetricColumns: metrics.map(ref),
    Segments: segments,
    ...(order ? { Order: order } : {}),
  };
}

/**
 * Reads the body of `createcustomreport`.
 *
 * @throws HttpError for a missing title or chart, an unknown date base, and invalid columns, segments and orders.
 */
export function readCustomReport(
  body: Record<string, unknown>,
  knownSegments: readonly number[],
): CustomReport {
  const { ReportTitle, ReportDateRange, Charts } = body;
  if (typeof ReportTitle !== 'string' || ReportTitle.trim() === '')
    throw new HttpError(400, 'ReportTitle is required');
  const base = isObject(ReportDateRange) ? ReportDateRange.BaseSelectId : ReportDateRange;
  const BaseSelectId = base ?? 'BASE_NOT_SELECTED';
  if (typeof BaseSelectId !== 'string' || !isDateBase(BaseSelectId)) {
    throw new HttpError(
      400,
      `ReportDateRange.BaseSelectId must be BASE_LAST_N or one of ${DATE_BASES.join(', ')}`,
    );
  }
  if (!Array.isArray(Charts) || Charts.length === 0)
    throw new HttpError(400, 'Charts must be a non-empty list');
  return {
    ReportTitle,
    ReportDateRange: { BaseSelectId },
    Charts: Charts.map((item: unknown, index) => readChart(item, `Charts[${index}]`, knownSegments)),
  };
}
