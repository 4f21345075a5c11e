import {
  type AuditReport,
  type Finding,
  type FindingKind,
  wordOf,
} from '../../../apis/subscriptions/audit/report.ts';
import type { StoredRun } from '../../../apis/subscriptions/audit/stored-run.ts';
import type { Json, JsonRecord } from '../../../json/index.ts';
import { findingRecord, groupRecords } from '../../../operations/access/audit-records.ts';
import type { Column } from '../../../output/view.ts';
import { groupDigits, pluralize } from '../../../terminal/numbers.ts';
import type { OutputSection } from '../../framework/context.ts';

/** Rows of a table for people, unless it is a file. */
const ROWS_SHOWN = 100;

const FINDINGS: Readonly<Record<FindingKind, string>> = {
  paid_without_access: 'paid without access',
  access_without_payment: 'access without payment',
  not_checked: 'not checked',
  changed: 'changed',
};

/** A finished audit, as the output describes it. */
export interface AuditSubject {
  /** The list as messages name it. */
  readonly list: string;
  readonly domain: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  /** The run that it was compared with. */
  readonly against: StoredRun | undefined;
  /** Whether an earlier run was to be compared with, and there is none. */
  readonly isFirst: boolean;
  /** How rows are shown: with addresses masked, or unchanged. */
  readonly masked: <T>(data: T) => T;
}

/** The totals, without any reader. */
export function summaryOf(report: AuditReport, subject: AuditSubject): JsonRecord {
  const { totals } = report;
  return {
    list: subject.list,
    domain: subject.domain,
    startedAt: subject.startedAt,
    finishedAt: subject.finishedAt,
    readers: totals.readers,
    checked: totals.checked,
    paidWithoutAccess: totals.paidWithoutAccess,
    accessWithoutPayment: totals.accessWithoutPayment,
    notChecked: totals.notChecked,
    // Of no reader, no share is known: zero would say that all match.
    drift: totals.checked === 0 ? null : percent(report),
    groups: groupRecords(report),
    against: subject.against?.head.startedAt ?? null,
    // No list of changes where nothing was compared: an empty one would say that nothing has changed.
    changes:
      subject.against === undefined || countCompared(totals) === 0
        ? null
        : changeRows(report, subject, subject.against),
  };
}

function changeRows(report: AuditReport, { startedAt }: AuditSubject, against: StoredRun): Json[] {
  return report.changes.map(({ product, before, now, count }) => ({
    product,
    change: `${wordOf(before)} → ${wordOf(now)}`,
    from: against.head.startedAt,
    to: startedAt,
    readers: count,
  }));
}

/** `6.88%` */
export function percent({ drift }: Pick<AuditReport, 'drift'>): string {
  const digits = (drift * 100).toFixed(2);
  // A few readers in a large list must not be rounded to 0.
  if (drift < 1 && digits === '100.00') return '> 99.99%';
  return drift > 0 && digits === '0.00' ? '< 0.01%' : `${digits}%`;
}

/** The columns of the findings. */
export const FINDING_COLUMNS: readonly Column[] = [
  { key: 'line', title: 'Line', kind: 'number' },
  { key: 'email', title: 'Reader', kind: 'text' },
  { key: 'product', title: 'Product', kind: 'text' },
  { key: 'finding', title: 'Finding', kind: 'text' },
  { key: 'paid', title: 'Paid', kind: 'text' },
  { key: 'allowed', title: 'Access', kind: 'text' },
  { key: 'decision', title: 'Decision', kind: 'text' },
  { key: 'reasonCode', title: 'Reason', kind: 'text' },
  { key: 'before', title: 'Before', kind: 'text', whenPresent: true },
  { key: 'beforeAt', title: 'Checked before', kind: 'time', whenPresent: true },
  { key: 'error', title: 'Error', kind: 'text', whenPresent: true },
];

/** The findings as rows, in the order of the list. */
export function* findingRows(report: AuditReport, subject: AuditSubject): Generator<Json> {
  for (const finding of report.findings()) yield rowOf(finding, subject);
}

function rowOf(found: Finding, { against, masked }: AuditSubject): Json {
  const { place, before } = found;
  const { error, ...record } = findingRecord(found);
  return masked({
    line: Number(/\d+/.exec(place)?.[0] ?? 0),
    ...record,
    ...(against !== undefined && {
      before: before === undefined ? null : wordOf(before),
      beforeAt: before === undefined ? null : against.head.startedAt,
    }),
    ...(error !== undefined && { error }),
  });
}

