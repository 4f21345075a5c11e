import { isMean } from '../../../../analysis/metric-kinds.ts';
import { needsOwnValues } from '../../../../analysis/period-totals.ts';
import { grainsOf } from '../../../../analysis/periods.ts';
import type { DayRange } from '../../../../apis/bda/days.ts';
import { columnsOf, namesOf } from '../../../../apis/bda-v2/query.ts';
import { CurlPrinted, UsageError } from '../../../../errors/index.ts';
import { nearest } from '../../../../errors/nearest.ts';
import { unknownName } from '../../../../errors/usage.ts';
import type { JsonRecord } from '../../../../json/index.ts';
import { explanationColumns, SURPRISE } from '../../../../operations/explain/explanation-columns.ts';
import { collectRows } from '../../../../operations/rows/collect-rows.ts';
import { comparedDays, shiftGrains } from '../../../../operations/rows/compare-rows.ts';
import { documentRows } from '../../../../operations/rows/document-rows.ts';
import { rangesByDay } from '../../../../operations/rows/missing-days.ts';
import { comparedColumns } from '../../../../operations/rows/shown-columns.ts';
import { titleOfRows } from '../../../../output/chart/chart.ts';
import { chosenColumns } from '../../../../output/choose-columns.ts';
import { conclusionJson, conclusionText } from '../../../../output/conclusion.ts';
import type { DocumentSection } from '../../../../output/document/document.ts';
import { labelInSentence, presentationOf, withLabels } from '../../../../output/presentation/index.ts';
import { NO_ROWS } from '../../../../output/row-scope.ts';
import { type Sentence, sentenceText } from '../../../../output/sentence.ts';
import type { Column } from '../../../../output/view.ts';
import type { Context } from '../../../framework/context.ts';
import { inSettings } from '../../../framework/yaml-flags.ts';
import { checkChartFlags } from '../../flags/chart-flags.ts';
import { type CheckedChange, checkedChange, unlessPrinted } from '../../flags/checked-change.ts';
import { checkedQuery } from '../../flags/checked-query.ts';
import { comparedWith } from '../../flags/day-flags.ts';
import { requireListed } from '../../flags/listed-columns.ts';
import { hasLimit, rowCountOf } from '../../flags/row-flags.ts';
import { mergeFlags, savedQuery } from '../../flags/saved-query.ts';
import { rowWork } from '../../output/row-work.ts';
import type { ReportFile, SectionFields } from './report-file.ts';
import { SECTION_OPTIONS } from './report-form.ts';
import { sectionContext, withPlace } from './section-context.ts';

/** A section that was checked; its requests are not sent yet. */
interface CheckedSection {
  /** How messages name it: `weekly.yaml:12:5 (Visits per day)`. */
  readonly name: string;
  /** What it requests, for --dry-run; none for a text. */
  readonly requests: readonly PlannedRequest[];
  /** Prints the requests, with --curl. */
  printCurl(): Promise<void>;
  build(): Promise<BuiltSection>;
}

interface PlannedRequest {
  readonly section: string;
  readonly days: string | null;
  readonly compared: string | null;
  /** The most requests that it may take; null if the number of rows decides. */
  readonly most: number | null;
  readonly query: JsonRecord;
}

interface BuiltSection {
  readonly section: DocumentSection;
  readonly isIncomplete: boolean;
  /** What it lacks, if that is known. */
  readonly lacking?: string | undefined;
  readonly isContradictory: boolean;
}

/** Checks a section, sending nothing but requests for listings. Throws UsageError with its place. */
export async function checkSection(fields: SectionFields, context: Context): Promise<CheckedSection> {
  const name = fields.title === undefined ? fields.place : `${fields.place} (${fields.title})`;
  const warnings: Sentence[] = [];
  const own = sectionContext(context, name, text => warnings.push(text));
  try {
    const checked = await checkedOf(fields, warnings, own);
    return {
      name,
      requests: checked.requests,
      printCurl: () => named(name, checked.printCurl),
      build: () => named(name, checked.build),
    };
  } catch (error) {
    const isUsage = error instanceof UsageError && fields.kind !== 'text';
    throw withPlace(isUsage ? inSettings(error, SECTION_OPTIONS[fields.kind]) : error, name);
  }
}

