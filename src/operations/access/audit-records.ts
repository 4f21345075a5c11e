import { isGranted } from '../../apis/subscriptions/access.ts';
import type { AuditReport, Finding } from '../../apis/subscriptions/audit/report.ts';
import type { JsonRecord } from '../../json/index.ts';

/** The readers that do not match, by reason, with what to do. */
export function groupRecords({ groups }: AuditReport): readonly JsonRecord[] {
  return groups.map(({ finding, product, outcome, count, next }) => ({
    finding,
    product,
    decision: outcome?.decision ?? null,
    reasonCode: outcome?.reasonCode ?? null,
    readers: count,
    next,
  }));
}

/** A reader that does not match, or was not checked. */
export function findingRecord({ email, product, finding, isPaid, outcome, error }: Finding): JsonRecord {
  return {
    email,
    product,
    finding,
    paid: isPaid,
    allowed: outcome === undefined ? null : isGranted(outcome.decision),
    decision: outcome?.decision ?? null,
    reasonCode: outcome?.reasonCode ?? null,
    ...(error !== undefined && { error }),
  };
}
