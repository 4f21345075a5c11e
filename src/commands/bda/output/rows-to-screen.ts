import { isMean } from '../../../analysis/metric-kinds.ts';
import { UsageError } from '../../../errors/index.ts';
import type { ExportStats } from '../../../export/export-audit.ts';
import { skippedRows } from '../../../export/plan.ts';
import type { Json } from '../../../json/index.ts';
import {
  type CollectedRows,
  collectRows,
  columnsForPeople,
  columnsOf,
} from '../../../operations/rows/collect-rows.ts';
import { daysWithoutRows } from '../../../operations/rows/days-without-rows.ts';
import type { RowWork } from '../../../operations/rows/row-progress.ts';
import { presentationIn } from '../../../operations/rows/shown-columns.ts';
import {
  countText,
  daysText,
  hasTimes,
  notePeriods,
  reservationsOf,
  withPartialMarks,
} from '../../../operations/rows/shown-rows.ts';
import { titleOfRows } from '../../../output/chart/chart.ts';
import { type Conclusion, conclusionText, withSomeRows } from '../../../output/conclusion.ts';
import { presentationOf } from '../../../output/presentation/index.ts';
import { noRows } from '../../../output/row-scope.ts';
import { joined, type Sentence, sentence, sentenceText } from '../../../output/sentence.ts';
import { type Column, isForPeople, type Style, type View } from '../../../output/view.ts';
import type { Context } from '../../framework/context.ts';
import { filterFlag } from '../../framework/filter-flag.ts';
import { MAX_TABLE_ROWS } from '../flags/row-flags.ts';
import type { RowsOutput } from './rows-output.ts';

/** Maximum input of --jq and --fields. */
const MAX_JQ_BYTES = 128 * 1024 * 1024;
const WITHOUT_TABLE = 'to get all, pass --out FILE or -o csv';

/** Prints rows as a table, md or html, or through --jq, which all require the rows in memory. */
export async function rowsToScreen(
  output: RowsOutput,
  work: RowWork,
  context: Context,
): Promise<ExportStats> {
  const isTable = context.globals.jq === undefined;
  const cap = isTable ? output.tableRows : undefined;
  const isCapped = cap !== undefined && !output.plan.single;
  const plan = isCapped ? { ...output.plan, rowLimit: cap, endsByItself: true } : output.plan;
  const { rows, stats, total } = await collectRows({ ...output, plan }, work, (_, bytes) => {
    if (bytes > MAX_JQ_BYTES)
      throw new UsageError(`too many rows for ${filterFlag(context.globals)}, which loads all of them`, {
        code: 'output_too_large',
        hints: ['stream them with -o ndjson'],
      });
  });
  // Rows of a chart or a comparison are all in memory already.
  const shown = rows.slice(0, cap);
  await notePeriods(output, shown, work);
  const isAll = isTable && !stats.hasMoreRows && shown.length === rows.length;
  const empty = isAll ? await daysWithoutRows(output, { rows, total }, work) : undefined;
  if (empty !== undefined) work.report({ kind: 'note', text: empty });
  const totals = isTable ? await statedTotals(output, shown.length < rows.length, context) : [];
  const { columns, secondary } = isTable
    ? await columnsForPeople(output, shown, totals)
    : { columns: columnsOf(output.source, output.figures, shown), secondary: [] };
  const style = await context.out.style();
  const start = skippedRows(output.plan);
  await context.out.print(isTable ? await withPartialMarks(shown, output, work) : shown, {
    ...(columns.length > 0 && { columns }),
    secondary,
    empty: sentenceText(noRows({ start, total: output.comparison?.total ?? total }), style),
    ...(isTable && output.query && { page: pageOf(output, output.query, columns, style) }),
    introduction: await totalLines(totals, columns, context),
    footnote: isTable ? await footnoteOf(output, { shown, stats, total, empty }, work, context) : undefined,
  });
  if (isCapped && stats.hasMoreRows) warnCapped(rows.length, total, context);
  else if (shown.length < rows.length) {
    const how = cap === MAX_TABLE_ROWS ? WITHOUT_TABLE : '--all shows all';
    context.log.warn(sentence`${shown.length} of ${rows.length} rows; ${how}`);
  }
  return stats;
}

/** What a page with the rows is called, and of which days they are. */
function pageOf(
  { figures, comparison }: RowsOutput,
  query: NonNullable<RowsOutput['query']>,
  columns: readonly Column[],
  { locale }: Style,
): NonNullable<View['page']> {
  const roles = comparison?.roles ?? { dimensions: query.dimensions, figures };
  const shown = (names: readonly string[]) =>
    names.map(name => columns.find(({ key }) => key === name)?.presentation ?? presentationOf(name));
  const hasMean = roles.figures.some(name => isMean(name, presentationOf(name)));
  return {
    title: titleOfRows(shown(roles.figures), shown(roles.dimensions), hasMean),
    period: daysText(query.days, comparison?.before, locale),
  };
}

/** What is said below a table: how many rows it shows, and what they lack. */
async function footnoteOf(
  output: RowsOutput,
  {
    shown,
    stats,
    total,
    empty,
  }: Pick<CollectedRows, 'stats' | 'total'> & {
    readonly shown: readonly Json[];
    readonly empty: Sentence | undefined;
  },
  work: RowWork,
  context: Context,
): Promise<string | undefined> {
  const found = { rows: shown.length, isMarked: hasTimes(output) };
  const texts = [
    output.comparison === undefined
      ? countText(shown.length, skippedRows(output.plan), total, stats)
      : output.comparison.limit,
    output.comparison?.footnote,
    ...(await reservationsOf(output, found, work)),
    empty,
  ];
  const footnote = joined(texts.filter(text => text !== undefined));
  return footnote && sentenceText(footnote, await context.out.style());
}

/** The totals of compared rows, which a chart on the same screen has already stated. */
async function statedTotals(
  { comparison, flags }: RowsOutput,
  isCut: boolean,
  context: Context,
): Promise<readonly Conclusion[]> {
  const { value: format } = (await context.settings()).output;
  if (comparison === undefined || flags.chart === true || !isForPeople(format)) return [];
  const totals = await comparison.totals();
  return isCut ? totals.map(withSomeRows) : totals;
}

async function totalLines(
  totals: readonly Conclusion[],
  columns: readonly Column[],
  context: Context,
): Promise<string[]> {
  const style = await context.out.style();
  return totals.map(total => conclusionText(total, style, presentationIn(columns, total)));
}

function warnCapped(shown: number, total: number | undefined, context: Context): void {
  const of = total === undefined ? '' : sentence` of ${total}`;
  const more = total === undefined ? 'there may be more: ' : '';
  context.log.warn(sentence`the table shows ${shown}${of} rows; ${more}${WITHOUT_TABLE}`);
}
