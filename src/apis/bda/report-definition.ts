import { isList, isRecord, type JsonRecord } from '../../json/index.ts';
import { anyFieldOf, idOf, listOf, recordWithId, scalarText } from './fields.ts';

/** A default date range and the path of its field. */
export interface DateBase {
  readonly field: string;
  readonly id: string;
}

const REPORT_NAME_FIELDS = ['ReportName', 'Name', 'ReportTitle', 'Title'];
const CUSTOM_REPORT_ID_FIELDS = ['CustomReportId', 'ReportId', 'Id'];

/** Finds a predefined report in one definition, a list of definitions, or an object keyed by name. */
export function findReport(reports: unknown, name: string): JsonRecord | undefined {
  if (isRecord(reports)) {
    const keyed = Object.hasOwn(reports, name) ? reports[name] : undefined;
    if (isRecord(keyed)) return keyed;
    if (isReport(unwrapReport(reports))) {
      const own = scalarText(anyFieldOf(unwrapReport(reports), ...REPORT_NAME_FIELDS));
      return own === undefined || own === name ? reports : undefined;
    }
  }
  return reportByName(reports, name);
}

/** Finds a custom report by id or title in a listing or one definition. */
export function findCustomReport(reports: unknown, id: string): JsonRecord | undefined {
  const keyed = isRecord(reports) && Object.hasOwn(reports, id) ? reports[id] : undefined;
  const found = recordWithId(reportsIn(reports), id, CUSTOM_REPORT_ID_FIELDS);
  return found ?? (isRecord(keyed) ? keyed : reportByName(reports, id));
}

/** The ids of the custom reports with a title, unless the title is itself an id. */
export function sameTitleIds(reports: unknown, title: string): string[] {
  const listed = reportsIn(reports);
  if (recordWithId(listed, title, CUSTOM_REPORT_ID_FIELDS) !== undefined) return [];
  return listed.flatMap(item =>
    isRecord(item) && reportTitle(unwrapReport(item)) === title
      ? (idOf(anyFieldOf(item, ...CUSTOM_REPORT_ID_FIELDS)) ?? [])
      : [],
  );
}

/** The reports in a response or a file, or the only one if it is a definition. */
export function reportsIn(json: unknown): readonly unknown[] {
  if (isRecord(json) && isReport(json)) return [json];
  const listed = listOf(json);
  if (listed.length > 0 || !isRecord(json)) return listed;
  const inside = unwrapReport(json);
  return isReport(inside) ? [inside] : [];
}

function reportByName(reports: unknown, name: string): JsonRecord | undefined {
  const found = reportsIn(reports).find(
    item => isRecord(item) && scalarText(anyFieldOf(item, ...REPORT_NAME_FIELDS)) === name,
  );
  return isRecord(found) ? found : undefined;
}

/** Whether a report or chart names its columns. */
export function hasColumns(record: JsonRecord): boolean {
  return ['Charts', 'DimensionColumns', 'MetricColumns'].some(name =>
    Array.isArray(anyFieldOf(record, name)),
  );
}

/** The names of the reports in a listing. */
export function reportNames(listing: unknown): string[] {
  return reportsIn(listing).flatMap(item => (isRecord(item) ? (reportTitle(item) ?? []) : []));
}

/** The name or title of a report. */
export function reportTitle(definition: JsonRecord): string | undefined {
  return scalarText(anyFieldOf(definition, ...REPORT_NAME_FIELDS));
}

function isReport(record: JsonRecord): boolean {
  return hasColumns(record) || readDateBase(record) !== undefined;
}

/** The definition in a response: the response itself, or the only item of a list. */
export function definitionIn(response: unknown): JsonRecord | undefined {
  const only = isList(response) && response.length === 1 ? response[0] : response;
  return isRecord(only) ? only : undefined;
}

/** Removes an envelope around a definition, such as `{"Report": {…}}`. */
export function unwrapReport(definition: JsonRecord): JsonRecord {
  if (hasColumns(definition)) return definition;
  for (const [name, inner] of Object.entries(definition)) {
    if (!isRecord(inner) || !isReport(inner) || name === 'ReportDateRange') continue;
    const { [name]: _, ...outer } = definition;
    return { ...outer, ...inner };
  }
  return definition;
}

/** The default date range of the report. */
export function readDateBase(definition: JsonRecord): DateBase | undefined {
  const range = anyFieldOf(definition, 'ReportDateRange');
  const inRange = isRecord(range)
    ? scalarText(anyFieldOf(range, 'BaseSelectId', 'DateBaseSelectId'))
    : undefined;
  if (inRange !== undefined) return { field: 'ReportDateRange.BaseSelectId', id: inRange };
  const plain = scalarText(anyFieldOf(definition, 'DateBaseSelectId', 'BaseSelectId'));
  return plain === undefined ? undefined : { field: 'DateBaseSelectId', id: plain };
}