/** The audit as a document for people. `rows` are the findings to show. */
export function auditSections(
  report: AuditReport,
  subject: AuditSubject,
  rows: readonly Json[] | undefined,
): OutputSection[] {
  const { totals, groups } = report;
  const { against } = subject;
  const sections: OutputSection[] = [
    {
      title: `Audit of ${subject.list} at ${subject.domain}`,
      data: sentences(report, subject),
      view: { prose: true },
    },
  ];
  if (groups.length > 0)
    sections.push({
      title: 'By reason',
      data: groups.map(({ finding, product, outcome, count, next }) => ({
        finding: FINDINGS[finding],
        product,
        decision: outcome?.decision ?? null,
        reason: outcome?.reasonCode ?? null,
        readers: count,
        next,
      })),
      view: {
        columns: [
          { key: 'readers', title: 'Readers', kind: 'number' },
          { key: 'finding', title: 'Finding', kind: 'text' },
          { key: 'product', title: 'Product', kind: 'text' },
          { key: 'decision', title: 'Decision', kind: 'text' },
          { key: 'reason', title: 'Reason', kind: 'text' },
          { key: 'next', title: 'What to do', kind: 'text' },
        ],
      },
    });
  if (against !== undefined && countCompared(totals) > 0)
    sections.push({
      title: 'Changes',
      data: changeRows(report, subject, against),
      view: {
        columns: [
          { key: 'readers', title: 'Readers', kind: 'number' },
          { key: 'product', title: 'Product', kind: 'text' },
          { key: 'change', title: 'Change', kind: 'text' },
          { key: 'from', title: 'From', kind: 'time' },
          { key: 'to', title: 'To', kind: 'time' },
        ],
        empty: 'no decision has changed since',
      },
    });
  const found = report.mismatches + totals.notChecked + countChanged(report);
  if (rows !== undefined && found > 0)
    sections.push({
      title: 'Readers',
      data: rows.map(row => shownRow(row)),
      view: {
        columns: FINDING_COLUMNS,
        footnote:
          rows.length < found
            ? `${groupDigits(rows.length)} of ${groupDigits(found)}; --out FILE writes all`
            : undefined,
      },
    });
  return sections;
}

/** The findings that a table on a terminal shows. */
export function firstRows(report: AuditReport, subject: AuditSubject): Json[] {
  const rows: Json[] = [];
  for (const row of findingRows(report, subject)) {
    if (rows.length === ROWS_SHOWN) break;
    rows.push(row);
  }
  return rows;
}

function shownRow(row: Json): Json {
  const record = row as JsonRecord;
  const yesNo = (value: Json | undefined) =>
    value === null || value === undefined ? null : value ? 'yes' : 'no';
  return {
    ...record,
    finding: FINDINGS[record.finding as FindingKind],
    paid: yesNo(record.paid),
    allowed: yesNo(record.allowed),
  };
}

/** Readers that an earlier audit has a decision on, too. */
function countCompared({ checked, added }: AuditReport['totals']): number {
  return checked - added;
}

function countChanged(report: AuditReport): number {
  let count = 0;
  for (const { finding } of report.findings()) if (finding === 'changed') count += 1;
  return count;
}

function matchSentence({ checked, notChecked }: AuditReport['totals']): string {
  const which = notChecked > 0 ? 'checked reader' : 'reader';
  if (checked === 0) return 'No reader was checked.';
  return checked === 1
    ? `The ${which} matches the list.`
    : `All ${pluralize(checked, which)} match the list.`;
}

/** What is said where there is no earlier audit. */
export const NOTHING_EARLIER = 'there is no earlier audit to compare with';

function changesSentence(totals: AuditReport['totals'], since: string): string {
  const { changed, added } = totals;
  if (countCompared(totals) === 0)
    return `Changes are unknown: no reader that was checked is in the audit of ${since}.`;
  return `${pluralize(changed, 'decision')} changed since the audit of ${since}; ${pluralize(added, 'reader')} ${added === 1 ? 'was' : 'were'} not in it.`;
}

function sentences(report: AuditReport, { against, isFirst }: AuditSubject): string[] {
  const { totals, mismatches } = report;
  const does = mismatches === 1 ? 'does' : 'do';
  const all =
    mismatches === 0
      ? matchSentence(totals)
      : `${groupDigits(mismatches)} of ${pluralize(totals.checked, 'reader')} (${percent(report)}) ${does} not match the list: ${groupDigits(totals.paidWithoutAccess)} paid without access, ${groupDigits(totals.accessWithoutPayment)} with access without payment.`;
  return [
    all,
    ...(totals.notChecked > 0 ? [`${pluralize(totals.notChecked, 'reader')} could not be checked.`] : []),
    ...(isFirst ? [`Changes are unknown: ${NOTHING_EARLIER}.`] : []),
    ...(against !== undefined ? [changesSentence(totals, against.head.startedAt)] : []),
  ];
}
