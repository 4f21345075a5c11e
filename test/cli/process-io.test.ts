import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { processIo } from '../../src/cli/process-io.ts';

/** A process as far as signals go. */
function processOn(platform: NodeJS.Platform): NodeJS.Process {
  return Object.assign(new EventEmitter(), { platform, versions: { node: '20.20.0' } }) as NodeJS.Process;
}

test.each<[NodeJS.Platform, NodeJS.Signals, string]>([
  ['linux', 'SIGINT', 'SIGINT'],
  ['linux', 'SIGTERM', 'SIGTERM'],
  ['win32', 'SIGINT', 'SIGINT'],
  ['win32', 'SIGBREAK', 'SIGTERM'],
  ['win32', 'SIGHUP', 'SIGTERM'],
])('on %s a command that gets %s stops as after %s', (platform, sent, heard) => {
  const process = processOn(platform);
  const signals: string[] = [];
  processIo(process).onSignal(signal => signals.push(signal));
  process.emit(sent, sent);
  expect(signals).toEqual([heard]);
});

test('the second signal is left to the system', () => {
  const process = processOn('linux');
  const signals: string[] = [];
  processIo(process).onSignal(signal => signals.push(signal));
  process.emit('SIGINT', 'SIGINT');
  expect(process.listenerCount('SIGINT')).toBe(0);
  expect(process.emit('SIGTERM', 'SIGTERM')).toBe(false);
  expect(signals).toEqual(['SIGINT']);
});

test('on Linux a hang-up ends a command as the system does it', () => {
  const process = processOn('linux');
  processIo(process).onSignal(() => {});
  expect(process.listenerCount('SIGHUP')).toBe(0);
});

test('the first uncaught error is reported, the second ends the process', () => {
  const process = processOn('linux');
  const heard: unknown[] = [];
  processIo(process).onUncaughtException(error => heard.push(error));
  (process as EventEmitter).emit('uncaughtException', new Error('one'));
  expect(heard).toEqual([new Error('one')]);
  expect(process.listenerCount('uncaughtException')).toBe(0);
});

test('who stopped listening hears of no stray error', () => {
  const process = processOn('linux');
  processIo(process).onUncaughtException(() => expect.unreachable())();
  expect((process as EventEmitter).emit('uncaughtException', new Error('one'))).toBe(false);
});
