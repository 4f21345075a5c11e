import { PartialError } from '../../../errors/index.ts';
import type { JsonRecord } from '../../../json/index.ts';
import { explanationColumns } from '../../../operations/explain/explanation-columns.ts';
import type { Chart } from '../../../output/chart/chart.ts';
import { labelInSentence, presentationOf } from '../../../output/presentation/index.ts';
import { sentenceText } from '../../../output/sentence.ts';
import type { Column } from '../../../output/view.ts';
import type { Context } from '../../framework/context.ts';
import { defineCommand } from '../../framework/define-command.ts';
import { object } from '../../framework/output-schema.ts';
import { checkChartFlags } from '../flags/chart-flags.ts';
import { isPrintedForPeople } from '../flags/row-flags.ts';
import { WHY_FLAGS, type WhyFlags } from '../flags/why-flags.ts';

export const why = defineCommand({
  name: 'why',
  effect: 'read',
  summary: 'explain what changed a metric',
  description:
    'Compares a metric with the period before and shows which values of which dimension explain the change. The contributions add up to the change exactly. Without -d, the dimensions of the data set are examined, in as many requests as --max-requests allows.',
  options: WHY_FLAGS,
  examples: {
    'gatectl bda why --data-set pageview -m revenue --last 7d':
      'explain the revenue of the last 7 days, compared with the 7 days before',
    'gatectl bda why --data-set pageview -m visits -d country,device --last 7d --depth 2':
      'find the device that changed most within a country',
    'gatectl bda why --data-set pageview -m epmv --previous month --chart':
      'chart the change of earnings per visit from month to month',
  },
  output: object({
    metric: ['string', 'the metric'],
    sentences: ['array', 'the explanation in words'],
    now: ['object', 'the requested days, and the metric in them'],
    before: ['object', 'the days before, and the metric in them'],
    change: ['number', 'the change, with all digits'],
    change_percent: ['number?', 'the change in percent'],
    dimensions: ['array', 'the examined dimensions, best first, with a score'],
    requests: ['number', 'requests sent for the figures'],
    complete: ['boolean', 'whether no row and no day of the periods is missing'],
    conclusions: ['array', 'the same as kinds of conclusions with their figures'],
    rows: ['array', 'the values: contribution, its share of all rises or of all falls, surprise and status'],
  }),
  async run(flags, context) {
    checkChartFlags({
      ...flags,
      compare: flags.compare ?? 'previous',
      completePeriods: false,
      resume: false,
    });
    const { checkedChange } = await import('../flags/checked-change.ts');
    const { metric, query, explain, shownMetric } = await checkedChange(flags, context);
    const found = await explain();
    const { rows } = found;
    const isForPeople =
      flags.chart !== undefined || (await isPrintedForPeople({ out: undefined, chart: undefined }, context));
    const shown = isForPeople ? await shownMetric() : presentationOf(metric);
    const style = await context.out.style();
    const sentences = found.inWords({ shown }, style);
    const columns = explanationColumns(shown, found);
    if (flags.chart !== undefined) {
      const titled = flags.title === undefined ? {} : { title: flags.title, isTitled: true };
      const { locale } = style;
      const chart = { ...found.chart({ shown, locale }), ...titled, notes: [...sentences] };
      await drawOrWrite(chart, flags, { request: query, rows, columns }, context);
    }
    if (flags.chart !== true)
      await context.out.printSections(
        { ...found.data, complete: found.lacking === undefined && !found.isContradictory },
        [
          {
            title: `Why ${labelInSentence(shown.label)} changed`,
            data: [...sentences],
            view: { prose: true },
          },
          {
            title: `By ${labelInSentence(presentationOf(found.dimension).label)}`,
            data: [...rows],
            view: { columns },
          },
        ],
        [...rows],
      );
    if (found.lacking !== undefined && flags.strict)
      throw new PartialError(`${sentenceText(found.lacking, style)} (--strict)`, { code: 'rows_incomplete' });
    if (found.isContradictory)
      throw new PartialError('the rows are not complete', { code: 'rows_incomplete' });
  },
});

async function drawOrWrite(
  chart: Chart,
  { chart: target, ascii }: WhyFlags,
  table: {
    readonly request: JsonRecord;
    readonly rows: readonly JsonRecord[];
    readonly columns: readonly Column[];
  },
  context: Context,
): Promise<void> {
  if (typeof target !== 'string') {
    const { drawChart } = await import('../../../output/chart/draw.ts');
    await context.out.draw(style => drawChart(chart, { ...style, unicode: style.unicode && !ascii }));
    return;
  }
  const { writeChart } = await import('../../../operations/rows/write-chart.ts');
  const style = await context.out.style();
  await writeChart({
    path: target,
    chart,
    ...table,
    style,
    warn: text => context.log.warn(text),
  });
  context.log.note(`wrote the chart to ${target}`);
}
