import { ApiError, type GatectlError, InvalidResponseError, NetworkError } from '../../../errors/index.ts';
import type { MigratedQuery } from '../../../migrate/index.ts';
import type { Context } from '../../framework/context.ts';
import type { MigrateOptions } from './convert.ts';
import type { MigrationSource } from './source.ts';
import { type Outcome, verifyQuery } from './verify-query.ts';
import { versionsFor } from './versions.ts';

/** Queries and the request that they came from. */
export interface VerifyOptions {
  readonly asked: MigrationSource;
  readonly queries: readonly MigratedQuery[];
}

/** What a verification of several queries comes to. `failed`: a version did not answer. */
export interface VerifiedItem {
  readonly outcome: Outcome | 'failed';
  readonly remarks: readonly string[];
}

const WORST_FIRST: readonly Outcome[] = ['different', 'unproven', 'parity'];

/** Verifies queries where one that can't be answered must not end the others. */
export async function verifyItems(
  { asked, queries }: VerifyOptions,
  terms: MigrateOptions,
  context: Context,
): Promise<VerifiedItem> {
  const versions = await versionsFor(asked, terms, context);
  const outcomes = new Set<Outcome>();
  const remarks: string[] = [];
  for (const query of queries) {
    try {
      const { outcome, remark, label } = await verifyQuery(query, versions);
      outcomes.add(outcome);
      if (remark !== undefined) remarks.push(queries.length > 1 ? `${label}: ${remark}` : remark);
    } catch (error) {
      if (!isOfOneQuery(error)) throw error;
      return {
        outcome: 'failed',
        remarks: [...remarks, `${error.request?.path ?? 'a version'}: ${error.message}`],
      };
    }
  }
  return { outcome: WORST_FIRST.find(one => outcomes.has(one)) ?? 'unproven', remarks };
}

const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  'timeout',
  'service_unavailable',
  'upstream_error',
  'internal_error',
]);

/** Whether the next query may well be answered: a large one can take longer than the gateway or the user allows. */
function isOfOneQuery(error: unknown): error is GatectlError {
  if (error instanceof NetworkError) return TRANSIENT_CODES.has(error.code);
  return error instanceof ApiError || error instanceof InvalidResponseError;
}
