import { hostname } from 'node:os';
import { readFileSync, readlinkSync } from './disk.ts';
import type { ProcessTable } from './process-identity.ts';

/** The processes of the system. */
export function processTable(process: NodeJS.Process): ProcessTable {
  return {
    identify: () => ({
      pid: process.pid,
      host: hostname(),
      boot: bootId(process),
      pidNamespace: orUndefined(() => readlinkSync('/proc/self/ns/pid')),
      startTime: statOf('self')?.startTime,
    }),
    find: pid => find(process, pid),
  };
}

function find(process: NodeJS.Process, pid: number): ReturnType<ProcessTable['find']> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM means that the process runs and belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  // In a PID namespace without its own /proc, the ids there belong to other processes.
  const isOurs = orUndefined(() => readlinkSync('/proc/self')) === String(process.pid);
  const stat = isOurs ? statOf(String(pid)) : undefined;
  // Zombies and dead processes hold no locks.
  return stat?.state === 'Z' || stat?.state === 'X' ? undefined : { startTime: stat?.startTime };
}

/** Fields 3 and 22 of proc_pid_stat(5). The name before them may contain blanks and parentheses. */
function statOf(pid: string): { readonly state: string; readonly startTime: string | undefined } | undefined {
  const text = orUndefined(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', startTime: fields[19] };
}

function bootId(process: NodeJS.Process): string | undefined {
  if (process.platform === 'linux')
    return orUndefined(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());
  if (process.platform !== 'darwin') return undefined;
  return orUndefined(() => {
    const { execFileSync } = process.getBuiltinModule('node:child_process');
    return execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], {
      encoding: 'latin1',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 2_000,
    }).trim();
  });
}

function orUndefined(read: () => string): string | undefined {
  try {
    return read() || undefined;
  } catch {
    return undefined;
  }
}
