import { isDay } from '../../../apis/bda/days.ts';
import { type AuditList, readAuditList } from '../../../apis/subscriptions/audit/audit-list.ts';
import type { AuditReport } from '../../../apis/subscriptions/audit/report.ts';
import type { Site } from '../../../apis/subscriptions/requests.ts';
import { FileError, PartialError } from '../../../errors/index.ts';
import { conflict, invalidValue, missingArgument } from '../../../errors/usage.ts';
import { assertWritable } from '../../../files/atomic-file.ts';
import { openedText } from '../../../files/opened-note.ts';
import { auditReaders } from '../../../operations/access/audit-readers.ts';
import { AuditStore } from '../../../operations/access/audit-store.ts';
import { groupDigits, pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import {
  boolean,
  defineCommand,
  inGroup,
  list,
  outputFile,
  string,
  type ValuesOf,
} from '../../framework/define-command.ts';
import { assertDistinctFiles, listSource } from '../../framework/file-arguments.ts';
import { LIST_FLAGS, reportList } from '../../framework/list-flags.ts';
import { gatewayName, lockMachine } from '../../framework/lock-machine.ts';
import { object } from '../../framework/output-schema.ts';
import { handleIn, maskedIf, READER_FLAGS, siteFrom, TARGET_FLAGS } from '../../framework/reader-flags.ts';
import { formatOf, writeRowsFile } from '../../framework/rows-file.ts';
import { concurrencyFlag } from '../../framework/shared-flags.ts';
import { runShellCommand, shellCommand } from '../../framework/shell-command.ts';
import {
  type AuditSubject,
  auditSections,
  FINDING_COLUMNS,
  findingRows,
  firstRows,
  NOTHING_EARLIER,
  percent,
  summaryOf,
} from './audit-output.ts';
import { isAbove, maxDrift } from './drift.ts';

const OPTIONS = {
  ...inGroup('List', {
    fromFile: string(
      '--from-file <file>',
      'list of readers (- for stdin): CSV, JSON, or one address per line',
    ),
    expectColumn: string(
      '--expect-column <name>',
      'column with the payment status: a plan, a state, yes or no (default: all readers have paid)',
    ),
    paid: list('--paid <value>', 'value of that column that means paid (repeatable)'),
    unpaid: list('--unpaid <value>', 'value of that column that means not paid (repeatable)'),
    productColumn: string(
      '--product-column <name>',
      'column with the product handles; --product applies to lines without one',
    ),
    ...LIST_FLAGS,
  }),
  ...inGroup('Request', {
    product: TARGET_FLAGS.product,
    domain: READER_FLAGS.domain,
    concurrency: concurrencyFlag(),
    resume: boolean(
      '--resume',
      'resume an interrupted audit without repeating its requests; fail if there is none',
    ),
  }),
  ...inGroup('Result', {
    against: string('--against <run>', 'compare with an earlier audit: last, or a day such as 2026-03-14'),
    maxDrift: maxDrift(
      '--max-drift <share>',
      'exit 7 if more readers than this do not match the list: 1%, 0.5%, or a number',
    ),
    onDrift: shellCommand(
      '--on-drift <command>',
      'run this shell command if they do not match (without --max-drift: on any mismatch), with the totals as JSON on stdin',
    ),
    out: outputFile(
      '--out <file>',
      'write every finding to this file: .csv, .tsv, .ndjson, .json, .xlsx, .md or .html',
    ),
    mask: READER_FLAGS.mask,
  }),
};
type Flags = ValuesOf<typeof OPTIONS>;

export const audit = defineCommand({
  name: 'audit',
  effect: 'read',
  summary: 'compare a billing list with reader access',
  description:
    'Checks every reader of a list and reports those who paid but have no access, and those who have access but did not pay, by reason. With --expect-column, the words active, trialing, yes, true and 1, and the name of a plan mean paid; cancelled, expired, free, no, false, 0 and an empty cell mean not paid; values such as past_due are rejected unless --paid or --unpaid defines them. Results are stored as keyed hashes, without addresses, for --against and --resume.',
  options: OPTIONS,
  examples: {
    'gatectl access audit --from-file billing.csv --expect-column plan --product premium':
      'check a billing export whose plan column shows who paid for premium',
    'gatectl access audit --from-file subscriptions.csv --expect-column status --product-column product --out audit.html':
      'check one line per subscription, with its state and product',
    "gatectl access audit --from-file billing.csv --expect-column plan --product premium --against last --max-drift 1% --on-drift 'mail -s drift ops@example.com' --quiet":
      'run nightly in cron, silent unless more than 1% of the readers drifted',
  },
  output: object({
    list: ['string', 'the file, or stdin'],
    domain: ['string', 'the domain of the requests'],
    startedAt: ['string', 'RFC 3339'],
    finishedAt: ['string', 'RFC 3339'],
    readers: ['number', 'readers and products of the list'],
    checked: ['number', 'how many of them could be checked'],
    paidWithoutAccess: ['number', 'readers who paid and have no access'],
    accessWithoutPayment: ['number', 'readers who have access and did not pay'],
    notChecked: ['number', 'readers who could not be checked'],
    drift: [
      'string|null',
      'the share of the checked readers that do not match the list: 6.88%; null if none was',
    ],
    groups: [
      '{finding, product, decision, reasonCode, readers, next}[]',
      'the readers that do not match, by reason, with what to do',
    ],
    against: ['string|null', 'when the earlier audit started'],
    changes: [
      '{product, change, from, to, readers}[]|null',
      'decisions that differ from the earlier audit; null if there is nothing to compare with',
    ],
    findings: [
      '{line, email, product, finding, paid, allowed, decision, reasonCode, before, beforeAt, error}[]',
      'the readers that do not match, changed, or could not be checked',
    ],
  }),
  async run(flags, context) {
    const fromFile = sourceOf(flags);
    const format = flags.out === undefined ? undefined : formatOf(flags.out);
    const against = flags.against === undefined ? undefined : readAgainst(flags.against);
    assertDistinctFiles([['--from-file', fromFile]], [['--out', flags.out]], context.io);
    const site = await siteFrom(flags.domain, context);
    const masked = await maskedIf(flags.mask, context);
    const list = await readList(fromFile, flags, context);
    if (flags.out !== undefined) await assertWritable(flags.out);
    const startedAt = timeNow(context);
    const store = await openStore(site, flags, context);
    const { timeZone } = await context.out.style();
    const earlier = against === undefined ? undefined : await store?.earlier(against, timeZone);
    if (against !== undefined && earlier === undefined) context.log.note(NOTHING_EARLIER);

    const noteResume = () => {
      const change = { without: [OPTIONS.resume], withArguments: true, add: ['--resume'] };
      context.log.info(`to resume: ${context.commandLine(change)}`);
    };
    const { clock, signal, redactor, log } = context;
    const { report, isResumable } = await auditReaders(list, {
      ...{ sender: await context.gateway(), site, clock, signal, redactor },
      most: flags.concurrency,
      progress: (total, unit) => log.progress(total, unit),
      store: context.globals.curl ? undefined : store,
      resume: flags.resume,
      earlier,
      startedAt,
      onResume: (at, count) =>
        log.note(`resuming the audit of ${at}: ${groupDigits(count)} results are stored`),
      onNotStored: error => warnNotStored(error, context),
      onInterrupted: noteResume,
    });
    const subject: AuditSubject = {
      list: fromFile === '-' ? 'stdin' : fromFile,
      domain: site.domain,
      startedAt,
      finishedAt: timeNow(context),
      against: earlier,
      isFirst: against !== undefined && earlier === undefined,
      masked,
    };
    await output(report, subject, { out: flags.out, format }, context);
    if (isResumable) noteResume();
    await finish(report, subject, flags, context);
  },
});

function sourceOf({ fromFile, product, productColumn, expectColumn, paid, unpaid }: Flags): string {
  if (fromFile === undefined)
    throw missingArgument('--from-file is required', 'type --from-file FILE, or - for stdin');
  if (!product?.trim() && productColumn === undefined)
    throw missingArgument(
      '--product or --product-column is required',
      'type --product HANDLE, or name the column with the handles',
    );
  if (expectColumn === undefined && paid.length + unpaid.length > 0)
    throw missingArgument(
      '--paid and --unpaid require --expect-column',
      'name the column whose values they are',
    );
  const both = paid.find(value => unpaid.includes(value));
  if (both !== undefined) throw conflict(`'${both}' cannot be both --paid and --unpaid`);
  return listSource(fromFile) ?? fromFile;
}

async function readList(fromFile: string, flags: Flags, context: Context): Promise<AuditList> {
  const { list, problems, duplicates, repaired } = await readAuditList(
    fromFile === '-' ? context.io.stdin : fromFile,
    {
      signal: context.signal,
      encoding: flags.encoding,
      column: flags.emailColumn,
      onOpened: note => context.log.note(openedText(note)),
      expectColumn: flags.expectColumn,
      productColumn: flags.productColumn,
      product: handleIn(flags.product),
      words: flags,
    },
  );
  const report = { problems, duplicates, repaired, size: list.size };
  reportList(report, { fromFile, skipInvalid: flags.skipInvalid }, context);
  return list;
}

/** The store of results; undefined, with a warning, where there can be none. */
async function openStore(site: Site, flags: Flags, context: Context): Promise<AuditStore | undefined> {
  const products = [
    handleIn(flags.product) ?? '',
    ...(flags.productColumn === undefined ? [] : [`column ${flags.productColumn}`]),
  ];
  try {
    const scope = { gateway: await gatewayName(context), domain: site.domain, products };
    return await AuditStore.open(scope, lockMachine(context));
  } catch (error) {
    // Without a store, nothing could be compared or resumed.
    const isNeeded = flags.resume || flags.against !== undefined;
    if (isNeeded || !(error instanceof FileError)) throw error;
    await warnNotStored(error, context);
    return undefined;
  }
}

async function warnNotStored(error: FileError, context: Context): Promise<void> {
  const hints = await context.hintsFor(error);
  context.log.warn(`this audit is not stored: ${error.message}`, [
    '--resume and --against cannot use it',
    ...hints,
  ]);
}

async function output(
  report: AuditReport,
  subject: AuditSubject,
  {
    out,
    format,
  }: { readonly out: string | undefined; readonly format: ReturnType<typeof formatOf> | undefined },
  context: Context,
): Promise<void> {
  const summary = summaryOf(report, subject);
  if (out !== undefined && format !== undefined) {
    const rows = () => findingRows(report, subject);
    await writeRowsFile(out, format, {
      around: { summary, name: 'findings' },
      sheetName: 'audit',
      rows,
      columns: FINDING_COLUMNS.filter(
        ({ key }) => subject.against !== undefined || !key.startsWith('before'),
      ),
      sections: () => auditSections(report, subject, [...rows()]),
      style: { ...(await context.out.style()), width: undefined, unicode: true },
      signal: context.signal,
    });
  }
  const { value: printed } = (await context.settings()).output;
  const isForPeople = printed === 'table' || printed === 'md' || printed === 'html';
  const isData = !isForPeople || context.globals.jq !== undefined;
  const findings = isData ? [...findingRows(report, subject)] : [];
  const shown = out === undefined ? firstRows(report, subject) : undefined;
  await context.out.printResult(
    { ...summary, findings },
    isData ? [] : auditSections(report, subject, shown),
    findings,
  );
  const { totals } = report;
  const count = report.mismatches + totals.notChecked;
  if (out !== undefined) context.log.info(`wrote ${out}`);
  else if (!isData && shown !== undefined && shown.length < count)
    context.log.note(`${groupDigits(shown.length)} readers are shown; --out FILE writes all`);
}

/**
 * Runs the command of `--on-drift`. Throws PartialError for too much drift, for readers that could not be checked, and for products
 * that the site does not know.
 */
async function finish(
  report: AuditReport,
  subject: AuditSubject,
  { maxDrift: max, onDrift }: Flags,
  context: Context,
): Promise<void> {
  const { mismatches, totals } = report;
  const isDrift = isAbove(max, mismatches, totals.checked);
  const failures: PartialError[] = [];
  if (max !== undefined && isDrift)
    failures.push(
      new PartialError(
        `${groupDigits(mismatches)} of ${pluralize(totals.checked, 'reader')} (${percent(report)}) do not match the list, more than --max-drift ${max.text}`,
        { code: 'drift_exceeded' },
      ),
    );
  if (totals.notChecked > 0) {
    failures.push(
      new PartialError(
        `${groupDigits(totals.notChecked)} of ${pluralize(totals.readers, 'reader')} could not be checked${report.commonError === undefined ? '' : `: ${report.commonError}`}`,
        { code: 'partial_failure' },
      ),
    );
  }
  for (const product of report.unknownProducts)
    failures.push(
      new PartialError(`${subject.domain} does not know the product ${product}`, { code: 'product_unknown' }),
    );
  if (onDrift !== undefined && isDrift) {
    const problem = await runShellCommand(
      { flag: '--on-drift', command: onDrift, input: summaryOf(report, subject) },
      context,
    );
    if (problem !== undefined) failures.push(new PartialError(problem, { code: 'partial_failure' }));
  }
  const [first, ...others] = failures;
  for (const error of others) context.log.warn(error.message, await context.hintsFor(error));
  if (first !== undefined) throw first;
}

function timeNow({ clock }: Pick<Context, 'clock'>): string {
  return new Date(clock.now()).toISOString();
}

/** `--against`: `last`, or a day. Throws UsageError for anything else. */
function readAgainst(text: string): string {
  if (text === 'last' || isDay(text)) return text;
  throw invalidValue(
    `--against cannot be '${text}'`,
    'type last, or a day such as 2026-03-14 for the last audit until then',
  );
}
