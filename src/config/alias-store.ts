import { UsageError } from '../errors/index.ts';
import { nearest } from '../errors/nearest.ts';
import { aliasWords } from './alias-words.ts';
import { change, profilesPath, type StoreOptions } from './change.ts';
import { aliasesIn } from './config-file.ts';
import { readProfiles } from './profiles-file.ts';

/**
 * Stores an alias. Throws UsageError for a name that is a command's or no name, for an expansion that does not begin with
 * a command, and for a name already taken unless `replace` is set.
 */
export async function setAlias(
  options: StoreOptions,
  { name, expansion, replace }: { name: string; expansion: string; replace: boolean },
  commands: readonly string[],
): Promise<void> {
  checkName(name, commands);
  checkExpansion(expansion, commands, options.surroundings.platform);
  await change(options, draft => {
    if (Object.hasOwn(draft.aliases, name) && !replace)
      throw new UsageError(`there is already an alias ${name}: ${draft.aliases[name]}`, {
        code: 'name_exists',
        hints: ['choose another name, or add --replace'],
      });
    draft.aliases[name] = expansion;
  });
}

/** Removes an alias. Throws UsageError for an unknown one. */
export async function deleteAlias(options: StoreOptions, name: string): Promise<void> {
  const { surroundings } = options;
  // Asked before anything is created, and again under the lock.
  const file = await readProfiles(profilesPath(surroundings), surroundings.platform);
  refuseUnknown(name, [...aliasesIn(file.json, file.path).keys()]);
  await change(options, draft => {
    refuseUnknown(name, Object.keys(draft.aliases));
    delete draft.aliases[name];
  });
}

function refuseUnknown(name: string, names: readonly string[]): void {
  if (names.includes(name)) return;
  const meant = nearest(name, names);
  const known = names.length === 0 ? 'there are none yet' : `the aliases are: ${names.join(', ')}`;
  throw new UsageError(`there is no alias ${name}`, {
    code: 'unknown_name',
    hints: [meant === undefined ? known : `did you mean ${meant}?`],
  });
}

function checkName(name: string, commands: readonly string[]): void {
  if (commands.includes(name))
    throw new UsageError(`${name} is a command, which no alias can replace`, {
      code: 'name_exists',
      hints: ['choose another name'],
    });
  if (/^[A-Za-z][\w-]{0,63}$/.test(name)) return;
  throw new UsageError(`${JSON.stringify(name)} is no name for an alias`, {
    code: 'invalid_value',
    hints: ['type letters, digits, hyphens and underscores, a letter first'],
  });
}

function checkExpansion(expansion: string, commands: readonly string[], platform: NodeJS.Platform): void {
  const words = aliasWords(expansion, platform);
  if (words === undefined)
    throw new UsageError('the expansion leaves a quote open', {
      code: 'invalid_value',
      hints: ['close the quote'],
    });
  const [first] = words;
  if (first === undefined)
    throw new UsageError('the expansion is empty', {
      code: 'invalid_value',
      hints: ["type 'cdn purge --file $1'"],
    });
  if (commands.includes(first)) return;
  const meant = nearest(first, commands);
  const hint = first.startsWith('!')
    ? 'an alias stands for a gatectl command; for a shell command write a shell alias'
    : meant === undefined
      ? `begin with a command, without gatectl: ${commands.join(', ')}`
      : `did you mean ${meant}?`;
  throw new UsageError(`the expansion begins with ${first}, which is no command`, {
    code: 'invalid_value',
    hints: [hint],
  });
}
