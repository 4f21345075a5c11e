import { expect, onTestFinished, test } from 'vitest';
import { AttemptTimeout } from '../../src/http/attempt-timeout.ts';

const interrupt = new Error('interrupted');

function limited(user: AbortSignal): AttemptTimeout {
  const limit = new AttemptTimeout([user], 60_000);
  onTestFinished(() => limit.release());
  return limit;
}

test('an attempt ends with the interrupt of the user', () => {
  const user = new AbortController();
  const { signal } = limited(user.signal);
  expect(signal.aborted).toBe(false);
  user.abort(interrupt);
  expect(signal.reason).toBe(interrupt);
});

test('an attempt that starts after the interrupt is over from the start', () => {
  expect(limited(AbortSignal.abort(interrupt)).signal.reason).toBe(interrupt);
});
