import { isList, isRecord, type Json, type JsonRecord, textOf } from '../../../json/index.ts';

/**
 * Where the figures of a chart are from, as a line below it: `data set pageview; country in DE, AT`. Undefined for a request that
 * names neither a data set nor a report.
 */
export function sourceText(request: JsonRecord): string | undefined {
  const { data_set: dataSet, reportName, customReportId, filters } = request;
  const name =
    text('data set', dataSet) ?? text('report', reportName) ?? text('custom report', customReportId);
  if (name === undefined) return undefined;
  return [name, ...(isList(filters) ? filters.flatMap(filterText) : [])].join('; ');
}

function text(label: string, value: Json | undefined): string | undefined {
  return value === undefined || value === null ? undefined : `${label} ${textOf(value)}`;
}

/** `visits greater than 3`, or the conditions of an `any_of` group joined with "or". Nothing for any other shape. */
function filterText(filter: Json): string[] {
  if (!isRecord(filter)) return [];
  const { any_of: group, column, operator, value, values } = filter;
  if (isList(group)) return [group.flatMap(filterText).join(' or ')];
  if (typeof column !== 'string' || typeof operator !== 'string') return [];
  const operand = isList(values) ? values.map(textOf).join(', ') : value === undefined ? '' : textOf(value);
  return [`${column} ${operator.replaceAll('_', ' ')} ${operand}`.trim()];
}
