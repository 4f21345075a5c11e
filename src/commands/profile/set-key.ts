import { setKey } from '../../config/store.ts';
import { missingSetting } from '../../errors/usage.ts';
import { defineCommand, optional } from '../framework/define-command.ts';
import { dropKey, KEY_FLAGS, keyFlagsIn, keyFromFlags, storeKey } from '../framework/key-flags.ts';
import { NOTHING } from '../framework/output-schema.ts';
import { promptForKey } from '../framework/profile-prompts.ts';
import { chosenProfile, storedProfile, storeOptions } from '../framework/profile-store.ts';

export const setKeyCommand = defineCommand({
  name: 'set-key',
  effect: 'read',
  summary: 'replace the API key of a profile',
  description:
    'Replaces the key of a profile, for example after a rotation. The key is sent only to the origin (scheme, host and port) of the base URL that the profile has now. On a terminal, the key is prompted for.',
  arguments: {
    name: optional('name', 'the profile (default: the one in use)', { completes: 'profile' }),
  },
  options: KEY_FLAGS,
  examples: {
    'gatectl profile set-key': 'prompt for the new key',
    'gatectl profile set-key news --api-key-stdin < key.txt': 'from a file, in a script',
  },
  output: NOTHING,
  async run({ name, ...flags }, context) {
    const profile = await storedProfile(name ?? (await chosenProfile(context)), context);
    const baseUrl = profile.values.baseUrl?.toString();
    if (baseUrl === undefined)
      throw missingSetting(
        `profile ${profile.name} has no base URL to send a key to`,
        'set it first: gatectl profile set base-url URL',
      );
    const { prompt } = context;
    if (keyFlagsIn(flags).length === 0 && prompt === undefined)
      throw missingSetting('no key given', 'add --api-key-stdin, --api-key-file, --key-command or --keyring');
    const key =
      keyFlagsIn(flags).length === 0 && prompt !== undefined
        ? await promptForKey(prompt, profile.name, baseUrl, undefined, context)
        : await keyFromFlags(flags, profile.name, baseUrl, context);
    if (key === undefined) return context.log.note(`profile ${profile.name} is unchanged`);
    const before = await setKey(storeOptions(context), profile.name, await storeKey(key));
    await dropKey(before.key, key.source);
    context.log.note(`replaced the key of profile ${profile.name}; test it with gatectl doctor`);
    if (context.io.env.GATECTL_API_KEY)
      context.log.warn('GATECTL_API_KEY is set and overrides the key of every profile');
  },
});
