import { readColumnCatalogue } from '../../../apis/bda/catalogue.ts';
import { dateBaseNote, reportProblems } from '../../../apis/bda-v1/check-report.ts';
import { namedReports } from '../../../apis/bda-v1/definition.ts';
import { createReportRequest } from '../../../apis/bda-v1/requests.ts';
import { CUSTOM_REPORT } from '../../../documents/bda-v1.ts';
import { bdaV1Site } from '../../../operations/listings/analytics.ts';
import { v1Listing } from '../../../operations/listings/v1-listing.ts';
import { defineCommand, required } from '../../framework/define-command.ts';
import { inputName } from '../../framework/json-input.ts';
import { OPEN } from '../../framework/output-schema.ts';
import { PLAN_FLAGS, planInstead } from '../../framework/plan-flags.ts';
import { createOnce } from '../create-once.ts';
import { throwProblems } from '../flags/origins.ts';
import { ALLOW_UNKNOWN, requestFrom } from '../flags/request-input.ts';

export const reportCreate = defineCommand({
  name: 'create',
  effect: 'irreversible',
  summary: 'create a custom report from JSON',
  description:
    'Creates a custom report and prints its id. Columns, order and date base are checked first. The request is never repeated: if its result is unknown, gatectl checks whether the report exists.',
  arguments: { file: required('file', 'report as JSON (- for stdin)') },
  options: { allowUnknown: ALLOW_UNKNOWN, ...PLAN_FLAGS },
  examples: {
    'gatectl bda report create report.json': 'create a report from a file',
    'gatectl bda report show --id 101 --jq \'.ReportTitle = "Copy" | del(.id)\' | gatectl bda report create -':
      'copy a report under a new title',
  },
  output: OPEN,
  async run({ file, allowUnknown, ...plan }, context) {
    await planInstead(plan, context);
    const rules = { declaration: CUSTOM_REPORT, allowUnknown };
    const report = await requestFrom(file, context, 'report', rules);
    const catalogue = context.globals.curl
      ? undefined
      : readColumnCatalogue(await v1Listing('getcolumns', context));
    throwProblems(reportProblems(report, catalogue), new Map(), inputName(file), 'report');
    const note = dateBaseNote(report);
    if (note !== undefined) context.log.note(note);
    const created = await createOnce(
      {
        kind: 'custom report',
        name: String(report.ReportTitle),
        request: createReportRequest(await bdaV1Site(context), report),
        list: () => v1Listing('getcustomreports', context),
        read: namedReports,
      },
      context,
    );
    await context.out.print(created);
  },
});
