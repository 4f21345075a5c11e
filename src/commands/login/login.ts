import { resolveKey } from '../../config/key.ts';
import { openSystemKeyring } from '../../config/keyring.ts';
import { environmentVariable } from '../../config/platform.ts';
import type { Profile, ProfilesFile } from '../../config/profiles-file.ts';
import { findProjectFile } from '../../config/project-file.ts';
import { keyOriginOf, resolveSettings, type Settings } from '../../config/resolve.ts';
import { saveProfile } from '../../config/store.ts';
import { GatectlError, InterruptedError } from '../../errors/index.ts';
import { conflict, missingSetting } from '../../errors/usage.ts';
import { type Context, SHELLS } from '../framework/context.ts';
import { boolean, defineCommand, optional } from '../framework/define-command.ts';
import { hasCompletions, installCompletions } from '../framework/install-completions.ts';
import {
  CONNECTION_FLAGS,
  dropKey,
  KEY_FLAGS,
  keyFlagsIn,
  keyFromFlags,
  type NewKey,
  storeKey,
} from '../framework/key-flags.ts';
import { object } from '../framework/output-schema.ts';
import { type ProfileAnswers, promptForName, promptForProfile } from '../framework/profile-prompts.ts';
import { storedProfiles, storeOptions } from '../framework/profile-store.ts';
import { type ApiAccess, checkKeyAccess } from './key-check.ts';

const LOGIN_FLAGS = {
  ...CONNECTION_FLAGS,
  ...KEY_FLAGS,
  skipCheck: boolean('--skip-check', 'store without testing the key against the gateway'),
};

export const login = defineCommand({
  name: 'login',
  effect: 'read',
  summary: 'connect to a gateway: test and store its address and key',
  description:
    'Prompts for the base URL, the default domain and the API key, tests the key against each API, and stores them as a profile. Each API receives one request that changes nothing; if the key has access to none of them, nothing is stored. An existing profile is updated. Without a terminal, pass --base-url and a key flag; the key is never read from the command line.',
  arguments: {
    name: optional('name', 'the profile to add or update (default: the one in use, or "default")', {
      completes: 'profile',
    }),
  },
  options: LOGIN_FLAGS,
  examples: {
    'gatectl login': 'with prompts',
    'gatectl login news --base-url https://gateway.example.com --domain example.com --api-key-stdin < key.txt':
      'in a script',
  },
  output: object({
    profile: ['string', 'the name of the profile'],
    path: ['string', 'the profiles file'],
    baseUrl: ['string', 'the root of the gateway'],
    domain: ['string | null', 'the default domain'],
    apis: ['{api, access, detail}[]', 'the APIs: access is yes, no or unknown; empty with --skip-check'],
  }),
  async run({ name: givenName, skipCheck, ...flags }, context) {
    if (context.globals.sandbox) throw conflict('--sandbox requires no login', 'omit one of them');
    const file = await storedProfiles(context);
    const name = givenName ?? (await defaultName(file, context));
    const existing = file.profiles.get(name);
    const { key: typedKey, ...answers } = await connectionOf(name, flags, existing, context);
    const { brand, keyIn, caFile } = flags;
    const settings = { brand, keyIn, caFile, ...answers };
    const candidate = candidateSettings(name, settings, typedKey, existing, file, context);
    const { key, isStored } = await effectiveKey(candidate, typedKey, context);
    const apis = skipCheck ? [] : await checked(candidate, key, context);
    const { path, isCurrent } = await saveProfile(storeOptions(context), name, {
      settings: { ...settings, ...movedPrefixes(apis, candidate, context) },
      key: typedKey && (await storeKey(typedKey)),
      insecureHttp: context.globals.flags.insecureHttp,
    });
    if (typedKey !== undefined) await dropKey(existing?.key, typedKey.source);
    await print({ profile: name, path, candidate, apis }, context);
    const use = isCurrent ? 'it is the profile in use' : `use it with gatectl profile use ${name}`;
    context.log.note(`stored profile ${name} in ${path}; ${use}`);
    if (!isStored) context.log.note('the key comes from GATECTL_API_KEY and is not stored');
    else if (environmentVariable(context.io.env, 'GATECTL_API_KEY') !== undefined)
      context.log.warn('GATECTL_API_KEY is set and overrides the stored key');
    await offerCompletions(context);
  },
});

async function defaultName(file: ProfilesFile, { prompt, globals, io }: Context): Promise<string> {
  const { project } = await findProjectFile(io);
  const chosen =
    globals.flags.profile ?? environmentVariable(io.env, 'GATECTL_PROFILE') ?? project?.profile?.value;
  if (chosen !== undefined) return chosen;
  const usual = file.current ?? 'default';
  return prompt === undefined || file.profiles.size === 0 ? usual : await promptForName(prompt, usual);
}

type LoginFlags = Parameters<typeof keyFromFlags>[0] & { readonly domain: string | undefined };

