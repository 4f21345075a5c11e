import { dirname, extname } from 'node:path';
import { FileError, PartialError } from '../../../../errors/index.ts';
import { missingArgument } from '../../../../errors/usage.ts';
import { assertWritable } from '../../../../files/atomic-file.ts';
import { existsSync } from '../../../../files/disk.ts';
import { similarFile, yamlFilesIn } from '../../../../files/similar-file.ts';
import { MAX_CHART_ROWS } from '../../../../operations/rows/chart-of-rows.ts';
import type { ReportDocument } from '../../../../output/document/document.ts';
import { pluralize } from '../../../../terminal/numbers.ts';
import { shellQuote } from '../../../../text/shell-words.ts';
import type { Context } from '../../../framework/context.ts';
import { boolean, defineCommand, list, oneOf, required, string } from '../../../framework/define-command.ts';
import { assertDistinctFiles } from '../../../framework/file-arguments.ts';
import { inputName, readInput } from '../../../framework/json-input.ts';
import { object } from '../../../framework/output-schema.ts';
import type { SectionFields } from './report-file.ts';
import { REPORT_FORMATS, reportTarget } from './target.ts';
import type { WrittenReport } from './write-report.ts';

export const reportBuild = defineCommand({
  name: 'build',
  effect: 'read',
  summary: 'build a report of several queries',
  description:
    'Builds one document of the queries, charts, comparisons, explanations and texts that a YAML file lists: a web page, a workbook, an e-mail for sendmail -t, or Markdown. Without --out, prints it to stdout. The file is checked before the first request; if a section fails, nothing is written. The format of the file: gatectl docs reports.',
  arguments: { file: required('file', 'report as YAML (- for stdin)') },
  options: {
    out: string('--out <file>', 'write a file: .html .xlsx .eml .md'),
    format: oneOf(
      '--format <format>',
      'format of the report (default: by the name of --out)',
      REPORT_FORMATS,
    ),
    set: list('--set <name=value>', 'set a parameter of the report'),
    dryRun: boolean('--dry-run', 'check the file and list its queries without sending them'),
    open: boolean('--open', 'open the file of --out in a browser or another program'),
    strict: boolean('--strict', 'exit 7 if the rows of a section are incomplete'),
  },
  examples: {
    'gatectl bda report build weekly.yaml --out weekly.html': 'build a web page',
    'gatectl bda report build monthly.yaml --set month=2026-02 --format eml | sendmail -t':
      'mail the report of a month',
    'gatectl bda report build weekly.yaml --dry-run': 'check a report file',
  },
  output: object({
    title: ['string', 'the title of the report'],
    subtitle: ['string?', 'the subtitle'],
    complete: ['boolean', 'whether no row of any section is missing'],
    sections: [
      'array',
      'kind (text or data), title, text, period, sentences, conclusions, warnings, query and rows of each section',
    ],
  }),
  async run(flags, context) {
    assertDistinctFiles([['FILE', flags.file]], [['--out', flags.out]], context.io);
    const target = await reportTarget(flags, context);
    if (flags.open && target.path === undefined)
      throw missingArgument('--open requires --out FILE', 'type --out report.html --open');
    const [{ readReport }, { mailHeaders }, { readSettings }, { checkNames, checkSection }] =
      await Promise.all([
        import('./report-file.ts'),
        import('./mail-headers.ts'),
        import('./parameters.ts'),
        import('./sections.ts'),
      ]);
    const given = readSettings(flags.set);
    const report = readReport(inputName(flags.file), await readReportFile(flags.file, context), given);
    const headers = target.format === 'eml' ? mailHeaders(report) : undefined;
    // A file that cannot be written is found out before requests are sent.
    const isWritten = !flags.dryRun && !context.globals.curl;
    if (target.path !== undefined && isWritten) await assertWritable(target.path);
    const sections = [];
    for (const fields of report.sections)
      sections.push(await checkSection(target.format === 'xlsx' ? withAllRows(fields) : fields, context));
    checkNames(report, sections);
    if (flags.dryRun) {
      const requests = sections.flatMap(({ requests }) => requests.map(request => ({ ...request })));
      return await context.out.print(requests, {
        columns: [
          { key: 'section' },
          { key: 'days' },
          { key: 'compared' },
          { key: 'most' },
          { key: 'query' },
        ],
        empty: 'the report sends no requests',
      });
    }
    if (context.globals.curl) {
      for (const section of sections) await section.printCurl();
      return;
    }
    const [{ kpisOf }, { writeReport }] = await Promise.all([
      import('../../../../output/document/kpis.ts'),
      import('./write-report.ts'),
    ]);
    const built = [];
    for (const section of sections) built.push(await section.build());
    const shown = built.map(({ section }) => section);
    const kpis = kpisOf(shown, report.kpis);
    for (const name of report.kpis ?? [])
      if (kpis?.figures.every(({ conclusion }) => conclusion.metric !== name) !== false)
        context.log.warn(`kpis: ${name} has no total of the rows and days of the first query`);
    const document: ReportDocument = {
      title: report.title,
      subtitle: report.subtitle,
      kpis,
      isComplete: built.every(({ isIncomplete, isContradictory }) => !isIncomplete && !isContradictory),
      sections: shown,
    };
    const decimals = context.globals.decimals ?? report.decimals;
    const written = await writeReport(document, target, { headers, decimals }, context);
    if (written !== undefined) await reportWritten(written, document, flags, context);
    const contradictory = built.findIndex(({ isContradictory }) => isContradictory);
    const incomplete = flags.strict ? built.findIndex(({ isIncomplete }) => isIncomplete) : -1;
    const at = contradictory >= 0 ? contradictory : incomplete;
    if (at >= 0)
      throw new PartialError(
        contradictory >= 0
          ? `${sections[at]?.name}: the rows are not complete`
          : `${sections[at]?.name}: ${built[at]?.lacking ?? 'the rows are not complete'} (--strict)`,
        { code: 'rows_incomplete' },
      );
  },
});

