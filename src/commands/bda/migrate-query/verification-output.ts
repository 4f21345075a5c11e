import type { Json, JsonRecord } from '../../../json/index.ts';
import type { Comparison, Verdict } from '../../../migrate/index.ts';
import type { Column, Outcome } from '../../../output/view.ts';
import type { Context, OutputSection } from '../../framework/context.ts';
import type { Verification } from './verify-query.ts';

/** Differences that people are shown; programs get all of them. */
const SHOWN_MAX = 50;

/** Shows the verdict on each metric and each difference. */
export async function answerVerifications(
  verifications: readonly Verification[],
  context: Context,
): Promise<void> {
  const verdicts = verifications.flatMap(verdictRows);
  const differences = verifications.flatMap(differenceRows);
  const several = verifications.length > 1;
  if (differences.length > SHOWN_MAX)
    context.log.note(`${SHOWN_MAX} of ${differences.length} differences are shown; -o json has all of them`);
  await context.out.printSections(
    verificationRecord(verifications),
    [verdictPart(verdicts, several), differencePart(differences, several)],
    verdicts,
  );
}

/** What was found out, for programs. */
export function verificationRecord(verifications: readonly Verification[]): JsonRecord {
  return {
    parity: verifications.every(({ outcome }) => outcome === 'parity'),
    queries: verifications.map(({ label, outcome, comparison, remark }) => ({
      query: label,
      outcome,
      ...(remark !== undefined && { remark }),
      ...(comparison && comparisonRecord(comparison)),
    })),
  };
}

function comparisonRecord({ joined, metrics, onlyV1, onlyV2, differences }: Comparison): JsonRecord {
  return {
    rows: joined,
    only_v1: onlyV1,
    only_v2: onlyV2,
    metrics: metrics.map(metric => ({ ...metric })),
    differences: differences.map(one => ({ ...one })),
  };
}

const QUERY: Column = { key: 'query' };

function verdictRows({ label, comparison }: Verification): JsonRecord[] {
  return (comparison?.metrics ?? []).map(({ metric, verdict, decimals, compared, differing, largest }) => ({
    query: label,
    metric,
    verdict,
    rows: compared,
    differing,
    largest_difference: largest ?? null,
    v1_decimals: decimals,
  }));
}

const VERDICTS: Readonly<Record<Verdict, Outcome>> = {
  same: 'good',
  rounded: 'good',
  different: 'bad',
  absent: 'bad',
  unproven: 'warning',
};

function verdictPart(rows: readonly JsonRecord[], several: boolean): OutputSection {
  const columns: Column[] = [
    { key: 'metric' },
    { key: 'verdict', outcomes: VERDICTS },
    { key: 'rows', kind: 'number' },
    { key: 'differing', kind: 'number' },
    { key: 'largest_difference', align: 'right', whenPresent: true },
    { key: 'v1_decimals', kind: 'number' },
  ];
  return {
    title: 'Metrics',
    data: rows,
    view: { columns: several ? [QUERY, ...columns] : columns, empty: 'no metric was compared' },
  };
}

/** A row that one version alone has is a difference too. */
function differenceRows({ label, comparison }: Verification): JsonRecord[] {
  if (comparison === undefined) return [];
  const whole = (row: Readonly<Record<string, string>>, v1: string, v2: string) => ({
    query: label,
    row,
    metric: 'the whole row',
    v1,
    v2,
  });
  return [
    ...comparison.onlyV1.map(row => whole(row, 'there', 'missing')),
    ...comparison.onlyV2.map(row => whole(row, 'missing', 'there')),
    ...comparison.differences.map(one => ({ query: label, ...one })),
  ];
}

function differencePart(differences: readonly JsonRecord[], several: boolean): OutputSection {
  const columns: Column[] = [
    { key: 'row', kind: 'text' },
    { key: 'metric' },
    { key: 'v1', kind: 'text', align: 'right' },
    { key: 'v2', kind: 'text', align: 'right' },
    { key: 'difference', kind: 'text', align: 'right', whenPresent: true },
  ];
  const shown = differences.slice(0, SHOWN_MAX).map(one => ({ ...one, row: rowText(one.row) }));
  return {
    title: 'Differences',
    data: shown,
    view: { columns: several ? [QUERY, ...columns] : columns, empty: 'none' },
  };
}

function rowText(row: Json | undefined): string {
  const cells = Object.entries((row ?? {}) as JsonRecord).map(([name, value]) => `${name}=${String(value)}`);
  return cells.length === 0 ? 'total' : cells.join(' ');
}
