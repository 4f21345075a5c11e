import { type ReportFacts, reportFacts } from '../../../apis/bda-v1/definition.ts';
import { UsageError } from '../../../errors/index.ts';
import { integerOf, isRecord } from '../../../json/index.ts';
import { defineCommand, optional, string } from '../../framework/define-command.ts';
import { OPEN } from '../../framework/output-schema.ts';
import { customDefinition, definitionOf } from './saved-reports.ts';

const DAYS: Readonly<Record<string, string>> = {
  BASE_NOT_SELECTED: 'It has no days of its own: say them when it is run.',
  BASE_LAST_7: 'It covers the last seven days where no others are asked for.',
};

export const reportShow = defineCommand({
  name: 'show',
  summary: 'show the definition of a report',
  description:
    'Shows what the API tells of a report: its columns, its order and the days it covers by default. The shape of a definition is not documented; -o json passes it through whole.',
  arguments: { name: optional('name', 'a predefined report', { completes: 'report' }) },
  options: { id: string('--id <n>', 'a custom report, by its number', { completes: 'custom-report' }) },
  examples: [
    { does: 'a predefined report', command: 'gatectl bda report show Pages' },
    { does: 'a custom one', command: 'gatectl bda report show --id 101 -o json' },
  ],
  answers: OPEN,
  async run({ name, id }, context) {
    if ((name === undefined) === (id === undefined))
      throw new UsageError('say which report: its name, or --id and its number', {
        code: 'missing_argument',
        hints: ['gatectl bda report list shows names and numbers'],
      });
    const definition =
      id === undefined ? await definitionOf(name ?? '', context) : await customDefinition(id, context);
    const facts = reportFacts(definition);
    if (facts.columns === undefined)
      return await context.out.print(definition, { empty: 'the definition is empty' });
    const columns = facts.columns.map((column, index) => ({
      column,
      role: index < facts.dimensions ? 'dimension' : 'metric',
    }));
    await context.out.printSections(
      definition,
      [
        { title: name ?? `Custom report ${id}`, data: summary(facts), view: { prose: true } },
        { title: 'Columns', data: columns, view: { columns: [{ key: 'column' }, { key: 'role' }] } },
      ],
      columns,
    );
  },
});

/** What the definition says besides its columns, as sentences. */
function summary({ dateBase, segments, order, charts, columns = [] }: ReportFacts): string[] {
  const index = isRecord(order) ? integerOf(order.ColumnNumber) : undefined;
  const sorted = index === undefined ? undefined : columns[index];
  const falling = isRecord(order) && order.Direction === 'DESC';
  return [
    ...(dateBase === undefined ? [] : [DAYS[dateBase] ?? `Its days: ${dateBase}.`]),
    ...(charts > 1 ? [`This is the first of its ${charts} charts; -o json shows all of them.`] : []),
    ...(sorted === undefined ? [] : [`Sorted by ${sorted}${falling ? ', the largest first' : ''}.`]),
    ...(segments.length === 0
      ? []
      : [
          `Its rows are split by the ${segments.length === 1 ? 'segment' : 'segments'} ${segments.join(', ')}.`,
        ]),
  ];
}
