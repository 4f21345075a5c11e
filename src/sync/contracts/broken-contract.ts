import { PartialError } from '../../errors/index.ts';

/** Rows that did not replace their partition, because they break a rule of the sync file. */
export class BrokenContractError extends PartialError {
  readonly problems: readonly string[];
  /** Whether they are kept aside. */
  readonly isKept: boolean;

  constructor(problems: readonly string[], isKept: boolean) {
    super(`${isKept ? 'quarantined: ' : ''}${problems.join('; ')}`, { code: 'contract_broken' });
    this.problems = problems;
    this.isKept = isKept;
  }
}
