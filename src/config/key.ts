import { AuthError, FileError } from '../errors/index.ts';
import { readKeyFile } from './key-file.ts';
import { checkFirstLine, checkHelperOutput, checkKey } from './key-format.ts';
import { describeKeySource, type KeySource } from './key-source.ts';
import { type OpenKeyring, readKeyring } from './keyring.ts';
import { type Environment, variable } from './platform.ts';
import type { Settings } from './resolve.ts';
import type { Checked } from './values.ts';

export interface KeyTools {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly openKeyring: OpenKeyring;
  /** Ends the wait for a helper command, and for a key file that is a FIFO. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that a helper command may take (10 s). */
  readonly commandLimit?: number;
}

export type KeyOutcome =
  | {
      readonly found: true;
      readonly key: string;
      /** `environment GATECTL_API_KEY`, `profile news (file /home/ana/key)`. */
      readonly origin: string;
      readonly warnings: readonly string[];
    }
  | {
      readonly found: false;
      /** Where a key was looked for, and what was found there instead. */
      readonly places: readonly string[];
    };

/**
 * The API key for the base URL in use: the environment's, else the profile's, and that only if the base URL has the origin of the
 * profile's own one: a key is sent nowhere else. Call it when a request is about to be sent, for it may start a helper.
 * Throws AuthError when the place of the key can't be read or holds no usable key.
 */
export async function resolveKey(settings: Settings, tools: KeyTools): Promise<KeyOutcome> {
  const given = variable(tools.env, 'GATECTL_API_KEY');
  if (given !== undefined) {
    const key = usable(checkKey(given), 'the key in GATECTL_API_KEY');
    return { found: true, key, origin: 'environment GATECTL_API_KEY', warnings: [] };
  }
  const environment = 'environment GATECTL_API_KEY (not set)';
  const profile = settings.profile.value;
  if (profile === undefined) return { found: false, places: [environment, 'no profile is chosen'] };
  const obstacle = whyNotProfileKey(settings);
  if (obstacle !== undefined || settings.profileKey === undefined)
    return { found: false, places: [environment, `profile ${profile} (${obstacle})`] };
  const { source } = settings.profileKey;
  const origin = `profile ${profile} (${describeKeySource(source)})`;
  const read = await readSource(source, `the key of ${origin}`, tools);
  if (read === undefined) return { found: false, places: [environment, `${origin}: it has no such entry`] };
  return { found: true, origin, ...read };
}

function whyNotProfileKey({ profileKey, baseUrl }: Settings): string | undefined {
  if (profileKey === undefined) return 'it names no key';
  if (profileKey.belongsTo === undefined)
    return 'it has a key but no base-url, so the key belongs to no gateway';
  const asked = baseUrl.value === undefined ? undefined : new URL(baseUrl.value).origin;
  if (asked === profileKey.belongsTo) return undefined;
  return `its key was stored for ${profileKey.belongsTo}, and ${baseUrl.origin} asks ${asked}`;
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
      // Loaded here alone: starting processes costs the other sources a quarter of Node's own start.
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
      throw new AuthError(`the key file can't be read: ${error.message}`, {
        code: 'key_unreadable',
        cause: error,
      });
    throw error;
  }
}

function usable(checked: Checked<string>, where: string): string {
  if ('value' in checked) return checked.value;
  throw new AuthError(`${where} ${checked.problem}; ${checked.hint}`, { code: 'key_unreadable' });
}
