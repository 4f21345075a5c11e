import { isPresent } from '../../../apis/bda/fields.ts';
import { PartialError } from '../../../errors/index.ts';
import type { Json, JsonRecord } from '../../../json/index.ts';
import type { Comparison, PlanPart, Verdict } from '../../../migrate/index.ts';
import { bdaV1Site, bdaV2Site } from '../../../operations/listings/analytics.ts';
import { daysOf, type MigrateOptions } from '../../../operations/migrate/convert-request.ts';
import { queryFetcher } from '../../../operations/migrate/fetch-rows.ts';
import {
  gatewayVersions,
  type Replay,
  replaysOf,
  type Verification,
  type Versions,
  verifiedDays,
  verifyMigration,
} from '../../../operations/migrate/verify-migration.ts';
import type { Column, Outcome } from '../../../output/view.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Context, OutputSection } from '../../framework/context.ts';
import type { MigrationSource } from '../flags/migration-source.ts';
import { rowWork } from '../output/row-work.ts';

/** Both versions of the configured gateway. */
export async function versionsFor(context: Context): Promise<Versions> {
  const [sender, v1, v2] = [await context.gateway(), await bdaV1Site(context), await bdaV2Site(context)];
  return gatewayVersions(sender, v1, queryFetcher(sender, v2, await rowWork(context)));
}

/** Sends the v1 request as it is, runs the plan, and prints how the rows compare. Throws PartialError unless they are in parity. */
export async function verify(
  parts: readonly PlanPart[],
  source: MigrationSource,
  options: MigrateOptions,
  context: Context,
): Promise<void> {
  const versions = await versionsFor(context);
  const replays = replaysOf(source, parts, daysOf(options));
  const verifications: Verification[] = [];
  for (const replay of replays) verifications.push(await verifyMigration(replay, versions));
  await printVerifications(verifications, context);
  for (const { label, note } of verifications) {
    if (note !== undefined) context.log.note(replays.length > 1 ? `${label}: ${note}` : note);
  }
  const failed = verifications.filter(({ outcome }) => outcome !== 'parity');
  if (failed.length === 0) {
    const rows = verifications.reduce((sum, { comparison }) => sum + (comparison?.joined ?? 0), 0);
    const apart = options.lossy ? ', apart from what is lost' : '';
    return context.log.note(`v1 and v2 agree in ${pluralize(rows, 'row')} of ${verifiedDays(parts)}${apart}`);
  }
  if (replays.some(usesDefaultDays))
    context.log.note(
      `v1 used its default days, v2 those of ${options.timeZone}; pass --last 7d to use the same days`,
    );
  const isEmpty = failed.every(({ comparison }) => comparison?.joined === 0 && comparison.parity);
  throw new PartialError(summaryOf(verifications), {
    code: codeOf(failed),
    hints: isEmpty ? ['choose days with data: --last 30d, or --from DAY --to DAY'] : [],
  });
}

/** Whether v1 uses the default days of a saved report. */
function usesDefaultDays({ target, request = {} }: Replay): boolean {
  return !('inline' in target) && !isPresent(request.StartDate) && !isPresent(request.EndDate);
}

/** What is wrong, counted by what it is: queries that differ, have no rows, or cannot be verified, such as for missing rows. */
export function summaryOf(all: readonly Pick<Verification, 'outcome' | 'comparison'>[]): string {
  const ofAll = (count: number) => (all.length === 1 ? '' : ` in ${count} of ${all.length} queries`);
  const count = (matches: (one: (typeof all)[number]) => boolean) => all.filter(matches).length;
  const isEmpty = ({ comparison }: (typeof all)[number]) => (comparison?.joined ?? 0) === 0;
  const counts: [number, string][] = [
    [count(({ outcome }) => outcome === 'different'), 'v1 and v2 differ'],
    [count(one => one.outcome === 'unverified' && isEmpty(one)), 'nothing to compare between v1 and v2'],
    [
      count(one => one.outcome === 'unverified' && !isEmpty(one)),
      'the rows are not complete, so it is unknown whether v1 and v2 agree',
    ],
  ];
  return counts.flatMap(([found, what]) => (found === 0 ? [] : [`${what}${ofAll(found)}`])).join('; ');
}

function codeOf(failed: readonly Verification[]): 'results_differ' | 'results_unverified' {
  return failed.some(({ outcome }) => outcome === 'different') ? 'results_differ' : 'results_unverified';
}

/** Maximum of differences in a table; other formats contain all. */
const MAX_SHOWN = 50;

/** Prints the verdict on each metric, and the differences. */
async function printVerifications(verifications: readonly Verification[], context: Context): Promise<void> {
  const verdicts = verifications.flatMap(verdictRows);
  const differences = verifications.flatMap(differenceRows);
  const several = verifications.length > 1;
  if (differences.length > MAX_SHOWN)
    context.log.note(`showing ${MAX_SHOWN} of ${differences.length} differences; -o json prints all`);
  await context.out.printSections(
    verificationRecord(verifications),
    [verdictSection(verdicts, several), differenceSection(differences, several)],
    verdicts,
  );
}

/** The JSON form of the verifications. */
function verificationRecord(verifications: readonly Verification[]): JsonRecord {
  return {
    parity: verifications.every(({ outcome }) => outcome === 'parity'),
    queries: verifications.map(({ label, outcome, comparison, note }) => ({
      query: label,
      outcome,
      ...(note !== undefined && { note }),
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

const VERDICTS: Readonly<Record<Verdict, Outcome>> = {
  same: 'good',
  rounded: 'good',
  different: 'bad',
  absent: 'bad',
  unverified: 'warning',
};

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

function verdictSection(rows: readonly JsonRecord[], several: boolean): OutputSection {
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

/** The differences, including rows that only one version has. */
function differenceRows({ label, comparison }: Verification): JsonRecord[] {
  if (comparison === undefined) return [];
  const missingRow = (row: Readonly<Record<string, string>>, v1: string, v2: string) => ({
    query: label,
    row,
    metric: 'row',
    v1,
    v2,
  });
  return [
    ...comparison.onlyV1.map(row => missingRow(row, 'present', 'missing')),
    ...comparison.onlyV2.map(row => missingRow(row, 'missing', 'present')),
    ...comparison.differences.map(one => ({ query: label, ...one })),
  ];
}

function differenceSection(differences: readonly JsonRecord[], several: boolean): OutputSection {
  const columns: Column[] = [
    { key: 'row', kind: 'text' },
    { key: 'metric' },
    { key: 'v1', kind: 'text', align: 'right' },
    { key: 'v2', kind: 'text', align: 'right' },
    { key: 'difference', kind: 'text', align: 'right', whenPresent: true },
  ];
  const shown = differences.slice(0, MAX_SHOWN).map(one => ({ ...one, row: rowText(one.row) }));
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
