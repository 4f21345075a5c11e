import { readColumnCatalogue } from '../apis/bda/catalogue.ts';
import { isRecord } from '../json/index.ts';
import { type ChartQuery, migrateChart } from './chart.ts';
import type { Definitions, MigratedQuery, Migration, MigrationInput } from './migration.ts';
import { MigrationNotes } from './migration-notes.ts';
import { readRequestFields } from './request-fields.ts';
import { readSource } from './source.ts';

/**
 * The v2 queries that give the rows of a v1 request, with notes on what changes and what is lost, or the reasons why
 * there are none (spec, Versioning 3 to 6). Pure: reads no clock and no network, and leaves its input as it is.
 *
 * One v1 request becomes several queries where a report has several charts, or where several segments split the rows.
 */
export function migrate(input: MigrationInput): Migration {
  const findings = new MigrationNotes(input.lossy);
  const asked = migrateRequest(input, findings);
  const { notes, refusals, needs } = findings;
  if (refusals.length > 0) return { ok: false, refusals, notes, needs };
  const labels = labelQueries(asked);
  const queries = asked.map(
    ({ query, v1 }, index): MigratedQuery => ({ label: labels[index] ?? '', query, ...(v1 && { v1 }) }),
  );
  return { ok: true, queries, notes };
}

function migrateRequest(input: MigrationInput, findings: MigrationNotes): ChartQuery[] {
  if (!isRecord(input.request)) {
    findings.refuse('request', 'a v1 data request is a JSON object');
    return [];
  }
  const request = readRequestFields(input.request, findings);
  const source = readSource(input, request, findings);
  if (source === undefined) return [];
  const catalogue = readColumnCatalogue(input.definitions.columnsV2);
  if (catalogue === undefined) noteUnchecked(input.definitions, findings);
  return source.charts.flatMap(chart => migrateChart(chart, source, catalogue, input, findings));
}

function noteUnchecked({ columnsV2 }: Definitions, findings: MigrationNotes): void {
  const why = columnsV2 === undefined ? 'was not given' : 'could not be read';
  findings.lossless('columns', `names are kept as they are, unchecked: the v2 column listing ${why}`);
}

/** One label a query, each once: the chart and the segment where they tell queries apart, else what the report is called. */
function labelQueries(parts: readonly ChartQuery[]): string[] {
  const severalCharts = new Set(parts.map(({ chart }) => chart)).size > 1;
  const used = new Set<string>();
  return parts.map(({ report, chart, segment }) => {
    const names = segment !== undefined && !severalCharts ? [segment] : [chart, segment];
    const plain = names.filter(Boolean).join(' / ') || report || 'query';
    let label = plain;
    for (let copy = 2; used.has(label); copy += 1) label = `${plain} (${copy})`;
    used.add(label);
    return label;
  });
}
