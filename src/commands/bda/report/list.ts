import { isReadable, namedReports, shownId } from '../../../apis/bda-v1/definition.ts';
import { InvalidResponseError } from '../../../errors/index.ts';
import type { JsonRecord } from '../../../json/index.ts';
import { v1Listing } from '../../../operations/listings/listings.ts';
import type { Context } from '../../framework/context.ts';
import { defineCommand } from '../../framework/define-command.ts';
import { listOf } from '../../framework/output-schema.ts';
import { COLUMNS_FLAG } from '../../framework/shared-flags.ts';

export const reportList = defineCommand({
  name: 'list',
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
    // Concurrent, so that --curl prints both requests.
    const [predefined = [], custom = []] = await Promise.all([
      reportsIn('getreports', 'predefined', context),
      reportsIn('getcustomreports', 'custom', context),
    ]);
    await context.out.print([...predefined, ...custom], {
      columns: [{ key: 'kind' }, { key: 'id', align: 'right', kind: 'text' }, { key: 'name' }],
      chosen: flags.columns,
      empty: 'no reports',
    });
  },
});

async function reportsIn(
  listing: 'getreports' | 'getcustomreports',
  kind: string,
  context: Context,
): Promise<JsonRecord[]> {
  const response = await v1Listing(listing, context);
  const reports = namedReports(response);
  if (!isReadable(response, reports))
    throw new InvalidResponseError(`no report names found in the response of ${listing}`, {
      code: 'unexpected_shape',
    });
  return reports.map(report => ({
    kind,
    id: kind === 'custom' ? shownId(report) : null,
    name: report.name,
  }));
}
