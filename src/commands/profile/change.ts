import { profilesPath } from '../../config/change.ts';
import { describeKeySource } from '../../config/key-source.ts';
import { keyOriginOf } from '../../config/resolve.ts';
import { removeProfile, setSetting, unsetSetting, useProfile } from '../../config/store.ts';
import { UsageError } from '../../errors/index.ts';
import { pasteError, pasteNote, withoutPasteDamage } from '../../terminal/paste-damage.ts';
import type { Context } from '../framework/context.ts';
import { boolean, defineCommand, required, string } from '../framework/define-command.ts';
import { dropKey, KEY_FLAGS, keyFromFlags, storeKey } from '../framework/key-flags.ts';
import { NOTHING, TEXT } from '../framework/output-schema.ts';
import { chosenProfile, storedProfile, storeOptions } from '../framework/profile-store.ts';

const NAME = required('name', 'the name of the profile', { completes: 'profile' });
const KEY = required('key', 'the setting, such as domain or time-zone', { completes: 'setting' });

export const use = defineCommand({
  name: 'use',
  effect: 'read',
  summary: 'set the profile in use',
  arguments: { name: NAME },
  options: {},
  examples: { 'gatectl profile use staging': 'use the staging gateway from now on' },
  output: NOTHING,
  async run({ name }, context) {
    await useProfile(storeOptions(context), name);
    context.log.note(`${name} is the profile in use`);
  },
});

export const set = defineCommand({
  name: 'set',
  effect: 'read',
  summary: 'change one setting of a profile',
  description:
    'Changes one setting of the profile in use, or of the one that --profile names. gatectl profile show lists the settings. A key is sent only to the gateway it was stored for: a base-url with another scheme, host or port requires the key again, or --move-key-from.',
  arguments: { key: KEY, value: required('value', 'its new value', { completes: 'setting-value' }) },
  options: {
    ...KEY_FLAGS,
    moveKeyFrom: string(
      '--move-key-from <url>',
      'send the key that was stored for this URL to the new base-url',
    ),
  },
  examples: {
    'gatectl profile set domain example.org': 'change the default domain',
    'gatectl profile set time-zone Europe/Madrid --profile news': 'use the days of Madrid',
  },
  output: NOTHING,
  async run({ key, value, moveKeyFrom, ...keyFlags }, context) {
    const profile = await chosenProfile(context);
    const { insecureHttp } = context.globals.flags;
    const given = PASTED.has(key) ? unpasted(key, value, context) : value;
    const isBaseUrl = key === 'base-url';
    const newKey = await keyFromFlags(keyFlags, profile, isBaseUrl ? given : undefined, context);
    if (moveKeyFrom !== undefined && !isBaseUrl)
      throw new UsageError('--move-key-from applies to base-url only');
    const before = newKey && (await storedProfile(profile, context)).key;
    const stored = await setSetting(storeOptions(context), profile, key, given, {
      insecureHttp,
      key: newKey && (await storeKey(newKey)),
      moveKeyFrom:
        moveKeyFrom ?? (isBaseUrl && !newKey ? await confirmedMove(profile, given, context) : undefined),
    });
    await dropKey(before, newKey?.source);
    context.log.note(`${key} of profile ${profile} is now ${stored}`);
  },
});

/** Settings whose values people paste. */
const PASTED: ReadonlySet<string> = new Set(['base-url', 'domain']);

function unpasted(key: string, value: string, context: Context): string {
  const pasted = withoutPasteDamage(value);
  if ('problem' in pasted) throw pasteError(key, pasted.problem);
  if (pasted.removed.length > 0) context.log.note(pasteNote(key, pasted.removed));
  return pasted.value;
}

/** On a terminal: the origin that the key was stored for, if the user confirms sending it to the new one. */
async function confirmedMove(name: string, url: string, context: Context): Promise<string | undefined> {
  const profile = await storedProfile(name, context);
  if (context.prompt === undefined || profile.key === undefined || !URL.canParse(url)) return undefined;
  const [before, { origin }] = [keyOriginOf(profile), new URL(url)];
  if (before === undefined || before === origin) return undefined;
  const question = `The key of ${name} was stored for ${before}. Send it to ${origin} from now on?`;
  return (await context.prompt.confirm(question)) ? before : undefined;
}

export const unset = defineCommand({
  name: 'unset',
  effect: 'read',
  summary: 'reset one setting of a profile to its default',
  arguments: { key: KEY },
  options: {},
  examples: { 'gatectl profile unset domain': 'no default domain' },
  output: NOTHING,
  async run({ key }, context) {
    const profile = await chosenProfile(context);
    await unsetSetting(storeOptions(context), profile, key);
    context.log.note(`${key} of profile ${profile} is back to its default`);
  },
});

export const remove = defineCommand({
  name: 'remove',
  effect: 'read',
  summary: 'remove a profile and its stored key',
  description:
    'Removes a profile. A key that is stored in it or in the keyring is removed with it, which requires confirmation: type y, or pass --yes where there is no terminal.',
  arguments: { name: NAME },
  options: { yes: boolean('--yes', 'remove the stored key without confirmation') },
  examples: {
    'gatectl profile remove old': 'the old gateway',
    'gatectl profile remove old --yes': 'in a script',
  },
  output: NOTHING,
  async run({ name, yes }, context) {
    const { key } = await storedProfile(name, context);
    const isStored = key?.kind === 'config' || key?.kind === 'keyring';
    if (isStored && !yes && !(await confirmedRemoval(name, describeKeySource(key), context)))
      return context.log.note(`profile ${name} was not removed`);
    const { removed, wasCurrent } = await removeProfile(storeOptions(context), name);
    await dropKey(removed.key);
    context.log.note(
      `removed profile ${name}${wasCurrent ? '; no profile is in use now: choose one with gatectl profile use' : ''}`,
    );
  },
});

async function confirmedRemoval(name: string, key: string, { prompt }: Context): Promise<boolean> {
  if (prompt !== undefined) return await prompt.confirm(`Remove profile ${name} and its API key (${key})?`);
  throw new UsageError(`removing profile ${name} deletes its API key and requires confirmation`, {
    code: 'confirmation_required',
    hints: ['pass --yes'],
  });
}

export const path = defineCommand({
  name: 'path',
  effect: 'read',
  summary: 'print the path of the profiles file',
  options: {},
  examples: { 'ls -l "$(gatectl profile path)"': 'show its permissions' },
  output: TEXT,
  async run(_, context) {
    await context.out.printText(profilesPath(context.io));
  },
});
