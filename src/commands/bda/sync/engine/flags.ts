import { UsageError } from '../../../../errors/index.ts';
import { readRate } from '../../../../sync/engine/rate.ts';
import {
  duration,
  integer,
  type Option,
  outputFile,
  string,
  type ValuesOf,
} from '../../../framework/define-command.ts';

/** `--engine`, of every command with a queue. */
export const ENGINE_FLAG = {
  engine: string(
    '--engine <url>',
    'queue server: redis://HOST, rediss://HOST or postgres://USER@HOST/DATABASE (default: GATECTL_ENGINE)',
  ),
};

export type QueueFlags = ValuesOf<typeof ENGINE_FLAG>;

/** `--account-rate`, in requests or units a second. */
export function accountRate(summary: string): Option<number | undefined> {
  return {
    flags: '--account-rate <rate>',
    summary,
    kind: 'single',
    fallback: undefined,
    completes: 'none',
    read: text => {
      const rate = readRate(text);
      if (rate !== undefined) return rate;
      throw new UsageError(`invalid --account-rate '${text}'`, {
        code: 'invalid_value',
        hints: ['pass a number a second such as 20, or a rate such as 300/m or 5000/h'],
      });
    },
  };
}

/** The limits of an account, which the queue stores. */
export const LIMIT_FLAGS = {
  'account-rate': accountRate(
    'maximum units started by all workers of the account together: 20 (a second), 300/m or 5000/h',
  ),
  'account-concurrency': integer(
    '--account-concurrency <n>',
    'maximum units in flight of all workers of the account together',
    { min: 1, max: 10_000 },
  ),
};

export type LimitFlags = ValuesOf<typeof LIMIT_FLAGS>;

export const DEADLINE_FLAG = {
  deadline: duration('--deadline <time>', 'longest wait for the queue; exit code 7 if units are left then', {
    min: 1000,
  }),
};

export const METRICS_FLAG = {
  metrics: outputFile('--metrics <file>', 'write metrics to this file in the text format of Prometheus'),
};