/** The text of a report file. Throws UsageError, and FileError with what to type instead. */
async function readReportFile(file: string, context: Context): Promise<string> {
  return await readInput(file, context).catch(error => {
    if (!(error instanceof FileError) || error.code !== 'file_not_found') throw error;
    if (similarFile(file) !== undefined || !existsSync(dirname(file))) throw error;
    const { message, path, code } = error;
    throw new FileError(message, { path, code, hints: [otherReports(file)], cause: error });
  });
}

/** The most files to list in a hint. */
const MOST_LISTED = 5;

function otherReports(file: string): string {
  const others = yamlFilesIn(dirname(file));
  if (others.length > 0) return `YAML files in its folder: ${others.slice(0, MOST_LISTED).join(', ')}`;
  const written = extname(file) === '' ? `${file}.yaml` : file;
  return `to write one, type gatectl bda report init -m visits ${shellQuote(written)}`;
}

/** A sheet of a workbook has all rows, which its picture shows too. */
function withAllRows(fields: SectionFields): SectionFields {
  return fields.kind === 'text' || fields.tableRows === 0 ? fields : { ...fields, tableRows: MAX_CHART_ROWS };
}

/** Notes what was written, and opens it on request. */
async function reportWritten(
  { path, bytes }: WrittenReport,
  { sections }: ReportDocument,
  { open }: { readonly open: boolean },
  context: Context,
): Promise<void> {
  context.log.note(`${pluralize(sections.length, 'section')} in ${path} (${pluralize(bytes, 'byte')})`);
  if (!open) return;
  const { openFile } = await import('../../../framework/open-file.ts');
  const reason = await openFile(path, context.io);
  if (reason !== undefined) context.log.warn(`${path} was not opened: ${reason}`);
}
