import type { GatectlError } from '../../errors/index.ts';

export type State = 'ok' | 'warning' | 'wrong' | 'not tried';

/** One line of the diagnosis. */
export interface Finding {
  readonly area: string;
  readonly check: string;
  readonly state: State;
  /** What was found, in words. */
  readonly found: string;
  /** What to do; null for a line that is well. */
  readonly advice: string | null;
  /** For a line that is wrong: what decides the exit code. */
  readonly error?: GatectlError;
  /** True for a line that another one has to be well for: that one says what to do. */
  readonly waits?: boolean;
}

/** What is told of a line that is wrong, besides the error itself. */
interface Wrong {
  readonly error: GatectlError;
  readonly advice: readonly string[] | string;
  readonly found?: string;
}

const LAST_RESORT = 'run gatectl doctor again later; if it stays so, ask whoever runs the gateway';

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

  /** Nothing that stops a command, but worth a look. */
  warning(check: string, found: string, advice: string): void {
    this.#add({ check, state: 'warning', found, advice });
  }

  wrong(check: string, { error, advice, found = error.message }: Wrong): void {
    const known = [advice].flat().join('; ');
    this.#add({ check, state: 'wrong', found, advice: known === '' ? LAST_RESORT : known, error });
  }

  notTried(check: string, found: string, advice: string): void {
    this.#add({ check, state: 'not tried', found, advice });
  }

  /** Not tried because of another line, which `advice` points at. */
  waits(check: string, found: string, advice: string): void {
    this.#add({ check, state: 'not tried', found, advice, waits: true });
  }

  #add(finding: Omit<Finding, 'area'>): void {
    this.findings.push({ area: this.#name, ...finding });
  }
}
