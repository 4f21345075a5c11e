import type { BrandNames } from '../../wire/brand.ts';
import type { Account } from '../routing.ts';
import { dayOf } from './days.ts';
import { type Facts, openFacts } from './facts/open.ts';
import type { QueryLimits } from './v2/limits.ts';

export interface BdaState {
  readonly account: Account;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The clock of rate limits; `now` by default. */
  readonly rateNow?: () => number;
  /** Integer seed of the generated data. */
  readonly seed: number;
  /** Whether the figures of a day change as it ages. */
  readonly restates?: boolean;
  readonly brand: BrandNames;
  /** Overrides of the default limits of v2. */
  readonly limits?: Partial<QueryLimits>;
}

/** The data of both versions. */
export interface Analytics {
  /** The figures for the current day; opened on first use, and again on a new day. */
  readonly facts: () => Promise<Facts>;
  /** The current UTC day. */
  readonly today: () => number;
  /** Frees the figures. */
  readonly close: () => Promise<void>;
}

/** Creates the data on first use. */
export function createAnalytics({ account, now, seed, restates }: BdaState): Analytics {
  const today = () => dayOf(now());
  let current: { day: number; facts: Promise<Facts> } | undefined;
  const close = async () => {
    const closing = current;
    current = undefined;
    await closing?.facts.then(
      facts => facts.close(),
      () => {},
    );
  };
  return {
    today,
    close,
    facts: () => {
      const day = today();
      if (current?.day !== day) {
        close();
        current = { day, facts: openFacts(account, seed, day, restates) };
      }
      return current.facts;
    },
  };
}

/**
 * The id of a site of another account; all other ids that are not the account's are unknown.
 */
const FOREIGN_DOMAIN_ID = 9001;

/** Whether a site belongs to the account. */
export function ownerOf(account: Account, domainId: number): 'own' | 'foreign' | 'unknown' {
  if (account.domains.some(({ id }) => id === domainId)) return 'own';
  return domainId === FOREIGN_DOMAIN_ID ? 'foreign' : 'unknown';
}
