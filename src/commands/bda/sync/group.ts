import type { Group } from '../../framework/define-command.ts';
import { syncCancel } from './cancel.ts';
import { syncDdl } from './ddl.ts';
import { syncDrain } from './drain.ts';
import { syncHistory } from './history.ts';
import { syncInit } from './init.ts';
import { syncPlan } from './plan.ts';
import { syncRetry } from './retry.ts';
import { syncRun } from './run.ts';
import { syncStatus } from './status.ts';
import { syncSubmit } from './submit.ts';
import { syncSweep } from './sweep.ts';
import { syncVerify } from './verify.ts';
import { syncWorker } from './worker.ts';

export const syncGroup: Group = {
  name: 'sync',
  summary: 'copy analytics of every site to Parquet files or a database',
  commands: [
    syncInit,
    syncPlan,
    syncRun,
    syncSweep,
    syncVerify,
    syncStatus,
    syncHistory,
    syncDdl,
    syncSubmit,
    syncWorker,
    syncDrain,
    syncRetry,
    syncCancel,
  ],
};
