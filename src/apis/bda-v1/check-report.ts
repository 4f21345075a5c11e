import type { FieldProblem } from '../../errors/index.ts';
import { integerOf, isList, isRecord, type Json, type JsonRecord } from '../../json/index.ts';
import { type ColumnCatalogue, closeNamesHint } from '../bda/catalogue.ts';

/** The documented date bases; there may be others. */
const DATE_BASES = ['BASE_NOT_SELECTED', 'BASE_LAST_7'];
const TYPES = ['string', 'number'];

/**
 * Validates a custom report (spec, BDA v1 objects) before it is sent: title, date base, columns and order indices. Without a
 * catalogue, only the format of columns is checked.
 */
export function reportProblems(report: JsonRecord, catalogue: ColumnCatalogue | undefined): FieldProblem[] {
  const charts = report.Charts;
  return [
    ...(isName(report.ReportTitle) ? [] : [{ field: 'ReportTitle', message: 'must be a name' }]),
    ...dateBaseProblems(report.ReportDateRange),
    ...(isList(charts) && charts.length > 0
      ? charts.flatMap((chart, index) => chartProblems(chart, `Charts[${index}]`, catalogue))
      : [{ field: 'Charts', message: 'must be a list with at least one chart' }]),
  ];
}

function dateBaseProblems(range: Json | undefined): FieldProblem[] {
  if (range === undefined || range === null) return [];
  if (!isRecord(range)) return [{ field: 'ReportDateRange', message: 'must be an object' }];
  const id = range.BaseSelectId;
  if (id === undefined || id === null || isName(id)) return [];
  return [
    { field: 'ReportDateRange.BaseSelectId', message: `must be a name, such as ${DATE_BASES.join(' or ')}` },
  ];
}

/** A note on a missing or undocumented date base; undefined for a documented one. */
export function dateBaseNote({ ReportDateRange: range }: JsonRecord): string | undefined {
  const id = isRecord(range) ? range.BaseSelectId : undefined;
  if (typeof id !== 'string') return 'the report has no date base; the gateway decides which days it covers';
  if (DATE_BASES.includes(id)) return undefined;
  return `the date base ${id} is not in the documentation of the API; the gateway decides whether it is valid`;
}

function chartProblems(chart: Json, path: string, catalogue: ColumnCatalogue | undefined): FieldProblem[] {
  if (!isRecord(chart)) return [{ field: path, message: 'must be an object' }];
  const lists = ['DimensionColumns', 'MetricColumns'] as const;
  const columns = lists.flatMap(name => listAt(chart[name]));
  return [
    ...(isName(chart.Name) ? [] : [{ field: `${path}.Name`, message: 'must be a name' }]),
    ...lists.flatMap(name => columnProblems(chart[name], `${path}.${name}`, catalogue)),
    ...(columns.length > 0 ? [] : [{ field: path, message: 'has no columns' }]),
    ...repeated(chart, path, lists),
    ...(chart.Segments === undefined || isList(chart.Segments)
      ? []
      : [{ field: `${path}.Segments`, message: 'must be a list of segment ids' }]),
    ...orderProblems(chart.Order, `${path}.Order`, columns.length),
  ];
}

function columnProblems(
  refs: Json | undefined,
  path: string,
  catalogue: ColumnCatalogue | undefined,
): FieldProblem[] {
  if (refs === undefined) return [];
  if (!isList(refs)) return [{ field: path, message: 'must be a list of columns' }];
  return refs.flatMap((ref, index) => {
    const field = `${path}[${index}]`;
    if (!isRecord(ref) || typeof ref.Data !== 'string')
      return [{ field, message: 'must be an object with Data and Type' }];
    const type =
      typeof ref.Type === 'string' && [...TYPES, catalogue?.get(ref.Data)?.type].includes(ref.Type)
        ? []
        : [{ field: `${field}.Type`, message: `must be ${TYPES.join(' or ')}` }];
    if (catalogue === undefined || catalogue.has(ref.Data)) return type;
    const close = closeNamesHint(catalogue.keys(), ref.Data);
    return [{ field: `${field}.Data`, message: `there is no column "${ref.Data}"${close}` }, ...type];
  });
}

function repeated(chart: JsonRecord, path: string, lists: readonly string[]): FieldProblem[] {
  const seen = new Set<Json>();
  return lists.flatMap(name =>
    listAt(chart[name]).flatMap((ref, index) => {
      const data = isRecord(ref) ? ref.Data : undefined;
      if (typeof data !== 'string') return [];
      const again = seen.has(data);
      seen.add(data);
      return again
        ? [{ field: `${path}.${name}[${index}].Data`, message: `is a duplicate of "${data}"` }]
        : [];
    }),
  );
}

function orderProblems(order: Json | undefined, path: string, columns: number): FieldProblem[] {
  if (order === undefined || order === null) return [];
  if (!isRecord(order)) return [{ field: path, message: 'must be an object' }];
  const index = integerOf(order.ColumnNumber);
  const inside = index !== undefined && index >= 0 && index < columns;
  const direction = order.Direction;
  return [
    ...(inside
      ? []
      : [
          {
            field: `${path}.ColumnNumber`,
            message: `must be the index of a dimension or metric, from 0 to ${Math.max(0, columns - 1)}`,
          },
        ]),
    ...(typeof direction === 'string' && /^(asc|desc)$/i.test(direction)
      ? []
      : [{ field: `${path}.Direction`, message: 'must be ASC or DESC' }]),
  ];
}

function listAt(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

function isName(value: Json | undefined): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
