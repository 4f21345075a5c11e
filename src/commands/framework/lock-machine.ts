import type { LockMachine } from '../../files/lock.ts';
import type { Context } from './context.ts';

/** What a lock needs to know of this machine, whose time files have too. A signal ends its waits. */
export function lockMachine({
  io,
  clock,
  signal,
}: Pick<Context, 'io' | 'clock' | 'signal'>): LockMachine & { readonly uid: number | undefined } {
  const { uid, identify, find } = io.self;
  return { uid, identify, find, platform: io.platform, now: io.now, sleep: ms => clock.sleep(ms, signal) };
}
