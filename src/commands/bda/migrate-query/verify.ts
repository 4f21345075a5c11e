import { PartialError } from '../../../errors/index.ts';
import type { MigratedQuery } from '../../../migrate/index.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import type { MigrateOptions } from './convert.ts';
import type { MigrationSource } from './source.ts';
import { answerVerifications } from './verification-output.ts';
import { type Verification, verifyQuery } from './verify-query.ts';
import { usesDefaultDays, versionsFor } from './versions.ts';

/** Asks v1 and v2 each of the queries and shows how the answers compare. Throws PartialError for anything but parity. */
export async function verify(
  queries: readonly MigratedQuery[],
  asked: MigrationSource,
  terms: MigrateOptions,
  context: Context,
): Promise<void> {
  const versions = await versionsFor(asked, terms, context);
  const verifications: Verification[] = [];
  for (const query of queries) verifications.push(await verifyQuery(query, versions));
  await answerVerifications(verifications, context);
  for (const { label, remark } of verifications) {
    if (remark !== undefined) context.log.note(queries.length > 1 ? `${label}: ${remark}` : remark);
  }
  const failed = verifications.filter(({ outcome }) => outcome !== 'parity');
  if (failed.length === 0) {
    const rows = verifications.reduce((sum, { comparison }) => sum + (comparison?.joined ?? 0), 0);
    return context.log.note(`v1 and v2 agree in ${pluralize(rows, 'row')}`);
  }
  if (usesDefaultDays(asked, terms) && queries.some(({ v1 }) => v1?.isWholeReport))
    context.log.note(
      `v1 was asked for its default days, v2 for those of ${terms.timeZone}; --last 7d asks both for the same`,
    );
  throw new PartialError(verdictOn(failed, queries.length), { code: codeOf(failed) });
}

function verdictOn(failed: readonly Verification[], count: number): string {
  const what =
    codeOf(failed) === 'results_differ' ? 'v1 and v2 differ' : 'it is not proven that v1 and v2 agree';
  return count === 1 ? what : `${what} in ${failed.length} of ${count} queries`;
}

function codeOf(failed: readonly Verification[]): 'results_differ' | 'results_unverified' {
  return failed.some(({ outcome }) => outcome === 'different') ? 'results_differ' : 'results_unverified';
}
