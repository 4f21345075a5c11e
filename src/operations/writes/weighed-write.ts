import type { Impact } from '../purge/impact.ts';
import type { PolicyContent, Rule } from './policy-form.ts';
import type { WriteFacts } from './write-facts.ts';

/** The rules of a file. */
export interface Policy extends PolicyContent {
  readonly path: string;
}

/** Why a policy refuses a write. */
export interface Denial {
  readonly policy: string;
  /** The name of the rule; undefined where no rule matches. */
  readonly rule: string | undefined;
  readonly reason: string;
}

/** A write as a policy weighs it. Of a purge, all targets are passed, block after block. */
export interface WeighedWrite {
  readonly facts: Omit<WriteFacts, 'targets'>;
  readonly targets: () => AsyncIterable<readonly Pick<WriteFacts, 'what' | 'targets'>[]>;
  readonly now: number;
  /** The public keys of those who approved the plan; undefined without a plan. */
  readonly approvals: ReadonlySet<string> | undefined;
  /** The public key of whoever made the plan. */
  readonly author: string | undefined;
  /** The targets of writes with these effects of these commands in the 24 hours before. Throws where the log is not what was written. */
  readonly sentBefore: (rule: Pick<Rule, 'command' | 'effect'>) => Promise<number>;
  /** The traffic of the targets; undefined where it cannot be known. */
  readonly impact: (() => Promise<Impact>) | undefined;
}
