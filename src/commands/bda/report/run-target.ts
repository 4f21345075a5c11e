import { isFilledStructure, isPresent } from '../../../apis/bda/fields.ts';
import { type ReportFacts, reportFacts } from '../../../apis/bda-v1/definition.ts';
import type { DataTarget } from '../../../apis/bda-v1/requests.ts';
import { GatectlError, InterruptedError, UsageError } from '../../../errors/index.ts';
import type { JsonRecord } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import { customDefinition, definitionOf } from './saved-reports.ts';

interface TargetFlags {
  readonly name: string | undefined;
  readonly id: string | undefined;
  readonly dimension: readonly string[];
  readonly metric: readonly string[];
}

/** Which report is meant: a saved one, or columns named in flags or in the request. Throws UsageError unless exactly one is. */
export function targetOf({ name, id, dimension, metric }: TargetFlags, request: JsonRecord): DataTarget {
  const columns = dimension.length > 0 ? '--dimension' : '--metric';
  const byFlags = dimension.length + metric.length > 0;
  const ways = [
    ...(name === undefined ? [] : [`the report ${name}`]),
    ...(id === undefined ? [] : [`--id ${id}`]),
    ...(byFlags ? [columns] : []),
  ];
  const inRequest = [request.DimensionColumns, request.MetricColumns].some(isFilledStructure);
  if (inRequest && !byFlags) ways.push('columns in the request');
  if (ways.length > 1)
    throw new UsageError(`${ways[0]} and ${ways[1]} don't go together`, {
      code: 'conflicting_options',
      hints: [
        'a saved report has columns of its own; leave one out',
        ...(name !== undefined && byFlags
          ? [`if ${name} is a column, write it with a comma: ${columns} a,${name}`]
          : []),
      ],
    });
  if (name?.trim() === '')
    throw new UsageError('the name of the report is empty', {
      code: 'invalid_value',
      hints: ['gatectl bda report list shows the names'],
    });
  if (name !== undefined) return { reportName: name };
  if (id !== undefined) return { customReportId: customId(id) };
  if (byFlags || inRequest) return { inline: true };
  throw new UsageError('say which report to run', {
    code: 'missing_argument',
    hints: [
      'a name or --id N of gatectl bda report list, or columns: -d COLUMN -m COLUMN',
      'gatectl bda columns --api v1 lists the columns',
    ],
  });
}

function customId(id: string): string {
  if (/^\d+$/.test(id.trim())) return id.trim();
  throw new UsageError(`--id can't be '${id}'`, {
    code: 'invalid_value',
    hints: ['the number of a custom report; gatectl bda report list shows them'],
  });
}

/** What a saved report's definition says. Throws UsageError or ApiError when there is no such report. */
async function factsOf(target: DataTarget, context: Context): Promise<ReportFacts> {
  if ('reportName' in target) return reportFacts(await definitionOf(target.reportName, context));
  if ('customReportId' in target) return reportFacts(await customDefinition(target.customReportId, context));
  return reportFacts(undefined);
}

/** How messages name the report. */
export function targetName(target: DataTarget): string {
  if ('reportName' in target) return `the report ${target.reportName}`;
  return 'customReportId' in target ? `the custom report ${target.customReportId}` : 'the columns';
}

/** The definition of a saved report where something hangs on it; undefined where nothing does. */
export async function deciding(
  target: DataTarget,
  request: JsonRecord,
  { sort }: { readonly sort: string | undefined },
  context: Context,
): Promise<ReportFacts | undefined> {
  if ('inline' in target) return undefined;
  if (context.globals.curl) {
    if (sort === undefined) return undefined;
    throw new UsageError('with --curl nothing is asked, so the number of the --sort column is not known', {
      hints: ['leave --sort out, or send Order with --request'],
    });
  }
  const lacksDays = !isPresent(request.StartDate) && !isPresent(request.EndDate);
  if (lacksDays || sort !== undefined) return await factsOf(target, context);
  const mayOverride = 'customReportId' in target && isFilledStructure(request.SegmentIds);
  return mayOverride ? await factsIfTold(target, context) : undefined;
}

/** For a note alone: a run does not end because it can't be told. */
async function factsIfTold(target: DataTarget, context: Context): Promise<ReportFacts | undefined> {
  try {
    return await factsOf(target, context);
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return undefined;
  }
}

/** Says which segments of a report those of the request take the place of. */
export function noteOverridden(
  target: DataTarget,
  request: JsonRecord,
  facts: ReportFacts | undefined,
  context: Context,
): void {
  if (!('customReportId' in target) || facts === undefined || facts.segments.length === 0) return;
  const own = `${facts.segments.length === 1 ? 'segment' : 'segments'} ${facts.segments.join(', ')}`;
  if (isFilledStructure(request.SegmentIds))
    context.log.note(`the segments asked for take the place of the report's own ${own}`);
}
