import { expect, test } from 'vitest';
import { hintsFor, NO_CONTEXT } from '../../../src/cli/hints.ts';
import { setAsideError } from '../../../src/commands/bda/sync/engine/queue-state.ts';
import type { UnitQueue } from '../../../src/sync/engine/unit-queue.ts';

const CHANGED = 'the sync file of this worker has another query for pages than that of the submitted unit';
const SUPERSEDED =
  '2026-01 of site-7.example.com in pages was written with another query after this unit was planned';
const RETRY = 'return them to the queue: gatectl bda sync retry';
const RESUBMIT =
  'for a sync file that has changed, submit the plan again: gatectl bda sync cancel && gatectl bda sync submit';

function queueOf(errors: readonly string[]): UnitQueue {
  return {
    counts: async () => ({ waiting: 0, delayed: 0, active: 0, set_aside: errors.length }),
    setAside: async () => errors.map(error => ({ error })),
  } as unknown as UnitQueue;
}

test.each([
  ['of the gateway', ['no such site'], '1 unit of the account failed, and is set aside', [RETRY]],
  ['of a changed sync file', [CHANGED], '1 unit of the account failed, and is set aside', [RESUBMIT]],
  ['of an earlier plan', [SUPERSEDED], '1 unit of the account failed, and is set aside', [RESUBMIT]],
  [
    'of both',
    [CHANGED, 'no such site'],
    '2 units of the account failed, and are set aside',
    [RESUBMIT, RETRY],
  ],
])('set-aside units with errors %s have hints that help', async (_, errors, message, hints) => {
  const error = await setAsideError(queueOf(errors));
  expect([error?.message, error && hintsFor(error, NO_CONTEXT)]).toEqual([message, hints]);
});

test('a queue without set-aside units has no error', async () => {
  expect(await setAsideError(queueOf([]))).toBeUndefined();
});
