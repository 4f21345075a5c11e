import { version } from '../../../../../package.json';
import { openAtomic } from '../../../../files/atomic-file.ts';
import type { WritableFile } from '../../../../files/writable-file.ts';
import { printableChart } from '../../../../output/chart/printable-chart.ts';
import type { DataSection, ReportDocument } from '../../../../output/document/document.ts';
import type { Context } from '../../../framework/context.ts';
import type { MailHeaders } from './mail-headers.ts';
import type { ReportFormat, ReportTarget } from './target.ts';

/** What is written, and the bytes of it. */
export interface WrittenReport {
  readonly path: string;
  readonly bytes: number;
}

interface WriteOptions {
  /** Set for an e-mail. */
  readonly headers: MailHeaders | undefined;
  /** Rounds the numbers of tables and workbooks. */
  readonly decimals: number | 'all' | undefined;
}

/** Writes a report to its target. Returns what was written to a file; undefined for stdout. Throws FileError. */
export async function writeReport(
  document: ReportDocument,
  { path, format }: ReportTarget,
  options: WriteOptions,
  context: Context,
): Promise<WrittenReport | undefined> {
  const printable = {
    ...document,
    sections: document.sections.map(section =>
      section.kind === 'data' ? withPrintableChart(section) : section,
    ),
  };
  if (format === 'json') {
    const { jsonDocument } = await import('../../../../output/document/json.ts');
    await context.out.print(jsonDocument(document));
    return undefined;
  }
  if (path === undefined) {
    if (format === 'md' || format === 'html')
      await context.out.printText(await textOf(printable, format, options, context));
    else
      await context.out.stream(async write =>
        writeTo(
          { path: 'stdout', write: async chunk => await write(bytesOf(chunk)) },
          printable,
          format,
          options,
          context,
        ),
      );
    return undefined;
  }
  const file = await openAtomic(path);
  try {
    await writeTo(file, printable, format, options, context);
    const bytes = file.position;
    await file.commit();
    return { path, bytes };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

async function writeTo(
  file: Pick<WritableFile, 'path' | 'write'>,
  document: ReportDocument,
  format: ReportFormat,
  options: WriteOptions,
  context: Context,
): Promise<void> {
  switch (format) {
    case 'xlsx': {
      const { documentToXlsx } = await import('../../../../export/xlsx/document-to-xlsx.ts');
      return await documentToXlsx(document, file, {
        createdBy: `gatectl ${version}`,
        decimals: options.decimals === 'all' ? undefined : options.decimals,
        style: { ...(await context.out.style()), decimals: options.decimals },
        signal: context.signal,
        onDigits: (section, column, example) =>
          context.log.note(
            `${section}: the column ${column} is text, because a spreadsheet would change numbers such as ${example}`,
          ),
      });
    }
    case 'eml':
      return await file.write(await mailOf(document, options, context));
    default:
      return await file.write(await textOf(document, format, options, context));
  }
}

async function textOf(
  document: ReportDocument,
  format: 'md' | 'html',
  { decimals }: WriteOptions,
  context: Context,
): Promise<string> {
  const style = { ...(await context.out.style()), decimals };
  if (format === 'md') {
    const { markdownDocument } = await import('../../../../output/document/markdown.ts');
    return markdownDocument(document, style);
  }
  const [{ htmlDocument }, assets] = await Promise.all([
    import('../../../../output/document/html.ts'),
    import('virtual:chart-page-assets'),
  ]);
  return htmlDocument(document, { style, assets });
}

async function mailOf(
  document: ReportDocument,
  { headers, decimals }: WriteOptions,
  context: Context,
): Promise<string> {
  const [{ mailDocument }, { MAIL_DRAWING, pngChart, uncoveredText }] = await Promise.all([
    import('../../../../output/document/mail.ts'),
    import('../../../../output/chart-page/png.ts'),
  ]);
  const pictures = new Map<DataSection, Uint8Array>();
  for (const section of document.sections) {
    if (section.kind === 'text' || section.chart === undefined) continue;
    const text = uncoveredText(section.chart);
    if (text !== undefined)
      context.log.warn(`the fonts of PNG charts lack characters of ${text}; use .html to show them`);
    pictures.set(section, await pngChart(section.chart, MAIL_DRAWING));
  }
  return mailDocument(document, {
    headers: { subject: undefined, from: undefined, to: [], cc: [], ...headers },
    pictures,
    style: { ...(await context.out.style()), decimals },
    date: context.clock.now(),
  });
}

/** Text from the data is harmless on a screen and in a file. */
function withPrintableChart(section: DataSection): DataSection {
  return section.chart === undefined ? section : { ...section, chart: printableChart(section.chart) };
}

function bytesOf(chunk: string | Uint8Array): Uint8Array {
  return typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}