/** Throws UsageError for a metric to begin with, or a column with a label, that no section queries. */
export function checkNames(
  { kpis = [], labels }: Pick<ReportFile, 'kpis' | 'labels'>,
  sections: readonly CheckedSection[],
): void {
  const queries = sections.flatMap(({ requests }) => requests.map(({ query }) => query));
  const metrics = queries.flatMap(query => namesOf(query.metrics));
  const columns = [...metrics, ...queries.flatMap(query => namesOf(query.dimensions))];
  requireKnown('kpis', kpis, metrics);
  requireKnown('labels', labels.keys(), columns);
}

function requireKnown(setting: string, names: Iterable<string>, columns: readonly string[]): void {
  const known = [...new Set(columns)];
  const unknown = [...names].find(
    name => !known.some(column => name === column || name.startsWith(`${column}_`)),
  );
  if (unknown === undefined) return;
  const similar = nearest(unknown, known);
  throw unknownName(
    `${setting}: no section queries ${unknown}`,
    similar === undefined ? `its sections query: ${known.join(', ')}` : `did you mean ${similar}?`,
  );
}

async function named<Value>(name: string, produce: () => Promise<Value>): Promise<Value> {
  try {
    return await produce();
  } catch (error) {
    throw error instanceof CurlPrinted ? error : withPlace(error, name);
  }
}

type Checked = Omit<CheckedSection, 'name'>;

function checkedOf(fields: SectionFields, warnings: readonly Sentence[], context: Context): Promise<Checked> {
  switch (fields.kind) {
    case 'text':
      return Promise.resolve({
        requests: [],
        printCurl: async () => {},
        build: async () => ({
          section: { kind: 'text', title: fields.title, markdown: fields.text },
          isIncomplete: false,
          isContradictory: false,
        }),
      });
    case 'query':
      return checkedQuerySection(fields, warnings, context);
    case 'why':
      return checkedWhySection(fields, warnings, context);
  }
}

async function checkedQuerySection(
  fields: Extract<SectionFields, { kind: 'query' }>,
  warnings: readonly Sentence[],
  context: Context,
): Promise<Checked> {
  const { title, query } = fields;
  const saved = query.saved === undefined ? undefined : savedQuery(query.saved, context);
  const merged = mergeFlags(
    saved === undefined ? query.defaults : mergeFlags(query.defaults, saved.flags),
    query.own,
  );
  // All rows unless there is a limit: otherwise the figures would depend on the format of the report.
  const isLimited = merged.limit !== undefined || hasLimit(saved?.body ?? {});
  const flags = { ...merged, all: !isLimited, autoResume: true };
  checkChartFlags(flags);
  const body = saved?.body ?? {};
  const { all: isPaged } = await rowCountOf(flags, hasLimit(body), context);
  const checked = await checkedQuery(flags, body, context, {
    source: saved === undefined ? undefined : `the saved query ${query.saved}`,
    maySend: !context.globals.curl,
    isPaged,
    // A page shows the first rows.
    isRanked: true,
  });
  // A report must not fail after half of its requests for a typing error.
  await requireListed(columnsOf(checked.first), context, { onlyMistyped: true });
  const { first } = checked;
  const name = title ?? query.saved ?? titleOf(first, fields.labels);
  const grains = shiftGrains(
    new Set(grainsOf(namesOf(first.dimensions)).map(({ grain }) => grain)),
    flags.matchWeekdays,
  );
  const kind = flags.compare === undefined ? undefined : await comparedWith(flags.compare, context);
  const before =
    kind === undefined || checked.days === undefined
      ? undefined
      : comparedDays(checked.days, kind, grains, checked.period);
  return {
    requests: [
      {
        section: name,
        days: daysText(checked.days),
        compared: daysText(before),
        most: null,
        query: first,
      },
    ],
    async printCurl() {
      const output = await checked.rows();
      const { query } = output;
      const work = await rowWork(context);
      await collectRows(output, work, () => {}).catch(unlessPrinted);
      if (query === undefined) return;
      if (before !== undefined) await collectRows(query.forDays(before), work, () => {}).catch(unlessPrinted);
      const { dimensions, siteColumn } = query;
      const selectsByFigures = await query.selectsByFigures?.();
      if (query.days !== undefined && before !== undefined && !selectsByFigures)
        if (isLimited || !grains.has('day'))
          for (const range of rangesByDay([query.days, before]))
            await query.byDay?.(range).catch(unlessPrinted);
      const scope = { metrics: output.figures, dimensions, siteColumn, selectsByFigures };
      if (!needsOwnValues({ ...scope, limitedTo: isLimited ? 'some rows' : undefined })) return;
      for (const range of [query.days, before])
        if (range !== undefined) await query.ownValues?.(range).catch(unlessPrinted);
    },
    async build() {
      try {
        const requested = await checked.rows();
        const { locale } = await context.out.style();
        const rows = await documentRows(
          requested,
          {
            ...fields,
            locale,
            compared: kind && { kind, matchWeekdays: flags.matchWeekdays },
          },
          await rowWork(context),
        );
        const { isIncomplete, isContradictory } = rows;
        const section: DocumentSection = {
          ...rows,
          kind: 'data',
          title: name,
          sentences: rows.totals.map(({ conclusion }) => conclusionText(conclusion)),
          explanation: [],
          conclusions: rows.totals.map(({ conclusion }) => conclusionJson(conclusion)),
          warnings,
          columns:
            fields.columns.length === 0 && kind !== undefined
              ? comparedColumns(rows.columns, rows.rows).columns
              : shownColumns(fields.columns, rows.columns),
          hasTable: fields.tableRows > 0,
          request: requested.request,
        };
        return { section, isIncomplete, isContradictory };
      } catch (error) {
        throw await checked.withFlags(error);
      }
    },
  };
}

