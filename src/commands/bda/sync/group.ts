import type { Group } from '../../framework/define-command.ts';
import { syncHistory } from './history.ts';
import { syncInit } from './init.ts';
import { syncPlan } from './plan.ts';
import { syncRun } from './run.ts';
import { syncStatus } from './status.ts';
import { syncSweep } from './sweep.ts';
import { syncVerify } from './verify.ts';

export const syncGroup: Group = {
  name: 'sync',
  summary: 'copy analytics of every site to Parquet files',
  commands: [syncInit, syncPlan, syncRun, syncSweep, syncVerify, syncStatus, syncHistory],
};
