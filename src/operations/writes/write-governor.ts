import { randomUUID } from 'node:crypto';
import { UsageError } from '../../errors/index.ts';
import type { GatewayOptions, SentWrite } from '../../http/gateway.ts';
import { DAY_MS } from '../../wire/day.ts';
import type { Impact } from '../purge/impact.ts';
import type { WeighedPurge } from '../purge/purge-counts.ts';
import type { Denial, Policy, WeighedWrite } from './weighed-write.ts';
import { factsOf, type WriteFacts } from './write-facts.ts';
import type { WriteLog } from './write-log.ts';

/** The plan that is applied. */
interface AppliedPlan {
  readonly hash: string;
  /** The public key of whoever made it, if they have one. */
  readonly author: string | undefined;
  /** Those who approved it, by their public keys. */
  readonly approvals: ReadonlySet<string>;
}

/** The log, and the rules; each is opened by the first write. */
interface GovernorParts {
  readonly now: () => number;
  readonly gateway: () => Promise<string>;
  /** Undefined where there is no folder for it. */
  readonly log: () => Promise<WriteLog | undefined>;
  /** Waits until no other command counts against a budget; what it resolves to ends that. Throws LockedError and FileError. */
  readonly holdBudget: () => Promise<() => Promise<void>>;
  /** Undefined also where it was not used. */
  readonly openedLog: () => Promise<WriteLog | undefined>;
  /** Throws FileError for one that cannot be used. */
  readonly policies: () => Promise<readonly Policy[]>;
  /** Whether a log that cannot be written is an error; otherwise it is a warning. */
  readonly onLogError: (error: unknown) => void;
}

/** Thrown in place of a write where it is only weighed: what the policies say of it. */
export class WeighedOnly extends Error {
  readonly denials: readonly Denial[];

  constructor(denials: readonly Denial[]) {
    super('the write was not sent');
    this.denials = denials;
  }
}

/**
 * Decides for each write of a command whether it is sent, and logs it. A purge is weighed as a whole before anything is sent, any other write
 * by itself. Where there is a policy, what cannot be logged is not sent.
 */
export class WriteGovernor {
  readonly #parts: GovernorParts;
  #policies: Promise<readonly Policy[]> | undefined;
  #plan: AppliedPlan | undefined;
  #budget: Promise<() => Promise<void>> | undefined;
  #isWeighedOnly = false;
  #planTo: ((write: SentWrite) => Promise<never>) | undefined;
  /** Whether a purge was weighed as a whole. */
  #hasWeighed = false;

  constructor(parts: GovernorParts) {
    this.#parts = parts;
  }

  /** Leaves the log and the budget to other processes. */
  async close(): Promise<void> {
    await this.#budget?.then(
      release => release(),
      () => {},
    );
    await (await this.#parts.openedLog())?.close();
  }

  /** Undefined where there is no folder for it. */
  log(): Promise<WriteLog | undefined> {
    return this.#parts.log();
  }

  /** Of the settings and of the administrator. Throws FileError for one that cannot be used. */
  policies(): Promise<readonly Policy[]> {
    this.#policies ??= this.#parts.policies();
    return this.#policies;
  }

  /**
   * What is sent while `run` runs is that of a plan, under the policies that there are now. Throws UsageError where another plan is being
   * applied: its approvals would count for this one.
   */
  async applying<Value>(plan: AppliedPlan, run: () => Promise<Value>): Promise<Value> {
    if (this.#plan !== undefined)
      throw new UsageError('another plan is being applied; nothing was sent', { code: 'denied' });
    this.#plan = plan;
    this.#policies = undefined;
    try {
      return await run();
    } finally {
      this.#plan = undefined;
      this.#hasWeighed = false;
    }
  }

  /** From now on nothing is sent: a write throws WeighedOnly. */
  weighOnly(): void {
    this.#isWeighedOnly = true;
  }

  /** From now on, a write other than a purge is passed to `plan` instead, which throws. */
  planInstead(plan: (write: SentWrite) => Promise<never>): void {
    this.#planTo = plan;
  }

  /** Weighs a purge as a whole. Throws UsageError `denied` where a policy refuses it. */
  async weigh({ effect, domain, targets }: WeighedPurge, impact: () => Promise<Impact>): Promise<void> {
    const facts = { command: 'cdn purge', effect, what: 'URL', domain } as const;
    await this.#assertAllowed({ facts, targets, impact });
    this.#hasWeighed = true;
  }

  /** Called before a write is sent. */
  readonly onWrite: NonNullable<GatewayOptions['onWrite']> = async write => {
    const facts = factsOf(write);
    await this.#planTo?.(write);
    const isOfPurge = this.#hasWeighed && facts.command === 'cdn purge';
    if (!isOfPurge) {
      const { what, targets, ...rest } = facts;
      const weighed = async function* () {
        yield [{ what, targets }];
      };
      await this.#assertAllowed({ facts: { what, ...rest }, targets: weighed, impact: undefined });
    }
    return await this.#logged(write, facts);
  };

  async #assertAllowed(write: Pick<WeighedWrite, 'facts' | 'targets' | 'impact'>): Promise<void> {
    const policies = await this.policies();
    if (policies.length === 0 && !this.#isWeighedOnly) return;
    if (policies.some(({ rules }) => rules.some(rule => rule.per_day !== undefined)))
      await this.#holdBudget();
    const { denialsOf } = await import('./policy.ts');
    const denials = await denialsOf(policies, {
      ...write,
      now: this.#parts.now(),
      approvals: this.#plan?.approvals,
      author: this.#plan?.author,
      sentBefore: rule => this.#sentBefore(rule),
    });
    if (this.#isWeighedOnly) throw new WeighedOnly(denials);
    if (denials.length > 0)
      throw new UsageError('the policy does not allow this, and nothing was sent', {
        code: 'denied',
        reason: { name: 'denied', denials },
      });
  }

  /** Of commands that count against a budget, one runs at a time: what another has weighed and not yet sent would not be counted. */
  async #holdBudget(): Promise<void> {
    this.#budget ??= this.#parts.holdBudget();
    await this.#budget;
  }

  async #sentBefore(rule: Parameters<WeighedWrite['sentBefore']>[0]): Promise<number> {
    const { now, gateway } = this.#parts;
    const log = await this.log();
    if (log === undefined) throw noLogFolder();
    return await log.targetsSince(now() - DAY_MS, await gateway(), rule);
  }

  async #logged(write: SentWrite, facts: WriteFacts): Promise<(error: unknown) => Promise<void>> {
    const isRequired = ((await this.#policies) ?? []).length > 0 || this.#plan !== undefined;
    try {
      const log = await this.log();
      if (log === undefined && isRequired) throw noLogFolder();
      if (log === undefined) return async () => undefined;
      const id = randomUUID();
      await log.intended(id, write, facts, this.#plan?.hash);
      return async error => await log.done(id, error).catch(this.#parts.onLogError);
    } catch (error) {
      if (isRequired) throw error;
      this.#parts.onLogError(error);
      return async () => undefined;
    }
  }
}

function noLogFolder(): UsageError {
  return new UsageError('there is no folder for the log that the policy requires, and nothing was sent', {
    code: 'denied',
  });
}
