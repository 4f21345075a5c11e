import type { InProcess } from '../support/run.ts';
import type { Asking, Tried } from './trial.ts';

/** Ends a test that can't be made here, and says why. */
export type Skip = (reason: string) => never;

/** One thing that can go wrong, what gatectl promises for it, and a way to make it happen. */
export interface FaultCase {
  /** What goes wrong, in a few words. */
  readonly fault: string;
  /** What gatectl does, in a few words. */
  readonly does: string;
  readonly exit: number;
  readonly with?: undefined;
  /** Makes it happen; checks what is particular to the case itself. */
  readonly attempt: (skip: Skip) => Promise<InProcess>;
}

/** The same for a fault of answers and connections, tried with every command of the list. */
export interface AskingCase extends Omit<FaultCase, 'attempt' | 'with'> {
  readonly with: readonly Asking[];
  /** How often the gateway is asked; what may not be repeated is asked once. */
  readonly requests: number;
  /** A part of what stderr says. */
  readonly says: string;
  /** Whether rows come out before it fails: what went into a pipe is out. */
  readonly printsRows?: boolean;
  readonly attempt: (asking: Asking) => Promise<Tried>;
}

export interface FaultGroup {
  readonly title: string;
  readonly cases: readonly (FaultCase | AskingCase)[];
}

export function isAskingCase(one: FaultCase | AskingCase): one is AskingCase {
  return one.with !== undefined;
}
