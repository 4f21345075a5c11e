import { createHash } from 'node:crypto';
import type { LockMachine } from '../../../files/lock.ts';

/** A machine with its processes, as the names of what one of them alone uses identify it. */
export type Machine = Pick<LockMachine, 'identify' | 'find'>;

/** Identifies this process in the name of a table or a column. */
export function ownerName(machine: Machine): string {
  return `${machineHash(machine)}_${machine.identify().pid}`;
}

/** Whether an owner was a process of this machine that has ended. */
export function isEnded(owner: string, machine: Machine): boolean {
  const [hash, pid] = owner.split('_');
  return hash === machineHash(machine) && machine.find(Number(pid)) === undefined;
}

/** Identifies a machine until it starts again. */
function machineHash({ identify }: Machine): string {
  const { boot, host, pidNamespace } = identify();
  return createHash('sha256')
    .update(JSON.stringify([boot ?? host, pidNamespace]))
    .digest('hex')
    .slice(0, 8);
}
