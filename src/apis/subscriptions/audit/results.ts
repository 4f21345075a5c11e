import type { Decision } from '../../../wire/subscriptions.ts';

/** The result of a check. */
export interface Outcome {
  readonly decision: Decision;
  readonly reasonCode: string | undefined;
}

/** What is known about one entry of a list. */
type Result = { readonly outcome: Outcome } | { readonly error: string };

/** Further results are counted as the last one. Both are far more than the API documents. */
const MAX_OUTCOMES = 500;
const MAX_ERRORS = 500;
const FIRST_ERROR = 1 + MAX_OUTCOMES;
/** A reason code in the form of the API. Other texts may repeat parts of the request. */
const REASON_CODE = /^[\w.-]{1,64}$/;

/** The results of an audit by index, at two bytes for each: equal ones are stored once. */
export class AuditResults {
  readonly #numbers: Uint16Array;
  readonly #outcomes: Outcome[] = [];
  readonly #outcomeNumbers = new Map<string, number>();
  readonly #errors: string[] = [];
  readonly #errorNumbers = new Map<string, number>();

  constructor(size: number) {
    this.#numbers = new Uint16Array(size);
  }

  setOutcome(index: number, outcome: Outcome): void {
    const { decision, reasonCode } = storable(outcome);
    this.#numbers[index] =
      1 +
      intern(
        `${decision} ${reasonCode}`,
        { decision, reasonCode },
        this.#outcomes,
        this.#outcomeNumbers,
        MAX_OUTCOMES,
      );
  }

  /** Notes why a check failed; without a message, that it has not been made. */
  setError(index: number, message: string | undefined): void {
    this.#numbers[index] =
      message === undefined
        ? 0
        : FIRST_ERROR + intern(message, message, this.#errors, this.#errorNumbers, MAX_ERRORS);
  }

  /** Undefined for an entry that was not checked. */
  at(index: number): Result | undefined {
    const number = this.#numbers[index] ?? 0;
    if (number === 0) return undefined;
    if (number >= FIRST_ERROR) return { error: this.#errors[number - FIRST_ERROR] ?? '' };
    const outcome = this.#outcomes[number - 1];
    return outcome && { outcome };
  }
}

function intern<Value>(
  key: string,
  value: Value,
  values: Value[],
  numbers: Map<string, number>,
  most: number,
): number {
  const known = numbers.get(key);
  if (known !== undefined) return known;
  if (values.length === most) return most - 1;
  values.push(value);
  numbers.set(key, values.length - 1);
  return values.length - 1;
}

/** An outcome without an invalid reason code. */
export function storable({ decision, reasonCode }: Outcome): Outcome {
  return { decision, reasonCode: REASON_CODE.test(reasonCode ?? '') ? reasonCode : undefined };
}
