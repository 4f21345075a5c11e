import { isList, isRecord, type JsonRecord } from '../../json/index.ts';
import { anyFieldOf, listOf, recordWithId, scalarText } from './fields.ts';

/** The id of a default range, and the path of the field that names it. */
export interface DateBase {
  readonly field: string;
  readonly id: string;
}

const REPORT_NAME_FIELDS = ['ReportName', 'Name', 'ReportTitle', 'Title'];
const CUSTOM_REPORT_ID_FIELDS = ['CustomReportId', 'ReportId', 'Id'];

/** The predefined report called so, from one definition, a list of them, or an object of definitions by name. */
export function findReport(reports: unknown, name: string): JsonRecord | undefined {
  if (isRecord(reports)) {
    const keyed = Object.hasOwn(reports, name) ? reports[name] : undefined;
    if (isRecord(keyed)) return keyed;
    if (isReport(unwrapReport(reports))) {
      const own = scalarText(anyFieldOf(unwrapReport(reports), ...REPORT_NAME_FIELDS));
      return own === undefined || own === name ? reports : undefined;
    }
  }
  return reportCalled(reports, name);
}

/** The custom report with this id, or else this title, from a listing or one definition. */
export function findCustomReport(reports: unknown, id: string): JsonRecord | undefined {
  const keyed = isRecord(reports) && Object.hasOwn(reports, id) ? reports[id] : undefined;
  const found = recordWithId(reportsIn(reports), id, CUSTOM_REPORT_ID_FIELDS);
  return found ?? (isRecord(keyed) ? keyed : reportCalled(reports, id));
}

/** The reports that an answer or a file lists, or the one whose definition it is: its charts are no reports. */
export function reportsIn(json: unknown): readonly unknown[] {
  if (isRecord(json) && isReport(json)) return [json];
  const listed = listOf(json);
  if (listed.length > 0 || !isRecord(json)) return listed;
  const inside = unwrapReport(json);
  return isReport(inside) ? [inside] : [];
}

function reportCalled(reports: unknown, name: string): JsonRecord | undefined {
  const found = reportsIn(reports).find(
    item => isRecord(item) && scalarText(anyFieldOf(item, ...REPORT_NAME_FIELDS)) === name,
  );
  return isRecord(found) ? found : undefined;
}

/** Whether a report or chart says which columns it shows. */
export function hasColumns(record: JsonRecord): boolean {
  return ['Charts', 'DimensionColumns', 'MetricColumns'].some(name =>
    Array.isArray(anyFieldOf(record, name)),
  );
}

/** The names of the reports in a listing. */
export function reportNames(listing: unknown): string[] {
  return reportsIn(listing).flatMap(item => (isRecord(item) ? (reportTitle(item) ?? []) : []));
}

/** What a report is called. */
export function reportTitle(definition: JsonRecord): string | undefined {
  return scalarText(anyFieldOf(definition, ...REPORT_NAME_FIELDS));
}

function isReport(record: JsonRecord): boolean {
  return hasColumns(record) || readDateBase(record) !== undefined;
}

/** The definition in an answer: the answer itself, or the only item of a list. */
export function definitionIn(answer: unknown): JsonRecord | undefined {
  const only = isList(answer) && answer.length === 1 ? answer[0] : answer;
  return isRecord(only) ? only : undefined;
}

/** The definition without an envelope around it: `{"Report": {…}}` reads as what is inside. */
export function unwrapReport(definition: JsonRecord): JsonRecord {
  if (hasColumns(definition)) return definition;
  for (const [name, inner] of Object.entries(definition)) {
    if (!isRecord(inner) || !isReport(inner) || name === 'ReportDateRange') continue;
    const { [name]: _, ...outer } = definition;
    return { ...outer, ...inner };
  }
  return definition;
}

/** The default range that the report names. */
export function readDateBase(definition: JsonRecord): DateBase | undefined {
  const range = anyFieldOf(definition, 'ReportDateRange');
  const inRange = isRecord(range)
    ? scalarText(anyFieldOf(range, 'BaseSelectId', 'DateBaseSelectId'))
    : undefined;
  if (inRange !== undefined) return { field: 'ReportDateRange.BaseSelectId', id: inRange };
  const plain = scalarText(anyFieldOf(definition, 'DateBaseSelectId', 'BaseSelectId'));
  return plain === undefined ? undefined : { field: 'DateBaseSelectId', id: plain };
}
