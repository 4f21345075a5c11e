import { isReadable, namedReports, shownId } from '../../../apis/bda-v1/definition.ts';
import { InvalidResponseError } from '../../../errors/index.ts';
import type { JsonRecord } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import { defineCommand } from '../../framework/define-command.ts';
import { listOf } from '../../framework/output-schema.ts';
import { v1Listing } from '../v1-listings.ts';

export const reportList = defineCommand({
  name: 'list',
  summary: 'list the predefined and the custom reports',
  description:
    'Lists every report that gatectl bda report run can run: predefined ones by their name, custom ones by --id and their number.',
  options: {},
  examples: [
    { does: 'all reports', command: 'gatectl bda report list' },
    {
      does: 'the numbers of the custom ones',
      command: `gatectl bda report list --jq '.[] | select(.kind == "custom") | .id'`,
    },
  ],
  answers: listOf({
    kind: ['string', 'predefined or custom'],
    id: ['number | string | null', 'the number of a custom report'],
    name: ['string', 'what it is called'],
  }),
  async run(_, context) {
    // Both are begun at once, so that --curl prints both.
    const [predefined = [], custom = []] = await Promise.all([
      reportsIn('getreports', 'predefined', context),
      reportsIn('getcustomreports', 'custom', context),
    ]);
    await context.out.print([...predefined, ...custom], {
      columns: [{ key: 'kind' }, { key: 'id', align: 'right', kind: 'text' }, { key: 'name' }],
      empty: 'there are no reports',
    });
  },
});

async function reportsIn(
  listing: 'getreports' | 'getcustomreports',
  kind: string,
  context: Context,
): Promise<JsonRecord[]> {
  const answer = await v1Listing(listing, context);
  const reports = namedReports(answer);
  if (!isReadable(answer, reports))
    throw new InvalidResponseError(`no report names can be found in the answer of ${listing}`, {
      code: 'unexpected_shape',
    });
  return reports.map(report => ({
    kind,
    id: kind === 'custom' ? shownId(report) : null,
    name: report.name,
  }));
}
