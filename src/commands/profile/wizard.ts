import { checkKey } from '../../config/key-format.ts';
import type { KeySource } from '../../config/key-source.ts';
import { type Checked, checkBaseUrl, checkDomain } from '../../config/values.ts';
import type { Prompt } from '../../terminal/prompt.ts';
import type { Context } from '../framework/context.ts';
import { inKeyring, type KeyFlags, keySourceFromFlags } from './key-flags.ts';

interface Asked {
  readonly settings: { readonly baseUrl: string; readonly domain: string | undefined };
  readonly key: KeySource | undefined;
}

/** Asks a person for what the flags left open: base URL, domain, and the key if no flag names one. */
export async function askForProfile(
  prompt: Prompt,
  name: string,
  flags: KeyFlags & { readonly domain: string | undefined },
  context: Context,
): Promise<Asked> {
  const baseUrl = await prompt.input('Base URL of the gateway:', { check: sayWhy(checkBaseUrl) });
  const domain = flags.domain ?? (await askForDomain(prompt));
  const settings = { baseUrl, domain };
  const named = await keySourceFromFlags(flags, name, baseUrl, context);
  return { settings, key: named ?? (await askForKey(prompt, name, baseUrl, context)) };
}

async function askForDomain(prompt: Prompt): Promise<string | undefined> {
  const check = (text: string) => text === '' || sayWhy(checkDomain)(text);
  const domain = await prompt.input('Domain to ask about by default (empty for none):', { check });
  return domain === '' ? undefined : domain;
}

async function askForKey(
  prompt: Prompt,
  name: string,
  baseUrl: string,
  context: Context,
): Promise<KeySource | undefined> {
  const place = await prompt.choose('Where shall the API key be kept?', [
    { value: 'config', label: 'in the profiles file, readable by you alone' },
    { value: 'keyring', label: "in the operating system's keyring" },
    { value: 'environment', label: 'nowhere: I set GATECTL_API_KEY myself' },
  ]);
  if (place === 'environment') return undefined;
  const key = await askForUsableKey(prompt, context);
  return place === 'keyring' ? await inKeyring(key, name, baseUrl) : { kind: 'config', apiKey: key };
}

async function askForUsableKey(prompt: Prompt, context: Context): Promise<string> {
  for (;;) {
    const checked = checkKey(await prompt.secret('API key:'));
    if ('value' in checked) {
      context.redactor.add(checked.value);
      return checked.value;
    }
    context.log.warn(`the key ${checked.problem}; ${checked.hint}`);
  }
}

function sayWhy(check: (text: string) => Checked<unknown>): (text: string) => true | string {
  return text => {
    const checked = check(text);
    return 'value' in checked || `${checked.problem}: ${checked.hint}`;
  };
}
