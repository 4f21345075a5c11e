import { join } from 'node:path';
import { PurgeHistory, type RecordedTargets } from '../../apis/cdn/purge-history.ts';
import { stateFolder } from '../../config/platform.ts';
import { FileError } from '../../errors/index.ts';
import type { PurgeFacts } from '../../operations/purge/purge.ts';
import type { Context } from './context.ts';
import { gatewayName } from './lock-machine.ts';

/** Longer command lines, such as one with a thousand URLs, are shortened. */
const MAX_COMMAND_LENGTH = 500;

/** The history of this user's purges; undefined where there is no folder for it. */
export function purgeHistory({ io }: Pick<Context, 'io'>): PurgeHistory | undefined {
  const folder = stateFolder(io);
  return folder === undefined ? undefined : new PurgeHistory(join(folder, 'purge-history'));
}

/** Stores a purge and returns its id. A failure is a warning, because the purge itself is done; it returns undefined then. */
export async function recordPurge(
  purge: PurgeFacts,
  targets: RecordedTargets,
  context: Context,
): Promise<string | undefined> {
  const history = purgeHistory(context);
  if (history === undefined) return undefined;
  const { profile } = await context.settings();
  const line = context.commandLine({ without: [], withArguments: true, add: [] });
  const command = context.redactor.redact(line);
  try {
    return await history.add(
      {
        ...purge,
        finishedAt: new Date(context.clock.now()).toISOString(),
        gateway: await gatewayName(context),
        ...(profile.value !== undefined && { profile: profile.value }),
        command:
          command.length > MAX_COMMAND_LENGTH ? `${command.slice(0, MAX_COMMAND_LENGTH - 1)}…` : command,
      },
      targets,
      text => context.redactor.redact(text),
    );
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    context.log.warn(`the purge is not in the history: ${error.message}`);
    return undefined;
  }
}
