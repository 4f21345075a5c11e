import { processTable } from '../../src/cli/process-table.ts';
import type { LockMachine } from '../../src/files/lock.ts';

/** This machine and this process, with a clock that stands still. */
export const lockMachine: LockMachine = {
  ...processTable(process),
  platform: process.platform,
  now: () => 0,
  sleep: async () => {},
};
