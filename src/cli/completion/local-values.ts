import {
  type KnownColumn,
  type KnownName,
  ListingCache,
  type NamedKind,
} from '../../apis/bda/listing-cache.ts';
import { valueKindOfType } from '../../apis/bda/value-kind.ts';
import type { LocalValue } from '../../commands/framework/define-command.ts';
import { readAliases } from '../../config/config-file.ts';
import { cacheFolder, configPath, environmentVariable } from '../../config/platform.ts';
import { readProfiles } from '../../config/profiles-file.ts';
import { findProjectFile } from '../../config/project-file.ts';
import { resolveSettings } from '../../config/resolve.ts';
import { SETTING_KEYS, SETTINGS, type Setting, settingKey } from '../../config/settings.ts';
import type { Io } from '../../terminal/io.ts';
import type { Candidate } from './cursor.ts';

/**
 * The values of a kind from profiles and from the latest listings; sends nothing. `current` is the incomplete word, `typed` the
 * words before it. Throws UsageError or FileError if the profile cannot be read.
 */
export async function localValues(
  kind: Exclude<LocalValue, 'command' | 'field'>,
  current: string,
  typed: readonly string[],
  io: Io,
): Promise<readonly Candidate[]> {
  switch (kind) {
    case 'profile':
      return await profiles(io);
    case 'setting':
      return SETTING_KEYS.map(key => {
        const setting: Setting<unknown> = SETTINGS[key];
        return { word: setting.name, about: setting.description };
      });
    case 'setting-value':
      return await settingValues(typed, io);
    case 'time-zone':
      return timeZones();
    case 'alias':
      return [...(await readAliases(io))].map(([word, about]) => ({ word, about }));
    case 'page': {
      const { documentationPages } = await import('../manual/pages.ts');
      return documentationPages().map(({ page, about }) => ({ word: page, about }));
    }
    case 'query': {
      const { queryFiles } = await import('../../config/query-files.ts');
      return queryFiles(io).map(({ name, path }) => ({ word: name, about: path }));
    }
    case 'domain':
      return await domains(typed, io);
    case 'domain-id':
      return numbers(await names('domain', typed, io));
    case 'custom-report':
      return numbers(await names('custom-report', typed, io));
    case 'data-set':
    case 'report':
    case 'segment':
      return (await names(kind, typed, io)).map(({ name, id, about }) => ({
        word: name,
        about: about ?? id,
      }));
    case 'column':
      return inList(current, (await columns(typed, io)).map(described));
    case 'sort':
      return inList(current, sortKeys(current, await columns(typed, io)));
    case 'filter':
      return (await columns(typed, io)).flatMap(column => filterStarts(column, typed));
  }
}

async function profiles(io: Io): Promise<Candidate[]> {
  const { profiles, current } = await readProfiles(configPath(io), io.platform);
  return [...profiles.values()].map(({ name, values: { baseUrl } }) => ({
    word: name,
    about: [
      ...(baseUrl === undefined ? [] : [String(baseUrl)]),
      ...(name === current ? ['in use'] : []),
    ].join(', '),
  }));
}

/** Values of the setting in the previous word. */
async function settingValues(typed: readonly string[], io: Io): Promise<readonly Candidate[]> {
  const key = typed.map(settingKey).findLast(found => found !== undefined);
  if (key === 'timeZone') return timeZones();
  if (key === 'domain') return await domains(typed, io);
  if (key === 'dataSet') return (await names('data-set', typed, io)).map(({ name }) => ({ word: name }));
  return (key === undefined ? [] : (SETTINGS[key].choices ?? [])).map(word => ({ word }));
}

function timeZones(): Candidate[] {
  return Intl.supportedValuesOf('timeZone').map(word => ({ word }));
}

async function domains(typed: readonly string[], io: Io): Promise<Candidate[]> {
  const { profiles } = await readProfiles(configPath(io), io.platform);
  const found = new Map<string, string | undefined>();
  for (const { name, id } of await names('domain', typed, io)) found.set(name, id);
  for (const { name, values } of profiles.values())
    if (values.domain !== undefined) found.set(String(values.domain), `profile ${name}`);
  const set = environmentVariable(io.env, 'GATECTL_DOMAIN');
  if (set !== undefined) found.set(set, 'environment GATECTL_DOMAIN');
  return [...found].map(([word, about]) => ({ word, about }));
}

