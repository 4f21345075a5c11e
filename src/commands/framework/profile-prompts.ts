import { checkKey } from '../../config/key-format.ts';
import { describeKeySource } from '../../config/key-source.ts';
import type { Profile } from '../../config/profiles-file.ts';
import { keyOriginOf } from '../../config/resolve.ts';
import { checkProfileName } from '../../config/store.ts';
import { type CheckedValue, checkBaseUrl, checkDomain } from '../../config/values.ts';
import type { Prompt } from '../../terminal/prompt.ts';
import type { Context } from './context.ts';
import { type KeyFlags, keyFlagsIn, keyFromFlags, type NewKey, newKey } from './key-flags.ts';

export interface ProfileAnswers {
  readonly baseUrl: string;
  readonly domain: string | undefined;
  /** Undefined keeps the stored key, or leaves it to the environment. */
  readonly key: NewKey | undefined;
}

/** Prompts for a profile's name. */
export async function promptForName(prompt: Prompt, fallback: string): Promise<string> {
  return await prompt.input('Profile name:', { fallback, check: problemOf(checkProfileName) });
}

/** Prompts for base URL, domain and key that no flag sets; stored values are the defaults. */
export async function promptForProfile(
  prompt: Prompt,
  name: string,
  given: KeyFlags & { readonly baseUrl: string | undefined; readonly domain: string | undefined },
  existing: Profile | undefined,
  context: Context,
): Promise<ProfileAnswers> {
  const stored = existing?.values;
  const baseUrl =
    given.baseUrl ??
    (await prompt.input('Base URL of the gateway:', {
      ...fallbackTo(stored?.baseUrl),
      check: problemOf(checkBaseUrl),
    }));
  const domain = given.domain ?? (await promptForDomain(prompt, stored?.domain));
  const hasKeyFlag = keyFlagsIn(given).length > 0;
  const key = hasKeyFlag
    ? await keyFromFlags(given, name, baseUrl, context)
    : await promptForKey(prompt, name, baseUrl, existing, context);
  return { baseUrl, domain, key };
}

async function promptForDomain(
  prompt: Prompt,
  stored: Profile['values']['domain'],
): Promise<string | undefined> {
  const check = (text: string) => text === '' || problemOf(checkDomain)(text);
  const question = stored === undefined ? 'Default domain (empty for none):' : 'Default domain:';
  const domain = await prompt.input(question, { ...fallbackTo(stored), check });
  return domain === '' ? undefined : domain;
}

/**
 * Prompts for a key and where to store it. Undefined for the stored key, which is offered if it belongs to the same origin, and
 * for no key.
 */
export async function promptForKey(
  prompt: Prompt,
  name: string,
  baseUrl: string,
  existing: Profile | undefined,
  context: Context,
): Promise<NewKey | undefined> {
  const isSameOrigin = existing !== undefined && keyOriginOf(existing) === new URL(baseUrl).origin;
  const stored = isSameOrigin ? existing?.key : undefined;
  const place = await prompt.choose('Where should the API key be stored?', [
    ...(stored === undefined
      ? []
      : [{ value: 'keep' as const, label: `keep the current key (${describeKeySource(stored)})` }]),
    { value: 'config', label: 'in the profiles file, readable by you only' },
    { value: 'keyring', label: "in the operating system's keyring" },
    { value: 'environment', label: 'nowhere: I set GATECTL_API_KEY' },
  ]);
  if (place === 'environment' || place === 'keep') return undefined;
  return newKey(place, await promptForKeyValue(prompt, context), name, baseUrl);
}

/** Prompts until the key is valid. */
async function promptForKeyValue(prompt: Prompt, context: Context): Promise<string> {
  for (;;) {
    const checked = checkKey(await prompt.secret('API key:'));
    if ('value' in checked) {
      context.redactor.add(checked.value);
      return checked.value;
    }
    context.log.warn(`the key ${checked.problem}; ${checked.hint}`);
  }
}

function fallbackTo(stored: string | number | boolean | undefined): { fallback?: string } {
  return stored === undefined ? {} : { fallback: String(stored) };
}

function problemOf(check: (text: string) => CheckedValue<unknown>): (text: string) => true | string {
  return text => {
    const checked = check(text);
    return 'value' in checked || `${checked.problem}: ${checked.hint}`;
  };
}
