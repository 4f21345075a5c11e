import { randomUUID } from 'node:crypto';
import { sleepFor } from '../http/clock.ts';
import type { GatewayOptions } from '../http/gateway.ts';
import type { Machine } from '../operations/machine.ts';
import { factsOf } from '../operations/writes/write-facts.ts';
import { WriteLog } from '../operations/writes/write-log.ts';
import type { Redactor } from '../text/redactor.ts';

/** Logs writes in a folder: before they are sent, and when their outcome is known. `warn` is told that the outcome cannot be logged. */
export function loggedWrites(
  folder: string,
  machine: Omit<Machine, 'now' | 'sleep' | 'uid'>,
  baseUrl: URL,
  redactor: Redactor,
  warn: (error: unknown) => void,
): NonNullable<GatewayOptions['onWrite']> {
  const log = new WriteLog(
    folder,
    { ...machine, now: Date.now, sleep: sleepFor, uid: undefined },
    {
      gateway: baseUrl.href.replace(/\/$/, ''),
      profile: undefined,
      command: 'gatectl/client',
      redact: text => redactor.redact(text),
    },
  );
  return async write => {
    const id = randomUUID();
    await log.intended(id, write, factsOf(write), undefined);
    // What was sent stays sent: its outcome is unknown in the log.
    return error => log.done(id, error).catch(warn);
  };
}
