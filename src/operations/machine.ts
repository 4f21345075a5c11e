import type { Platform } from '../config/platform.ts';
import type { LockMachine } from '../files/lock.ts';

/** The machine that an operation runs on: where files are, which processes hold locks, and the time that files have. */
export interface Machine extends LockMachine, Pick<Platform, 'env' | 'homedir'> {
  readonly pid: number;
  /** Undefined on systems without user ids. */
  readonly uid: number | undefined;
}
