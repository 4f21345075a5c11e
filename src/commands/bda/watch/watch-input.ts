import { UsageError } from '../../../errors/index.ts';
import { readText } from '../../../files/text-source.ts';
import type { JsonRecord } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import { flagName } from '../../framework/define-command.ts';
import { inYamlFile, readFlagsFile } from '../../framework/yaml-flags.ts';
import { isTyped, savedQuery } from '../flags/saved-query.ts';
import { isGiven, WATCHED_FLAGS, type WatchedFlags, type WatchFlags } from './flags.ts';
import { WATCH_FILE } from './watch-form.ts';

/** What to watch, from a file, a saved query and flags. */
interface WatchInput {
  readonly flags: WatchFlags;
  /** The query of a saved query, as API JSON. */
  readonly body: JsonRecord;
  /** Where that JSON is from. */
  readonly source: string | undefined;
  /** An error about a flag of the file, with its place. */
  readonly atPlace: (error: unknown) => unknown;
}

type Key = keyof WatchedFlags;
const KEYS = Object.keys(WATCHED_FLAGS) as Key[];
const MAX_BYTES = 1 << 20;

/** Flags replace those of the file, and these those of the saved query. Throws UsageError and FileError. */
export async function watchFrom(
  file: string | undefined,
  typed: WatchFlags,
  context: Context,
): Promise<WatchInput> {
  const text = file === undefined ? '' : await readText(fileOrStdin(file, context), { maxBytes: MAX_BYTES });
  const name = file === '-' ? 'stdin' : (file ?? '');
  const { values, places } = readFlagsFile(WATCH_FILE, name, text);
  const fromFile = { ...withDefaults(), ...values } as WatchedFlags;
  const merged = merge(fromFile, typed);
  const saved = merged.query === undefined ? undefined : savedQuery(merged.query, context);
  const flags = saved === undefined ? merged : merge({ ...withDefaults(), ...scopeOf(saved.flags) }, merged);
  const body = saved?.body ?? {};
  const isOnCommandLine = (flag: string) =>
    KEYS.some(key => flagName(WATCHED_FLAGS[key].flags) === flag && isGiven(key, typed[key]));
  return {
    flags: { ...typed, ...flags },
    body,
    source: Object.keys(body).length === 0 ? undefined : saved?.file.path,
    atPlace: error =>
      error instanceof UsageError ? inYamlFile(error, name, places, isOnCommandLine) : error,
  };
}

function fileOrStdin(file: string, { io }: Context) {
  return file === '-' ? io.stdin : file;
}

function withDefaults(): WatchedFlags {
  return Object.fromEntries(KEYS.map(key => [key, WATCHED_FLAGS[key].fallback])) as unknown as WatchedFlags;
}

/** What a saved query has in common with a watch. */
function scopeOf(flags: Readonly<Record<string, unknown>> | object): Partial<WatchedFlags> {
  return Object.fromEntries(
    Object.entries(flags).filter(([key, value]) => key in WATCHED_FLAGS && isTyped(key, value)),
  );
}

/** Sites by name replace one by id, and the other way around. */
const SITE_KEYS: readonly Key[] = ['domain', 'domainId'];

function merge(below: WatchedFlags, above: WatchedFlags): WatchedFlags {
  const hasSite = SITE_KEYS.some(key => isGiven(key, above[key]));
  const replaces = (key: Key) => isGiven(key, above[key]) || (hasSite && SITE_KEYS.includes(key));
  return Object.fromEntries(
    KEYS.map(key => [key, (replaces(key) ? above : below)[key]]),
  ) as unknown as WatchedFlags;
}
