import type { GatectlError } from '../../errors/index.ts';

export type State = 'ok' | 'warning' | 'wrong' | 'not tried';

/** The result of one check. */
export interface Finding {
  readonly area: string;
  readonly check: string;
  readonly state: State;
  /** What was found. */
  readonly found: string;
  /** How to fix it; null for a check that passed. */
  readonly advice: string | null;
  /** For a failed check: determines the exit code. */
  readonly error?: GatectlError;
  /** Skipped because another check failed, which has the advice. */
  readonly isBlocked?: boolean;
}

/** A check that failed. */
interface Failure {
  readonly error: GatectlError;
  readonly advice: readonly string[] | string;
  readonly found?: string;
}

const LAST_RESORT =
  'run gatectl doctor again later; if the problem persists, contact the operator of the gateway';

/** Collects the findings of one area. */
export class Area {
  readonly findings: Finding[] = [];
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  ok(check: string, found: string): void {
    this.#add({ check, state: 'ok', found, advice: null });
  }

  /** A problem that does not prevent any command. */
  warning(check: string, found: string, advice: string): void {
    this.#add({ check, state: 'warning', found, advice });
  }

  wrong(check: string, { error, advice, found = error.message }: Failure): void {
    const known = [advice].flat().join('; ');
    this.#add({ check, state: 'wrong', found, advice: known === '' ? LAST_RESORT : known, error });
  }

  notTried(check: string, found: string, advice: string): void {
    this.#add({ check, state: 'not tried', found, advice });
  }

  /** Skipped because of another check, which `advice` names. */
  blocked(check: string, found: string, advice: string): void {
    this.#add({ check, state: 'not tried', found, advice, isBlocked: true });
  }

  #add(finding: Omit<Finding, 'area'>): void {
    this.findings.push({ area: this.#name, ...finding });
  }
}
