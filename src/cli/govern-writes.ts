import { join, win32 } from 'node:path';
import type { Context } from '../commands/framework/context.ts';
import { gatewayName, lockMachine } from '../commands/framework/lock-machine.ts';
import { FileError, LockedError } from '../errors/index.ts';
import { makePrivateFolder } from '../files/folders.ts';
import { isNamed } from '../files/if-there.ts';
import { withLock } from '../files/lock.ts';
import { WriteGovernor } from '../operations/writes/write-governor.ts';
import { WriteLog, writeLogFolder } from '../operations/writes/write-log.ts';
import type { Io } from '../terminal/io.ts';
import { shortened } from '../text/shortened.ts';

/** Longer command lines, such as one with a thousand URLs, are shortened. */
const MAX_COMMAND_LENGTH = 500;
/** How long a command waits for another one that counts against the same budget. */
const BUDGET_WAIT_MS = 60_000;

/** The policy that only an administrator writes. */
function systemPolicyPath({ platform, env }: Pick<Io, 'platform' | 'env'>): string {
  return platform === 'win32'
    ? win32.join(env.ProgramData ?? 'C:\\ProgramData', 'gatectl', 'policy.yaml')
    : '/etc/gatectl/policy.yaml';
}

/** What decides about the writes of a command, and logs them. */
export function governorOf(context: Context): WriteGovernor {
  let log: Promise<WriteLog | undefined> | undefined;
  let isWarned = false;
  return new WriteGovernor({
    now: context.io.now,
    gateway: () => gatewayName(context),
    log: () => {
      log ??= openLog(context);
      return log;
    },
    holdBudget: () => heldBudget(context),
    openedLog: async () => await log?.catch(() => undefined),
    policies: async () => {
      const { policies } = await context.settings();
      const system = systemPolicyPath(context.io);
      if (policies.length === 0 && !(await isNamed(system))) return [];
      const { readPolicy } = await import('../operations/writes/policy.ts');
      const { uid } = context.io.self;
      const own = policies.map(({ value }) => readPolicy(value, { uid, isSystem: false }));
      const read = await Promise.all([readPolicy(system, { uid, isSystem: true }), ...own]);
      return read.filter(policy => policy !== undefined);
    },
    onLogError: error => {
      if (!(error instanceof FileError || error instanceof LockedError)) throw error;
      if (!isWarned) context.log.warn(`writes are not in the log: ${error.message}`);
      isWarned = true;
    },
  });
}

/** Holds the lock of budgets until the returned function is called. */
async function heldBudget(context: Context): Promise<() => Promise<void>> {
  const machine = lockMachine(context);
  const folder = writeLogFolder(machine);
  if (folder === undefined) return async () => undefined;
  await makePrivateFolder(folder);
  return await new Promise((resolve, reject) => {
    let release = () => {};
    const released = new Promise<void>(end => {
      release = end;
    });
    const held = withLock(join(folder, 'budget'), { machine, wait: BUDGET_WAIT_MS }, () => {
      resolve(async () => {
        release();
        await held;
      });
      return released;
    });
    held.catch(reject);
  });
}

async function openLog(context: Context): Promise<WriteLog | undefined> {
  const machine = lockMachine(context);
  const folder = writeLogFolder(machine);
  if (folder === undefined) return undefined;
  const { profile } = await context.settings();
  const redact = (text: string) => context.redactor.redact(text);
  const line = context.commandLine({ without: [], withArguments: true, add: [] });
  return new WriteLog(folder, machine, {
    gateway: await gatewayName(context),
    profile: profile.value,
    command: shortened(redact(line), MAX_COMMAND_LENGTH),
    redact,
  });
}
