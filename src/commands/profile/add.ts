import { saveProfile } from '../../config/store.ts';
import { missingArgument } from '../../errors/usage.ts';
import type { Context } from '../framework/context.ts';
import { boolean, defineCommand, inGroup, optional, string } from '../framework/define-command.ts';
import { CONNECTION_FLAGS, dropKey, KEY_FLAGS, keyFromFlags, storeKey } from '../framework/key-flags.ts';
import { NOTHING } from '../framework/output-schema.ts';
import { promptForName, promptForProfile } from '../framework/profile-prompts.ts';
import { storedProfiles, storeOptions } from '../framework/profile-store.ts';

export const add = defineCommand({
  name: 'add',
  effect: 'read',
  summary: 'add or update a connection profile',
  description:
    'Stores a base URL, defaults and where the API key comes from. The first profile becomes the one in use. An existing profile is updated: other settings do not change. On a terminal, missing values are prompted for. The key is never read from the command line, where others could see it. gatectl login does the same and tests the key.',
  arguments: { name: optional('name', 'the name of the profile', { completes: 'profile' }) },
  options: {
    ...inGroup('Settings', {
      ...CONNECTION_FLAGS,
      timeZone: string('--time-zone <zone>', 'IANA time zone in which days start and times are shown'),
      protected: boolean('--protected', 'require --confirm for a purge of a whole domain'),
      prefixSubscriptions: string(
        '--prefix-subscriptions <path>',
        'path of the Subscriptions API below the base URL',
      ),
      prefixCdn: string('--prefix-cdn <path>', 'path of the CDN API below the base URL'),
      prefixBdaV1: string('--prefix-bda-v1 <path>', 'path of the analytics API v1 below the base URL'),
      prefixBdaV2: string('--prefix-bda-v2 <path>', 'path of the analytics API v2 below the base URL'),
    }),
    ...inGroup('API key', KEY_FLAGS),
    ...inGroup('Profile', {
      replace: boolean('--replace', 'drop all settings and the key of an existing profile first'),
    }),
  },
  examples: {
    'gatectl profile add news --base-url https://gateway.example.com --domain example.com --api-key-file ~/.secrets/gateway':
      'with the key from a file that only you can read',
    "gatectl profile add news --base-url https://gateway.example.com --key-command 'pass show gateway'":
      'with the key from a password store',
    'gatectl profile add': 'with prompts',
  },
  output: NOTHING,
  async run({ name: givenName, replace, ...flags }, context) {
    const { baseUrl: urlFlag, insecureHttp } = context.globals.flags;
    const baseUrl = urlFlag === undefined ? undefined : String(urlFlag);
    const name = givenName ?? (await promptedName(context));
    const { profiles } = await storedProfiles(context);
    const existing = profiles.get(name);
    const { prompt } = context;
    const { apiKeyStdin, apiKeyFile, keyCommand, keyring, ...settings } = flags;
    const answers =
      baseUrl === undefined && prompt !== undefined
        ? await promptForProfile(prompt, name, { ...flags, baseUrl }, replace ? undefined : existing, context)
        : {
            baseUrl,
            domain: flags.domain,
            key: await keyFromFlags(flags, name, baseUrl ?? existing?.values.baseUrl?.toString(), context),
          };
    const { key, ...answered } = answers;
    const { path, isCurrent, isNew } = await saveProfile(storeOptions(context), name, {
      settings: { ...settings, ...answered, protected: settings.protected ? 'true' : undefined },
      key: key && (await storeKey(key)),
      replace,
      insecureHttp,
    });
    if (key !== undefined || replace) await dropKey(existing?.key, key?.source);
    const use = isCurrent ? 'it is the profile in use' : `use it with --profile ${name}`;
    context.log.note(`${isNew ? 'added' : 'updated'} profile ${name} in ${path}; ${use}`);
    if (key === undefined && (replace || existing?.key === undefined))
      context.log.note('it has no key: set GATECTL_API_KEY, or run gatectl profile set-key');
  },
});

async function promptedName({ prompt }: Context): Promise<string> {
  if (prompt !== undefined) return await promptForName(prompt, 'default');
  throw missingArgument('the profile name is required', 'type gatectl profile add NAME --base-url URL');
}
