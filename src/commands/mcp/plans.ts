import { randomBytes } from 'node:crypto';
import { UsageError } from '../../errors/index.ts';
import type { CheckedTargets } from '../../operations/purge/purge-targets.ts';

/** A plan can be applied for five minutes. */
export const PLAN_MS = 5 * 60_000;
/** More plans than these are never open; the oldest is dropped. */
const MAX_PLANS = 20;

/** A purge that was described, and not sent yet. */
export interface PurgePlan {
  readonly purge: CheckedTargets;
  /** As they were named. */
  readonly targets: readonly string[];
  readonly kind: 'URLs' | 'surrogate keys';
  readonly domain: string | undefined;
}

/** The plans that can still be applied, each once. */
export class Plans {
  readonly #plans = new Map<string, { readonly plan: PurgePlan; readonly expires: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Stores a plan and returns its id, which cannot be guessed. */
  add(plan: PurgePlan): string {
    const id = randomBytes(12).toString('base64url');
    this.#plans.set(id, { plan, expires: this.#now() + PLAN_MS });
    const [oldest] = this.#plans.keys();
    if (this.#plans.size > MAX_PLANS && oldest !== undefined) this.#plans.delete(oldest);
    return id;
  }

  /** The plan, which stays usable. Throws UsageError for an unknown, used or expired id. */
  find(id: string): PurgePlan {
    const found = this.#plans.get(id);
    if (found !== undefined && found.expires > this.#now()) return found.plan;
    this.#plans.delete(id);
    throw new UsageError('this plan is unknown, was already applied, or is older than five minutes', {
      code: 'invalid_value',
      hints: ['call purge_plan again'],
    });
  }

  /** The plan, which is used up. Throws as `find`. */
  take(id: string): PurgePlan {
    const plan = this.find(id);
    this.#plans.delete(id);
    return plan;
  }
}
