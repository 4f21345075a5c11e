import { Document, isMap, isSeq } from 'yaml';
import { isMean } from '../../../analysis/metric-kinds.ts';
import { GatectlError, InterruptedError } from '../../../errors/index.ts';
import { writeAtomic } from '../../../files/atomic-file.ts';
import { columnNames } from '../../../operations/listings/column-catalogue.ts';
import { listingOf } from '../../../operations/listings/listings.ts';
import { titleOfRows } from '../../../output/chart/chart.ts';
import { isDocumentedColumn, presentationOf } from '../../../output/presentation/column.ts';
import type { Prompt } from '../../../terminal/prompt.ts';
import { shellQuote } from '../../../text/shell-words.ts';
import type { Context } from '../../framework/context.ts';
import { newFilePath, requiredAnswer } from '../../framework/new-file.ts';
import {
  columnsOfDataSet,
  offeredColumns,
  promptForColumns,
  promptForDataSet,
} from '../flags/prompt-for-columns.ts';
import { splitNames } from '../flags/request-flags.ts';
import { readReport } from './build/report-file.ts';
import { type COMPARED, defaultTitle, type REPORT_DAYS, type ReportAnswers } from './new-report-file.ts';

const REPORT_FILE = 'report.yaml';
/** Rows of a section by a dimension. */
const LARGEST = 10;

interface InitFlags extends Pick<ReportAnswers, 'title' | 'dataSet' | 'days' | 'compare'> {
  readonly file: string | undefined;
  readonly metric: readonly string[];
  readonly dimension: readonly string[];
}

/** Writes a report file from flags and, on a terminal, prompts. Throws UsageError, FileError and InterruptedError. */
export async function writeReportFile(flags: InitFlags, context: Context): Promise<void> {
  const { log, prompt } = context;
  const file = flags.file ?? REPORT_FILE;
  const path = await newFilePath(file, context);
  const given: ReportAnswers = {
    title: flags.title,
    dataSet: flags.dataSet ?? (prompt === undefined ? await usualDataSet(context) : undefined),
    metrics: splitNames('--metric', flags.metric),
    dimensions: splitNames('--dimension', flags.dimension),
    days: flags.days,
    compare: flags.compare,
  };
  const isComplete = given.dataSet !== undefined && given.metrics !== undefined;
  await noteUnknown([...(given.metrics ?? []), ...(given.dimensions ?? [])], context);
  const answers = isComplete || prompt === undefined ? given : await promptForReport(prompt, given, context);
  await writeAtomic(path, newReportFile(file, answers));
  const gateway = context.globals.sandbox ? ' --sandbox' : '';
  log.info(
    `wrote ${file}; next: gatectl bda report build ${shellQuote(file)} --out report.html --open${gateway}`,
  );
}

/** Notes typed columns that are neither documented nor in the cached listing: without prompts, nothing is sent. */
async function noteUnknown(typed: readonly string[], context: Context): Promise<void> {
  const known = await columnNames(context, { maySend: false });
  const unknown = typed.filter(name => !known.includes(name) && !isDocumentedColumn(name));
  if (unknown.length === 0) return;
  const names = unknown.length === 1 ? `no column ${unknown[0]} is` : `no columns ${unknown.join(', ')} are`;
  context.log.note(`${names} known yet; gatectl bda columns lists the columns of the gateway`);
}

/** The data set of queries that name none. */
async function usualDataSet(context: Context): Promise<string> {
  const { value, origin } = (await context.settings()).dataSet;
  if (origin === 'default') context.log.note(`data set ${value}; --data-set NAME selects another`);
  return value;
}

/** Prompts for what no flag says. Throws InterruptedError. */
async function promptForReport(
  prompt: Prompt,
  given: ReportAnswers,
  context: Context,
): Promise<ReportAnswers> {
  const columns = await listedColumns(context);
  const dataSet = given.dataSet ?? (await promptForDataSet(prompt, columns));
  const { dimensions, metrics } = columnsOfDataSet(columns, dataSet);
  const others = dimensions.filter(({ name }) => presentationOf(name).time === undefined);
  const chosen = {
    dataSet,
    metrics:
      given.metrics ?? (await promptForColumns(prompt, 'Metrics:', { columns: metrics, atLeastOne: true })),
    dimensions:
      given.dimensions ??
      (await promptForColumns(prompt, 'A section for each of:', { columns: others, atLeastOne: false })),
    days:
      given.days ??
      (await prompt.choose<(typeof REPORT_DAYS)[number]>('Days:', [
        { value: '7d', label: 'the last 7 days' },
        { value: '28d', label: 'the last 28 days' },
        { value: 'week', label: 'the previous week' },
        { value: 'month', label: 'the previous month' },
      ])),
    compare:
      given.compare ??
      (await prompt.choose<(typeof COMPARED)[number]>('Compared with:', [
        { value: 'previous', label: 'the period before' },
        { value: 'year', label: 'the same days a year earlier' },
        { value: 'none', label: 'nothing' },
      ])),
  };
  const fallback = defaultTitle(chosen.days);
  return { ...chosen, title: given.title ?? (await prompt.input('Title:', { fallback })) };
}

async function listedColumns(context: Context): Promise<ReturnType<typeof offeredColumns>> {
  try {
    return offeredColumns((await listingOf('columns', 'v2', context)).body);
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    context.log.warn(`cannot list the columns: ${error.message}`, await context.hintsFor(error));
    return [];
  }
}

/** The text of a report file; `file` is its name. Throws UsageError for what no report may contain. */
function newReportFile(file: string, answers: ReportAnswers): string {
  const own = file === REPORT_FILE ? '' : ` ${shellQuote(file)}`;
  const byFlags = { command: `gatectl bda report init${own}`, flags: '-m visits' };
  const dataSet = requiredAnswer('--data-set', answers.dataSet, byFlags);
  const metrics = requiredAnswer('--metric', answers.metrics, byFlags);
  const { days = '7d', compare = 'previous', dimensions = [] } = answers;
  const [main = ''] = metrics;
  const compared = compare === 'none' ? {} : { compare };
  const hasMean = metrics.some(name => isMean(name, presentationOf(name)));
  const titleBy = (dimension: string) =>
    titleOfRows(
      metrics.map(name => presentationOf(name)),
      [presentationOf(dimension)],
      hasMean,
    );
  const sections = [
    {
      title: titleBy('report_day'),
      query: { dimension: 'report_day', metric: metrics, ...compared },
      chart: true,
    },
    ...dimensions.map(dimension => ({
      title: titleBy(dimension),
      query: { dimension, metric: metrics, ...compared, sort: `${main}:desc`, limit: LARGEST },
      chart: true,
    })),
  ];
  const range = days === 'week' || days === 'month' ? { previous: days } : { last: days };
  const document = new Document(
    { title: answers.title ?? defaultTitle(days), defaults: { 'data-set': dataSet, ...range }, sections },
    { aliasDuplicateObjects: false },
  );
  document.commentBefore = ` gatectl bda report build ${file} --out report.html`;
  inFlow(document.getIn(['defaults'], true));
  for (const at of sections.keys()) inFlow(document.getIn(['sections', at, 'query'], true));
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  readReport(file, text, new Map());
  return text;
}

/** Writes a setting of several members in one line. */
function inFlow(node: unknown): void {
  if (isMap(node) || isSeq(node)) node.flow = true;
}
