import { savedReports } from '../../../operations/listings/saved-reports.ts';
import { defineCommand } from '../../framework/define-command.ts';
import { listOf } from '../../framework/output-schema.ts';
import { COLUMNS_FLAG } from '../../framework/shared-flags.ts';

export const reportList = defineCommand({
  name: 'list',
  effect: 'read',
  summary: 'list predefined and custom reports',
  description:
    'Lists the reports for gatectl bda report run: predefined reports run by name, custom reports by --id.',
  options: COLUMNS_FLAG,
  examples: {
    'gatectl bda report list': 'list all reports',
    'gatectl bda report list --jq \'.[] | select(.kind == "custom") | .id\'':
      'list the ids of custom reports',
  },
  output: listOf({
    kind: ['string', 'predefined or custom'],
    id: ['number | string | null', 'id of a custom report'],
    name: ['string', 'name or title'],
  }),
  async run(flags, context) {
    await context.out.print(await savedReports(context), {
      columns: [{ key: 'kind' }, { key: 'id', align: 'right', kind: 'text' }, { key: 'name' }],
      chosen: flags.columns,
      empty: 'no reports',
    });
  },
});
