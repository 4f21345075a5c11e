import { AuthError, FileError } from '../errors/index.ts';
import { readKeyFile } from './key-file.ts';
import { checkFirstLine, checkHelperOutput, checkKey } from './key-format.ts';
import { describeKeySource, type KeySource } from './key-source.ts';
import { type OpenKeyring, readKeyring } from './keyring.ts';
import { type Environment, environmentVariable } from './platform.ts';
import type { Settings } from './resolve.ts';
import type { CheckedValue } from './values.ts';

export interface KeyTools {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly openKeyring: OpenKeyring;
  /** Ends the wait for a helper command, and for a key file that is a FIFO. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that a helper command may take (10 s). */
  readonly commandLimit?: number;
}

type KeyOutcome =
  | {
      readonly found: true;
      readonly key: string;
      /** `environment GATECTL_API_KEY`, `profile news (file /home/ana/key)`. */
      readonly origin: string;
      readonly warnings: readonly string[];
    }
  | {
      readonly found: false;
      /** Where gatectl searched for a key, each with the reason why there is none. */
      readonly places: readonly string[];
    };

/**
 * The API key for the base URL: from the environment, else from the profile if its key was stored for the same origin. Call it only
 * before sending a request, because it may run a helper. Throws AuthError if the key cannot be read or is invalid.
 */
export async function resolveKey(settings: Settings, tools: KeyTools): Promise<KeyOutcome> {
  const given = environmentVariable(tools.env, 'GATECTL_API_KEY');
  if (given !== undefined) {
    const key = usable(checkKey(given), 'the key in GATECTL_API_KEY');
    return { found: true, key, origin: 'environment GATECTL_API_KEY', warnings: [] };
  }
  const environment = 'environment GATECTL_API_KEY (not set)';
  const profile = settings.profile.value;
  if (profile === undefined) return { found: false, places: [environment, 'profile (none is selected)'] };
  const obstacle = profileKeyProblem(settings);
  if (obstacle !== undefined || settings.profileKey === undefined)
    return { found: false, places: [environment, `profile ${profile} (${obstacle})`] };
  const { source } = settings.profileKey;
  const origin = `profile ${profile} (${describeKeySource(source)})`;
  const read = await readSource(source, `the key of ${origin}`, tools);
  if (read === undefined) return { found: false, places: [environment, `${origin}: no such entry`] };
  return { found: true, origin, ...read };
}

function profileKeyProblem({ profileKey, baseUrl }: Settings): string | undefined {
  if (profileKey === undefined) return 'it has no key';
  if (profileKey.belongsTo === undefined)
    return 'it has a key but no base-url, so the gateway of the key is unknown';
  const requested = baseUrl.value === undefined ? undefined : new URL(baseUrl.value).origin;
  if (requested === profileKey.belongsTo) return undefined;
  return `its key was stored for ${profileKey.belongsTo}, but ${baseUrl.origin} is ${requested}`;
}

async function readSource(
  source: KeySource,
  where: string,
  tools: KeyTools,
): Promise<{ key: string; warnings: string[] } | undefined> {
  switch (source.kind) {
    case 'config':
      return { key: usable(checkKey(source.apiKey), where), warnings: [] };
    case 'file': {
      const { text, warnings } = await keyFile(source.path, tools);
      return { key: usable(checkFirstLine(text), where), warnings };
    }
    case 'command': {
      // Loaded only here, because loading child_process takes a quarter of Node's start-up time.
      const { runKeyCommand } = await import('./key-command.ts');
      const { env, signal, commandLimit: limit } = tools;
      const text = await runKeyCommand(source.argv, { env, signal, limit });
      return { key: usable(checkHelperOutput(text), where), warnings: [] };
    }
    case 'keyring': {
      const text = await readKeyring(source.account, tools.openKeyring);
      return text === undefined ? undefined : { key: usable(checkKey(text), where), warnings: [] };
    }
  }
}

async function keyFile(path: string, tools: KeyTools) {
  try {
    return await readKeyFile(path, tools);
  } catch (error) {
    if (error instanceof FileError)
      throw new AuthError(`cannot read the key file: ${error.message}`, {
        code: 'key_unreadable',
        cause: error,
      });
    throw error;
  }
}

function usable(checked: CheckedValue<string>, where: string): string {
  if ('value' in checked) return checked.value;
  throw new AuthError(`${where} ${checked.problem}; ${checked.hint}`, { code: 'key_unreadable' });
}
