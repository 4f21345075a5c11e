import {
  boolean,
  defineCommand,
  duration,
  integer,
  oneOf,
  variadic,
} from '../../framework/define-command.ts';
import { NOTHING } from '../../framework/output-schema.ts';
import { DEADLINE_FLAG, ENGINE_FLAG, LIMIT_FLAGS, METRICS_FLAG } from './engine/flags.ts';

/** Units of a worker at a time. */
const DEFAULT_CONCURRENCY = 4;

export const syncWorker = defineCommand({
  name: 'worker',
  effect: 'read',
  summary: 'run units of the queue until it is stopped',
  description:
    'Takes units of the account from the queue, several at a time, requests their rows and replaces their partitions. Run it on as many machines as needed, each with its own profile and the same sync file. SIGTERM finishes the units in progress, or returns them to the queue; those of a worker that was killed are taken over by another one.',
  arguments: {
    file: variadic('file', 'sync files (default gatectl.sync.yaml)', { completes: 'file' }),
  },
  options: {
    ...ENGINE_FLAG,
    concurrency: integer('--concurrency <n>', 'maximum units in flight of this worker', {
      min: 1,
      max: 64,
      fallback: DEFAULT_CONCURRENCY,
    }),
    ...LIMIT_FLAGS,
    'until-empty': boolean(
      '--until-empty',
      'exit when the queue is empty and all files have the column types of their table; exit code 7 if units are set aside, or the queue lost them',
    ),
    ...DEADLINE_FLAG,
    grace: duration('--grace <time>', 'shutdown grace period: time to finish units after SIGTERM', {
      min: 0,
      fallback: 25_000,
      shownDefault: '25s',
    }),
    'lost-after': duration(
      '--lost-after <time>',
      'heartbeat timeout, after which another worker takes the unit',
      { min: 1000, fallback: 30_000, shownDefault: '30s' },
    ),
    ...METRICS_FLAG,
    log: oneOf('--log <format>', 'format of the log on stderr: text, or one JSON object a line', [
      'text',
      'json',
    ]),
  },
  examples: {
    'gatectl bda sync worker --engine redis://queue.example.com --concurrency 8':
      'a worker of eight units at a time',
    'gatectl bda sync worker --until-empty --log json': 'as a batch job that exits when the queue is empty',
  },
  output: NOTHING,
  async run(flags, context) {
    const { runWorker } = await import('./engine/run-worker.ts');
    await runWorker(flags, context);
  },
});
