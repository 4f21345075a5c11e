import { UsageError } from '../errors/index.ts';
import { splitShellWords } from '../text/shell-words.ts';
import { profilesPath, type StoreOptions, updateProfiles } from './change.ts';
import { aliasesIn } from './config-file.ts';
import { readProfiles } from './profiles-file.ts';

/**
 * Stores an alias. Throws UsageError for an invalid name, for the name of a command, for an expansion that does not start with a
 * command, and for an existing alias unless `replace` is set.
 */
export async function setAlias(
  options: StoreOptions,
  { name, expansion, replace }: { name: string; expansion: string; replace: boolean },
  commands: readonly string[],
): Promise<void> {
  checkName(name, commands);
  checkExpansion(expansion, commands, options.system.platform);
  await updateProfiles(options, draft => {
    if (Object.hasOwn(draft.aliases, name) && !replace)
      throw new UsageError(`the alias ${name} already exists: ${draft.aliases[name]}`, {
        code: 'name_exists',
        reason: 'name_taken',
      });
    draft.aliases[name] = expansion;
  });
}

/** Removes an alias. Throws UsageError for an unknown one. */
export async function deleteAlias(options: StoreOptions, name: string): Promise<void> {
  const { system } = options;
  // Checked first without creating a file, and then again under the lock.
  const file = await readProfiles(profilesPath(system), system.platform);
  assertAliasExists(name, [...aliasesIn(file.json, file.path).keys()]);
  await updateProfiles(options, draft => {
    assertAliasExists(name, Object.keys(draft.aliases));
    delete draft.aliases[name];
  });
}

function assertAliasExists(name: string, names: readonly string[]): void {
  if (names.includes(name)) return;
  throw new UsageError(`there is no alias ${name}`, {
    code: 'unknown_name',
    reason: { name: 'unknown_name', typed: name, what: 'aliases', existing: names },
  });
}

function checkName(name: string, commands: readonly string[]): void {
  if (commands.includes(name))
    throw new UsageError(`${name} is a command, and an alias cannot replace it`, {
      code: 'name_exists',
      reason: 'alias_of_command',
    });
  if (/^[A-Za-z][\w-]{0,63}$/.test(name)) return;
  throw new UsageError(`${JSON.stringify(name)} is not a valid alias name`, {
    code: 'invalid_value',
    reason: {
      name: 'allowed_characters',
      characters: 'letters, digits, hyphens and underscores, starting with a letter',
    },
  });
}

function checkExpansion(expansion: string, commands: readonly string[], platform: NodeJS.Platform): void {
  const { words, unclosed } = splitShellWords(expansion, platform);
  if (unclosed !== undefined)
    throw new UsageError('the expansion has an unclosed quote', {
      code: 'invalid_value',
      reason: 'unclosed_quote',
    });
  const [first] = words;
  if (first === undefined)
    throw new UsageError('the expansion is empty', { code: 'invalid_value', reason: 'alias_is_empty' });
  if (commands.includes(first)) return;
  throw new UsageError(`the expansion must start with a command, not ${first}`, {
    code: 'invalid_value',
    reason: { name: 'alias_without_command', first, commands },
  });
}
