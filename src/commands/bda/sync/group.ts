import type { Group } from '../../framework/define-command.ts';
import { syncInit } from './init.ts';
import { syncPlan } from './plan.ts';
import { syncRun } from './run.ts';

export const syncGroup: Group = {
  name: 'sync',
  summary: 'copy analytics of every site to Parquet files',
  commands: [syncInit, syncPlan, syncRun],
};
