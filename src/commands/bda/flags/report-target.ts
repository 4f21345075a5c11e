import { isFilledStructure, isPresent } from '../../../apis/bda/fields.ts';
import { type ReportInfo, reportInfo } from '../../../apis/bda-v1/definition.ts';
import type { DataTarget } from '../../../apis/bda-v1/requests.ts';
import { GatectlError, InterruptedError } from '../../../errors/index.ts';
import { cannotCombine, invalidUsage, invalidValue, missingArgument } from '../../../errors/usage.ts';
import type { JsonRecord } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import type { ReportFlags } from './report-flags.ts';
import { customReportDefinition, definitionOf } from './saved-reports.ts';

type TargetFlags = Pick<ReportFlags, 'name' | 'id' | 'dimension' | 'metric'>;

/** What to run: a saved report, or columns in flags or in the request. Throws UsageError unless there is exactly one. */
export function targetOf(
  { name, id, dimension = [], metric = [] }: TargetFlags,
  request: JsonRecord,
): DataTarget {
  const columns = dimension.length > 0 ? '--dimension' : '--metric';
  const byFlags = dimension.length + metric.length > 0;
  const given = [
    ...(name === undefined ? [] : [`the report ${name}`]),
    ...(id === undefined ? [] : [`--id ${id}`]),
    ...(byFlags ? [columns] : []),
  ];
  const inRequest = [request.DimensionColumns, request.MetricColumns].some(isFilledStructure);
  if (inRequest && !byFlags) given.push('columns in the request');
  if (given.length > 1)
    throw cannotCombine(
      `${given[0]} and ${given[1]}`,
      'a saved report defines its columns; omit one of them',
      ...(name !== undefined && byFlags
        ? [`if ${name} is a column, separate it with a comma: ${columns} a,${name}`]
        : []),
    );
  if (name?.trim() === '')
    throw invalidValue('the report name is empty', 'gatectl bda report list prints the names');
  if (name !== undefined) return { reportName: name };
  if (id !== undefined) return { customReportId: customId(id) };
  if (byFlags || inRequest) return { inline: true };
  throw missingArgument(
    'no report given',
    'pass a name or --id N (see gatectl bda report list), or columns: -d COLUMN -m COLUMN',
    'gatectl bda columns --api v1 lists the columns',
  );
}

function customId(id: string): string {
  if (/^\d+$/.test(id.trim())) return id.trim();
  throw invalidValue(
    `invalid --id '${id}'`,
    'pass the id of a custom report; gatectl bda report list prints them',
  );
}

/** Fetches the definition of a saved report. Throws UsageError or ApiError for an unknown report. */
async function infoOf(target: DataTarget, context: Context): Promise<ReportInfo> {
  if ('reportName' in target) return reportInfo(await definitionOf(target.reportName, context));
  if ('customReportId' in target)
    return reportInfo(await customReportDefinition(target.customReportId, context));
  return reportInfo(undefined);
}

/** The name of the report in messages. */
export function targetName(target: DataTarget): string {
  if ('reportName' in target) return `the report ${target.reportName}`;
  return 'customReportId' in target ? `the custom report ${target.customReportId}` : 'the columns';
}

/** Fetches the definition of a saved report if the request depends on it. */
export async function infoIfRequired(
  target: DataTarget,
  request: JsonRecord,
  { sort }: Pick<ReportFlags, 'sort'>,
  context: Context,
): Promise<ReportInfo | undefined> {
  if ('inline' in target) return undefined;
  if (context.globals.curl) {
    if (sort === undefined) return undefined;
    throw invalidUsage(
      '--sort and --curl cannot be combined for a saved report',
      'omit --sort, or pass Order with --request',
    );
  }
  const lacksDays = !isPresent(request.StartDate) && !isPresent(request.EndDate);
  if (lacksDays || sort !== undefined) return await infoOf(target, context);
  const mayOverride = 'customReportId' in target && isFilledStructure(request.SegmentIds);
  return mayOverride ? await infoOrUndefined(target, context) : undefined;
}

/** Ignores a failure: the definition is required for a note only. */
async function infoOrUndefined(target: DataTarget, context: Context): Promise<ReportInfo | undefined> {
  try {
    return await infoOf(target, context);
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return undefined;
  }
}

/** Notes the segments of a report that the request overrides. */
export function noteOverridden(
  target: DataTarget,
  request: JsonRecord,
  info: ReportInfo | undefined,
  context: Context,
): void {
  if (!('customReportId' in target) || info === undefined || info.segments.length === 0) return;
  const own = `${info.segments.length === 1 ? 'segment' : 'segments'} ${info.segments.join(', ')}`;
  if (isFilledStructure(request.SegmentIds))
    context.log.note(`the requested segments override those of the report: ${own}`);
}
