import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { processIo } from '../../src/cli/process-io.ts';
import { listenForSignals } from '../../src/cli/signals.ts';
import type { Signal } from '../../src/errors/index.ts';

/** A process that waits, with the handling of signals of a command. */
function processOf() {
  const process = Object.assign(new EventEmitter(), {
    platform: 'linux',
    pid: 7,
    versions: { node: '20.20.0' },
  });
  const stopping = new AbortController();
  const io = processIo(process as unknown as NodeJS.Process);
  return { process, stopping: stopping.signal, control: listenForSignals(io, stopping) };
}

test('a first signal after the end of the command changes nothing, and a second one terminates the process', () => {
  const { process, stopping, control } = processOf();
  control.end();
  expect(process.emit('SIGINT', 'SIGINT')).toBe(true);
  expect(process.emit('SIGTERM', 'SIGTERM')).toBe(false);
  expect(stopping.aborted).toBe(false);
});

test('after a signal that stopped the command, the second one terminates the process even while it ends', () => {
  const { process, stopping, control } = processOf();
  process.emit('SIGINT', 'SIGINT');
  expect(stopping.aborted).toBe(true);
  control.end();
  expect(process.emit('SIGINT', 'SIGINT')).toBe(false);
});

test('what blocks the event loop is terminated by the first signal', () => {
  const { process, control } = processOf();
  control.leave();
  expect(process.emit('SIGINT', 'SIGINT')).toBe(false);
  control.end();
  expect(process.emit('SIGINT', 'SIGINT')).toBe(false);
});

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
