import { UsageError } from '../../../errors/index.ts';
import { isFilledStructure } from '../../../families/bda/reading.ts';
import { type ReportFacts, reportFacts } from '../../../families/bda/v1/definition.ts';
import type { DataTarget } from '../../../families/bda/v1/requests.ts';
import type { JsonRecord } from '../../../json/index.ts';
import type { Context } from '../../context.ts';
import { customDefinition, definitionOf } from './known-reports.ts';

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
      hints: [
        'a saved report has columns of its own; leave one out',
        ...(name !== undefined && byFlags
          ? [`if ${name} is a column, write it with a comma: ${columns} a,${name}`]
          : []),
      ],
    });
  if (name !== undefined) return { reportName: name };
  if (id !== undefined) return { customReportId: customId(id) };
  if (byFlags || inRequest) return { inline: true };
  throw new UsageError('say which report to run', {
    hints: [
      'a name or --id N of gatectl bda report list, or columns: -d COLUMN -m COLUMN',
      'gatectl bda columns --api v1 lists the columns',
    ],
  });
}

function customId(id: string): string {
  if (/^\d+$/.test(id.trim())) return id.trim();
  throw new UsageError(`--id can't be '${id}'`, {
    hints: ['the number of a custom report; gatectl bda report list shows them'],
  });
}

/** What a saved report's definition says. Throws UsageError or RefusedError when there is no such report. */
export async function factsOf(target: DataTarget, context: Context): Promise<ReportFacts> {
  if ('reportName' in target) return reportFacts(await definitionOf(target.reportName, context));
  if ('customReportId' in target) return reportFacts(await customDefinition(target.customReportId, context));
  return reportFacts(undefined);
}

/** How messages name the report. */
export function targetName(target: DataTarget): string {
  if ('reportName' in target) return `the report ${target.reportName}`;
  return 'customReportId' in target ? `the custom report ${target.customReportId}` : 'the columns';
}
