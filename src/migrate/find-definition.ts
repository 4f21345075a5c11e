import { closeNamesHint, quoted } from '../apis/bda/catalogue.ts';
import { isPresent } from '../apis/bda/fields.ts';
import { findCustomReport, findReport, reportNames, unwrapReport } from '../apis/bda/report-definition.ts';
import { isRecord, type JsonRecord } from '../json/index.ts';
import type { MigrationInput } from './migration.ts';
import type { MigrationNotes } from './migration-notes.ts';

/** The definition of the report that the input names, without its envelope; refused when it is not there. */
export function findDefinition(input: MigrationInput, findings: MigrationNotes): JsonRecord | undefined {
  const { reportName, customReportId, customReport, definitions } = input;
  if (isPresent(customReport)) {
    if (isRecord(customReport)) return unwrapReport(customReport);
    findings.refuse('customReport', 'the definition of a custom report is a JSON object');
    return undefined;
  }
  const wanted = reportName ?? String(customReportId);
  const found =
    reportName === undefined
      ? findCustomReport(definitions.customReports, wanted)
      : findReport(definitions.reports, wanted);
  if (found !== undefined) return unwrapReport(found);
  const field = reportName === undefined ? 'customReportId' : 'reportName';
  const names = reportNames(reportName === undefined ? definitions.customReports : definitions.reports);
  findings.need(reportName === undefined ? 'custom report' : 'report', wanted);
  findings.refuse(
    field,
    `the definition of the report ${quoted(wanted)} is not there${closeNamesHint(names, wanted)}`,
  );
  return undefined;
}
