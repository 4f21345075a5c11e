import type { Context } from '../commands/framework/context.ts';
import { gatewayName, lockMachine } from '../commands/framework/lock-machine.ts';
import { FileError, LockedError } from '../errors/index.ts';
import type { GatewayOptions } from '../http/gateway.ts';
import { writeLogFolder, writeLogger } from '../operations/write-log.ts';
import { shortened } from '../text/shortened.ts';

/** Longer command lines, such as one with a thousand URLs, are shortened. */
const MAX_COMMAND_LENGTH = 500;

/** The log of the writes of a command. One that cannot be written is a warning, once. */
export async function logOf(context: Context): Promise<NonNullable<GatewayOptions['onWrite']>> {
  const machine = lockMachine(context);
  const folder = writeLogFolder(machine);
  if (folder === undefined) return async () => async () => undefined;
  const { profile } = await context.settings();
  const redact = (text: string) => context.redactor.redact(text);
  const line = context.commandLine({ without: [], withArguments: true, add: [] });
  const log = writeLogger(folder, machine, {
    gateway: await gatewayName(context),
    profile: profile.value,
    command: shortened(redact(line), MAX_COMMAND_LENGTH),
    redact,
  });
  let isWarned = false;
  const orWarn = async <Value>(write: Promise<Value>, otherwise: Value): Promise<Value> => {
    try {
      return await write;
    } catch (error) {
      if (!(error instanceof FileError || error instanceof LockedError)) throw error;
      if (!isWarned) context.log.warn(`writes are not in the log: ${error.message}`);
      isWarned = true;
      return otherwise;
    }
  };
  return async write => {
    const end = await orWarn(log(write), undefined);
    return async error => await orWarn(end?.(error) ?? Promise.resolve(), undefined);
  };
}
