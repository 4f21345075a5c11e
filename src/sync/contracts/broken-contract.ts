import type { Day } from '../../apis/bda/days.ts';
import { PartialError } from '../../errors/index.ts';

/** A rule of the sync file that the rows of a partition break. */
export interface Problem {
  readonly text: string;
  /** Which rows show it. */
  readonly shownBy?: {
    readonly column: string;
    /** Whether a value does, as JSON text; `null` for none. */
    readonly matches: (json: string) => boolean;
    /** What follows the text, for such a row. */
    readonly words: (value: string, day: Day) => string;
  };
  /** The words for such a row. */
  readonly example?: string | undefined;
}

/** Rows that did not replace their partition, because they break a rule of the sync file. */
export class BrokenContractError extends PartialError {
  readonly problems: readonly Problem[];
  /** Whether they are kept aside. */
  readonly isKept: boolean;

  constructor(problems: readonly Problem[], isKept: boolean) {
    super(`${isKept ? 'quarantined: ' : ''}${problems.map(textOf).join('; ')}`, { code: 'contract_broken' });
    this.problems = problems;
    this.isKept = isKept;
  }

  /** The problems, each with a row that shows it. */
  get texts(): readonly string[] {
    return this.problems.map(textOf);
  }

  /** Whether another one has the same problems, whichever rows show them. */
  isLike(other: BrokenContractError): boolean {
    const rules = (error: BrokenContractError) => error.problems.map(({ text }) => text).join('; ');
    return this.isKept === other.isKept && rules(this) === rules(other);
  }
}

function textOf({ text, example }: Problem): string {
  return example === undefined ? text : `${text}, ${example}`;
}
