import { expect, test, vi } from 'vitest';
import { listenForSignals } from '../../src/cli/signals.ts';
import type { Signal } from '../../src/errors/index.ts';

function listening() {
  let listener: ((signal: Signal) => void) | undefined;
  const stopping = new AbortController();
  const control = listenForSignals(
    {
      onSignal: next => {
        listener = next;
        return () => {};
      },
    },
    stopping,
  );
  return { control, stopping: stopping.signal, send: (signal: Signal) => listener?.(signal) };
}

test('with a grace period, the first signal asks, and the command is stopped when the period is over', () => {
  vi.useFakeTimers();
  try {
    const { control, stopping, send } = listening();
    const asked = control.withGrace(5000);
    send('SIGTERM');
    expect([asked.aborted, stopping.aborted]).toEqual([true, false]);
    vi.advanceTimersByTime(4999);
    expect(stopping.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(stopping.reason).toMatchObject({ code: 'terminated', signal: 'SIGTERM' });
  } finally {
    vi.useRealTimers();
  }
});

test('with a grace period, the second signal stops the command at once', () => {
  const { control, stopping, send } = listening();
  const asked = control.withGrace(60_000);
  send('SIGINT');
  expect([asked.aborted, stopping.aborted]).toEqual([true, false]);
  send('SIGINT');
  expect(stopping.reason).toMatchObject({ code: 'interrupted' });
  control.leave();
});

test('without a grace period, the first signal stops the command', () => {
  const { stopping, send } = listening();
  send('SIGTERM');
  expect(stopping.aborted).toBe(true);
});