async function checkedWhySection(
  fields: Extract<SectionFields, { kind: 'why' }>,
  warnings: readonly Sentence[],
  context: Context,
): Promise<Checked> {
  const checked: CheckedChange = await checkedChange(fields.flags, context);
  const { metric, query, days, before } = checked;
  const { label } = presentationOf(
    metric,
    withLabels(() => undefined, fields.labels),
  );
  const called = fields.labels.has(metric) ? label : labelInSentence(label);
  const name = fields.title ?? `Why ${called} changed`;
  return {
    requests: [
      {
        section: name,
        days: daysText(days),
        compared: daysText(before),
        most: fields.flags.maxRequests,
        query,
      },
    ],
    printCurl: () => checked.printRequests(),
    async build() {
      const found = await checked.explain();
      const { lacking, isContradictory } = found;
      const { labels } = fields;
      const [style, shownMetric] = [await context.out.style(), await checked.shownMetric(labels)];
      const read = { shown: shownMetric, labels };
      const rows = [...found.rows];
      const shown = rows.slice(0, fields.tableRows);
      return {
        section: {
          kind: 'data',
          title: name,
          period: `${daysText(days)}, compared with ${daysText(before)}`,
          days,
          before,
          totals: [],
          lines: new Map(),
          sentences: found.sentences,
          explanation: found.inWords(read, style),
          conclusions: found.conclusions,
          warnings,
          chart: fields.hasChart ? found.chart({ ...read, locale: style.locale }) : undefined,
          rows,
          columns: shownColumns(fields.columns, explanationColumns(shownMetric, found), [SURPRISE]).filter(
            ({ whenPresent, key }) => !whenPresent || rows.some(row => (row[key] ?? null) !== null),
          ),
          shown,
          hasTable: fields.tableRows > 0,
          empty: NO_ROWS,
          footnote: shown.length < rows.length ? `${shown.length} of ${rows.length} rows` : undefined,
          remainder: undefined,
          request: query,
        },
        isIncomplete: lacking !== undefined,
        lacking: lacking && sentenceText(lacking, style),
        isContradictory,
      };
    },
  };
}

/** The columns that the section names, or else all but the hidden ones. Throws UsageError for one that the rows do not have. */
function shownColumns(
  names: readonly string[],
  columns: readonly Column[],
  hidden: readonly Column[] = [],
): readonly Column[] {
  return names.length === 0 ? columns : chosenColumns(names, [...columns, ...hidden]);
}

/** `Visits and revenue by country`. */
function titleOf({ metrics, dimensions }: JsonRecord, labels: ReadonlyMap<string, string>): string {
  const shown = (name: string) =>
    presentationOf(
      name,
      withLabels(() => undefined, labels),
    );
  const figures = namesOf(metrics);
  const hasMean = figures.some(name => isMean(name, shown(name)));
  return titleOfRows(figures.map(shown), namesOf(dimensions).map(shown), hasMean);
}

function daysText(days: DayRange | undefined): string | null {
  if (days === undefined) return null;
  return days.from === days.to ? days.from : `${days.from} to ${days.to}`;
}
