import { type ReportInfo, reportInfo } from '../../../apis/bda-v1/definition.ts';
import { missingArgument } from '../../../errors/usage.ts';
import { integerOf, isRecord } from '../../../json/index.ts';
import { defineCommand, optional, string } from '../../framework/define-command.ts';
import { OPEN } from '../../framework/output-schema.ts';
import { customReportDefinition, definitionOf } from '../flags/saved-reports.ts';

const DAYS: ReadonlyMap<unknown, string> = new Map([
  ['BASE_NOT_SELECTED', 'It has no default date range: set the days when you run it.'],
  ['BASE_LAST_7', 'It covers the last seven days by default.'],
]);

export const reportShow = defineCommand({
  name: 'show',
  effect: 'read',
  summary: 'show the definition of a report',
  description:
    'Shows the columns, the order and the default date range of a report. The shape of a definition is not documented; -o json prints it unchanged.',
  arguments: { name: optional('name', 'predefined report', { completes: 'report' }) },
  options: { id: string('--id <n>', 'custom report, by its id', { completes: 'custom-report' }) },
  examples: {
    'gatectl bda report show Pages': 'show a predefined report',
    'gatectl bda report show --id 101 -o json': 'show a custom report',
  },
  output: OPEN,
  async run({ name, id }, context) {
    if ((name === undefined) === (id === undefined))
      throw missingArgument(
        'a report name or --id is required',
        'gatectl bda report list prints names and ids',
      );
    const definition =
      id === undefined ? await definitionOf(name ?? '', context) : await customReportDefinition(id, context);
    const info = reportInfo(definition);
    if (info.columns === undefined)
      return await context.out.print(definition, { empty: 'the definition is empty' });
    const columns = info.columns.map((column, index) => ({
      column,
      role: index < info.dimensions ? 'dimension' : 'metric',
    }));
    await context.out.printSections(
      definition,
      [
        { title: name ?? `Custom report ${id}`, data: summary(info), view: { prose: true } },
        { title: 'Columns', data: columns, view: { columns: [{ key: 'column' }, { key: 'role' }] } },
      ],
      columns,
    );
  },
});

/** The definition without its columns, as sentences. */
function summary({ dateBase, segments, order, charts, columns = [] }: ReportInfo): string[] {
  const index = isRecord(order) ? integerOf(order.ColumnNumber) : undefined;
  const sorted = index === undefined ? undefined : columns[index];
  const falling = isRecord(order) && order.Direction === 'DESC';
  return [
    ...(dateBase === undefined ? [] : [DAYS.get(dateBase) ?? `Its date range is ${dateBase}.`]),
    ...(charts > 1 ? [`This is the first of its ${charts} charts; -o json shows all of them.`] : []),
    ...(sorted === undefined ? [] : [`Sorted by ${sorted}${falling ? ', descending' : ''}.`]),
    ...(segments.length === 0
      ? []
      : [
          `Its rows are split by the ${segments.length === 1 ? 'segment' : 'segments'} ${segments.join(', ')}.`,
        ]),
  ];
}
