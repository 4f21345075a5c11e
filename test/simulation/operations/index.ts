import type { Operation } from '../history.ts';
import { alerts } from './alerts.ts';
import { atomicFile } from './atomic-file.ts';
import { audit } from './audit.ts';
import { changed } from './changed.ts';
import { exportRows } from './export.ts';
import { lock } from './lock.ts';
import { plan } from './plan.ts';
import { purge } from './purge.ts';
import { listeners, queue } from './queue.ts';
import { sync } from './sync.ts';

/** The operations that are simulated, and of a hundred histories, those that each has: fewer of one whose histories take longer. */
export const SHARES: readonly (readonly [operation: Operation, share: number])[] = [
  [purge, 9],
  [exportRows, 7],
  [plan, 3],
  [sync, 2],
  [changed, 2],
  [audit, 2],
  [alerts, 1],
  [lock, 14],
  [queue, 26],
  [listeners, 4],
  [atomicFile, 30],
];

/** The operation of a history, by its number; those that take longer are spread. */
export function operationOf(number: number): Operation {
  // 37 and 100 have no common divisor.
  let rest = (number * 37) % 100;
  for (const [operation, share] of SHARES) {
    if (rest < share) return operation;
    rest -= share;
  }
  throw new Error('the shares do not add up to 100');
}

/** Throws for an unknown name. */
export function operationNamed(name: string): Operation {
  const found = SHARES.find(([operation]) => operation.name === name);
  if (found !== undefined) return found[0];
  throw new Error(`no operation is named ${name}; they are: ${SHARES.map(([each]) => each.name).join(', ')}`);
}
