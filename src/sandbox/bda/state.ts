import type { Database } from 'node-sqlite3-wasm';
import type { BrandNames } from '../../wire/brand.ts';
import type { Account } from '../routing.ts';
import { dayOf } from './days.ts';
import { openFacts } from './facts/open.ts';
import type { QueryLimits } from './v2/limits.ts';

export interface BdaState {
  readonly account: Account;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Whole number; the same seed gives the same figures for the same sites. */
  readonly seed: number;
  readonly brand: BrandNames;
  /** What of v2's limits differs from the default. */
  readonly limits?: Partial<QueryLimits>;
}

/** The figures that both versions answer from. */
export interface Analytics {
  /** The database for the day of the clock; opened when first asked for, and anew on a new day. */
  readonly facts: () => Promise<Database>;
  /** The UTC day of the clock. */
  readonly today: () => number;
}

/** Figures that are made when the first query comes. */
export function analyticsOf({ account, now, seed }: BdaState): Analytics {
  const today = () => dayOf(now());
  let held: { day: number; database: Promise<Database> } | undefined;
  return {
    today,
    facts: () => {
      const day = today();
      if (held?.day !== day) {
        held?.database.then(
          database => database.close(),
          () => {},
        );
        held = { day, database: openFacts(account, seed, day) };
      }
      return held.database;
    },
  };
}

/**
 * The id of a site that belongs to somebody else's account; any other id that is not the account's is unknown.
 */
export const FOREIGN_DOMAIN_ID = 9001;

/** Whether a site is the account's. */
export function ownership(account: Account, domainId: number): 'own' | 'foreign' | 'unknown' {
  if (account.domains.some(({ id }) => id === domainId)) return 'own';
  return domainId === FOREIGN_DOMAIN_ID ? 'foreign' : 'unknown';
}
