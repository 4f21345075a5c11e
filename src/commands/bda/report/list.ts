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
  examples: [
    { does: 'list all reports', command: 'gatectl bda report list' },
    {
      does: 'list the ids of custom reports',
      command: `gatectl bda report list --jq '.[] | select(.kind == "custom") | .id'`,
    },
  ],
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