/** Base URL, domain and key: from flags, prompts, the stored profile and the environment, in this order. */
async function connectionOf(
  name: string,
  flags: LoginFlags,
  existing: Profile | undefined,
  context: Context,
): Promise<ProfileAnswers> {
  const { env } = context.io;
  const { prompt } = context;
  const flag = context.globals.flags.baseUrl?.toString();
  if (prompt !== undefined)
    return await promptForProfile(prompt, name, { ...flags, baseUrl: flag }, existing, context);
  const baseUrl =
    flag ?? existing?.values.baseUrl?.toString() ?? environmentVariable(env, 'GATECTL_BASE_URL');
  if (baseUrl === undefined)
    throw missingSetting(
      'login requires the base URL of the gateway',
      'add --base-url URL',
      'on a terminal, gatectl login prompts for everything',
    );
  const domain =
    flags.domain ?? existing?.values.domain?.toString() ?? environmentVariable(env, 'GATECTL_DOMAIN');
  const key = await keyFromFlags(flags, name, baseUrl, context);
  const hasKey =
    key !== undefined || existing?.key !== undefined || environmentVariable(env, 'GATECTL_API_KEY');
  if (!hasKey && keyFlagsIn(flags).length === 0)
    throw missingSetting(
      'login requires a key',
      'add --api-key-stdin, --api-key-file, --key-command or --keyring',
    );
  return { baseUrl, domain, key };
}

/** The settings of commands that would use the profile to be stored. */
function candidateSettings(
  name: string,
  given: Readonly<Record<string, string | undefined>>,
  key: NewKey | undefined,
  existing: Profile | undefined,
  file: ProfilesFile,
  { globals, io }: Context,
): Settings {
  const values = Object.entries(given).filter(([, value]) => value !== undefined);
  const profile: Profile = {
    name,
    values: { ...existing?.values, ...Object.fromEntries(values) },
    key: key?.source ?? existing?.key,
    keyOrigin: key === undefined && existing !== undefined ? keyOriginOf(existing) : undefined,
  };
  const { profile: _, ...flags } = globals.flags;
  const profiles = new Map([...file.profiles, [name, profile]]);
  const env = { GATECTL_BRAND: io.env.GATECTL_BRAND };
  return resolveSettings({
    named: name,
    flags: { ...flags, ...given },
    env,
    file: { ...file, profiles },
  });
}

/** The key to test: the given one, or else the one that commands would use. Throws AuthError without a key. */
async function effectiveKey(
  settings: Settings,
  given: NewKey | undefined,
  context: Context,
): Promise<{ key: string; isStored: boolean }> {
  if (given?.value !== undefined) return { key: given.value, isStored: true };
  const { env, platform } = context.io;
  const isStored = settings.profileKey !== undefined;
  const found = await resolveKey(settings, {
    env: isStored ? { ...env, GATECTL_API_KEY: undefined } : env,
    platform,
    openKeyring: openSystemKeyring,
    signal: context.signal,
  });
  if (found.found) {
    for (const warning of found.warnings) context.log.warn(warning);
    return { key: found.key, isStored };
  }
  throw missingSetting(
    'no key given for this gateway',
    ...found.places,
    'add --api-key-stdin, --api-key-file, --key-command or --keyring',
  );
}

async function checked(settings: Settings, key: string, context: Context): Promise<readonly ApiAccess[]> {
  try {
    return await checkKeyAccess(settings, key, context);
  } catch (error) {
    if (error instanceof GatectlError && !(error instanceof InterruptedError))
      context.log.note('nothing was stored; to store it anyway, add --skip-check');
    throw error;
  }
}

/** Settings for APIs that were found at a path other than the default. */
function movedPrefixes(
  apis: readonly ApiAccess[],
  settings: Settings,
  context: Context,
): Readonly<Record<string, string>> {
  const keys = {
    subscriptions: 'prefixSubscriptions',
    cdn: 'prefixCdn',
    'bda-v1': 'prefixBdaV1',
    'bda-v2': 'prefixBdaV2',
  } as const;
  const moved = apis.filter(({ api, prefix }) => settings[keys[api]].value !== prefix);
  for (const { api, prefix } of moved) context.log.note(`${api} is at ${prefix}: stored as prefix-${api}`);
  return Object.fromEntries(moved.map(({ api, prefix }) => [keys[api], prefix]));
}

async function print(
  result: { profile: string; path: string; candidate: Settings; apis: readonly ApiAccess[] },
  context: Context,
): Promise<void> {
  const { profile, path, candidate } = result;
  const apis = result.apis.map(({ api, access, detail }) => ({ api, access, detail }));
  const baseUrl = candidate.baseUrl.value ?? null;
  const domain = candidate.domain.value ?? null;
  const view = {
    columns: [
      { key: 'api', title: 'API', kind: 'text' },
      {
        key: 'access',
        title: 'Access',
        kind: 'text',
        outcomes: { yes: 'good', no: 'bad', unknown: 'warning' },
      },
      { key: 'detail', title: 'Detail', kind: 'text' },
    ],
    empty: 'not tested',
  } as const;
  const title = `APIs at ${baseUrl}`;
  await context.out.printResult(
    { profile, path, baseUrl, domain, apis },
    [{ title, data: apis, view }],
    apis,
  );
}

/** On a terminal, offers to install completions for the user's shell unless they are installed. */
async function offerCompletions(context: Context): Promise<void> {
  const { prompt, io } = context;
  const shell = SHELLS.find(name => name === io.env.SHELL?.split('/').at(-1));
  if (prompt === undefined || shell === undefined || io.homedir === undefined) return;
  if (await hasCompletions(shell, context)) return;
  if (!(await prompt.confirm(`Install completions for ${shell}?`))) return;
  for (const { path, change } of await installCompletions(shell, context))
    context.log.note(`${change} ${path}`);
}
