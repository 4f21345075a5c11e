import type { LockMachine } from '../../src/files/lock.ts';
import { processTable } from '../../src/files/process-table.ts';

/** This machine and this process, with a clock that stands still. */
export const lockMachine: LockMachine = {
  ...processTable(process),
  platform: process.platform,
  now: () => 0,
  sleep: async () => {},
};
