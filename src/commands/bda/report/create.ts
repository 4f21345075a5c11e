import { readColumnCatalogue } from '../../../apis/bda/catalogue.ts';
import { dateBaseNote, reportProblems } from '../../../apis/bda-v1/check-report.ts';
import { namedReports } from '../../../apis/bda-v1/definition.ts';
import { createReportRequest } from '../../../apis/bda-v1/requests.ts';
import { defineCommand, required } from '../../framework/define-command.ts';
import { inputName } from '../../framework/json-input.ts';
import { OPEN } from '../../framework/output-schema.ts';
import { createOnce } from '../create-once.ts';
import { throwProblems } from '../origins.ts';
import { requestFrom } from '../query/query-input.ts';
import { bdaV1Site } from '../site.ts';
import { v1Listing } from '../v1-listings.ts';

export const reportCreate = defineCommand({
  name: 'create',
  summary: 'make a custom report from JSON',
  description:
    'Makes a custom report and answers with its number. Columns, order and date base are checked before anything is sent, and the report is sent once: after an unclear failure gatectl looks whether it exists now.',
  arguments: { file: required('file', 'the report as JSON (- for stdin)', { completes: 'file' }) },
  options: {},
  examples: [
    { does: 'a report from a file', command: 'gatectl bda report create report.json' },
    {
      does: 'the copy of another one, under a new title',
      command: `gatectl bda report show --id 101 --jq '.ReportTitle = "Copy" | del(.id)' | gatectl bda report create -`,
    },
  ],
  answers: OPEN,
  async run({ file }, context) {
    const report = await requestFrom(file, context, 'report');
    const catalogue = context.globals.curl
      ? undefined
      : readColumnCatalogue(await v1Listing('getcolumns', context));
    throwProblems(reportProblems(report, catalogue), new Map(), inputName(file), 'report');
    const note = dateBaseNote(report);
    if (note !== undefined) context.log.note(note);
    const made = await createOnce(
      {
        kind: 'custom report',
        name: String(report.ReportTitle),
        request: createReportRequest(await bdaV1Site(context), report),
        list: () => v1Listing('getcustomreports', context),
        read: namedReports,
      },
      context,
    );
    await context.out.print(made);
  },
});
