import type { SandboxRequest } from '../../routing.ts';
import { suggestion } from '../../suggestion.ts';
import { readColumnChoice } from './columns.ts';
import type { ReportBasis } from './read-request.ts';
import { Refused } from './refused.ts';
import { definitionOf, PREDEFINED_REPORTS, type ReportDefinition } from './reports.ts';
import type { SavedWork } from './saved.ts';

/** The custom reports with ids and names, each with its whole definition. */
export function definitionListing(saved: SavedWork): unknown {
  return saved.reports().map(({ id, report }) => ({ id, ...report }));
}

function namedReport(name: string | null, reports: readonly ReportDefinition[]): ReportDefinition {
  if (!name) throw new Refused('reportName is required');
  const report = reports.find(known => known.ReportName === name);
  if (report !== undefined) return report;
  const names = reports.map(known => known.ReportName);
  throw new Refused(`there is no report '${name}'${suggestion(name, names)}`, 404);
}

/**
 * What `getreport` shows: a predefined report by its name, or a custom one by its title.
 *
 * @throws Refused without a name, and for a name that no report has.
 */
export function shownReport({ query }: SandboxRequest, saved: SavedWork): ReportDefinition {
  return namedReport(query.get('reportName'), [...PREDEFINED_REPORTS, ...saved.reports().map(definitionOf)]);
}

function numberedReport(text: string, saved: SavedWork): ReportDefinition {
  const report = saved.reports().find(({ id }) => String(id) === text);
  if (report === undefined) throw new Refused(`there is no custom report ${text}`, 404);
  return definitionOf(report);
}

/**
 * What `getdata` answers from: the first chart of the report that the query names. `reportName` is for predefined
 * reports, `customReportId` for custom ones.
 *
 * @throws Refused unless exactly one of the two is there and names a report.
 */
export function reportBasis({ query }: SandboxRequest, saved: SavedWork): ReportBasis {
  const name = query.get('reportName');
  const id = query.get('customReportId');
  if ((name === null) === (id === null)) throw new Refused('send either reportName or customReportId');
  const report = id === null ? namedReport(name, PREDEFINED_REPORTS) : numberedReport(id, saved);
  const chart = report.Charts[0];
  if (chart === undefined) throw new Refused('the report has no chart');
  return {
    columns: readColumnChoice({ ...chart }),
    order: chart.Order,
    segments: chart.Segments,
    dateBase: report.DateBaseSelectId,
  };
}