async function names(kind: NamedKind, typed: readonly string[], io: Io): Promise<readonly KnownName[]> {
  const { cache } = await listingsFor(typed, io);
  return (await cache?.readNames(kind)) ?? [];
}

function numbers(known: readonly KnownName[]): Candidate[] {
  return known.flatMap(({ name, id }) => (id === undefined ? [] : [{ word: id, about: name }]));
}

/** The columns of the data set in the command line, or all. */
async function columns(typed: readonly string[], io: Io): Promise<readonly KnownColumn[]> {
  const { cache, dataSet: usual } = await listingsFor(typed, io);
  const known = (await cache?.readColumns()) ?? [];
  const dataSet = optionIn(typed, ['--data-set']) ?? usual;
  const within = known.filter(({ dataSets }) => dataSet !== undefined && dataSets?.includes(dataSet));
  return within.length > 0 ? within : known;
}

/** The cached listings of this profile and gateway, if any, and the default data set. */
async function listingsFor(
  typed: readonly string[],
  io: Io,
): Promise<{ readonly cache?: ListingCache; readonly dataSet?: string | undefined }> {
  const folder = cacheFolder(io);
  if (folder === undefined || typed.includes('--sandbox')) return {};
  const file = await readProfiles(configPath(io), io.platform);
  const flags = {
    profile: optionIn(typed, ['-p', '--profile']),
    baseUrl: optionIn(typed, ['--base-url']),
    insecureHttp: true,
  };
  const { project } = await findProjectFile(io);
  const { baseUrl, profile, dataSet } = resolveSettings({ flags, env: io.env, file, project });
  if (baseUrl.value === undefined) return {};
  const cache = new ListingCache(folder, { baseUrl: baseUrl.value, profile: profile.value });
  return { cache, dataSet: dataSet.origin === 'default' ? undefined : dataSet.value };
}

function described({ name, type, unit, description }: KnownColumn): Candidate {
  const kind = [type, unit].filter(word => word !== undefined).join(', ');
  return { word: name, about: [description, kind && `(${kind})`].filter(Boolean).join(' ') };
}

function sortKeys(current: string, known: readonly KnownColumn[]): Candidate[] {
  const column = /(?:^|,)([^,:]+):[^,]*$/.exec(current)?.[1];
  if (column === undefined) return known.map(described);
  return [
    { word: `${column}:desc`, about: 'largest first' },
    { word: `${column}:asc`, about: 'smallest first' },
  ];
}

function filterStarts(column: KnownColumn, typed: readonly string[]): Candidate[] {
  const { about } = described(column);
  const isNumber = column.type !== undefined && valueKindOfType(column.type) === 'number';
  // Saved reports and segments compare by > or by an operator word alone.
  const isV1 = typed.includes('report') || typed.includes('segment');
  const signs = [...(isNumber ? ['>', '>='] : []), ...(isV1 ? [] : ['=']), ':'];
  return signs.map(sign => ({ word: `${column.name}${sign}`, about }));
}

/** Candidates for the last item of a comma-separated list, with the items before it; items in the list are omitted. */
function inList(current: string, candidates: readonly Candidate[]): Candidate[] {
  const comma = current.lastIndexOf(',');
  const before = current.slice(0, comma + 1);
  const taken = before.split(',').map(name => name.trim().replace(/:.*$/, ''));
  return candidates
    .filter(({ word }) => !taken.includes(word))
    .map(({ word, about }) => ({ word: before + word, about }));
}

/** The value of an option in some words of a command line, in either form; undefined if it is absent. */
function optionIn(words: readonly string[], names: readonly string[]): string | undefined {
  for (let at = words.length - 1; at >= 0; at -= 1) {
    const word = words[at] ?? '';
    if (names.includes(word)) return words[at + 1];
    const name = names.find(name => name.startsWith('--') && word.startsWith(`${name}=`));
    if (name !== undefined) return word.slice(name.length + 1);
  }
  return undefined;
}
