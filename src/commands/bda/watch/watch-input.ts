import type { DayKind } from '../../../analysis/metric-health.ts';
import type { Day, DayRange } from '../../../apis/bda/days.ts';
import { FileError, UsageError } from '../../../errors/index.ts';
import { readText } from '../../../files/text-source.ts';
import type { Context } from '../../framework/context.ts';
import { flagName, isTyped, untypedValues } from '../../framework/define-command.ts';
import { inYamlFile, readFlagsFile } from '../../framework/yaml-flags.ts';
import { savedQuery } from '../flags/saved-query.ts';
import { type WatchedQuery, watchedQuery } from '../flags/watched-query.ts';
import { WATCHED_FLAGS, type WatchedFlags, type WatchFlags } from './flags.ts';
import { dayKinds } from './holidays.ts';
import { WATCH_FILE } from './watch-form.ts';

/** What to watch, from a file, a saved query and flags: checked. */
interface WatchInput extends WatchedQuery {
  readonly flags: WatchFlags;
  /** What each day is, by the holidays of the flags. Throws UsageError. */
  kindOfDays(days: DayRange): Promise<(day: Day) => DayKind>;
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
  const source = file === '-' ? context.io.stdin : file;
  const text =
    source === undefined ? '' : await readText(source, { maxBytes: MAX_BYTES }).catch(unlessMetric);
  const name = file === '-' ? 'stdin' : (file ?? '');
  const { values, places } = readFlagsFile(WATCH_FILE, name, text);
  const fromFile: WatchedFlags = { ...untypedValues(WATCHED_FLAGS), ...values };
  const merged = merge(fromFile, typed);
  const saved = merged.query === undefined ? undefined : savedQuery(merged.query, context);
  const flags =
    saved === undefined
      ? merged
      : merge({ ...untypedValues(WATCHED_FLAGS), ...scopeOf(saved.flags) }, merged);
  const isOnCommandLine = (flag: string) =>
    KEYS.some(key => flagName(WATCHED_FLAGS[key].flags) === flag && isTyped(WATCHED_FLAGS[key], typed[key]));
  const atPlace = (error: unknown): never => {
    throw error instanceof UsageError ? inYamlFile(error, name, places, isOnCommandLine) : error;
  };
  const body = saved?.body ?? {};
  const path = Object.keys(body).length === 0 ? undefined : saved?.file.path;
  return {
    flags: { ...typed, ...flags },
    ...(await watchedQuery(flags, body, path, context).catch(atPlace)),
    kindOfDays: async days => await dayKinds(flags, days).catch(atPlace),
  };
}

/** Who types a metric without its flag names a file that does not exist. */
function unlessMetric(error: unknown): never {
  if (!(error instanceof FileError) || error.code !== 'file_not_found') throw error;
  const { message, path, code } = error;
  const hints = ['FILE has flags as YAML; to name a metric, type -m visits'];
  throw new FileError(message, { path, code, hints, cause: error });
}

/** What a saved query has in common with a watch. */
function scopeOf(flags: Readonly<Record<string, unknown>> | object): Partial<WatchedFlags> {
  return Object.fromEntries(
    Object.entries(flags).filter(
      ([key, value]) => key in WATCHED_FLAGS && isTyped(WATCHED_FLAGS[key as Key], value),
    ),
  );
}

/** Sites by name replace one by id, and the other way around. */
const SITE_KEYS: readonly Key[] = ['domain', 'domainId'];

function merge(below: WatchedFlags, above: WatchedFlags): WatchedFlags {
  const hasSite = SITE_KEYS.some(key => isTyped(WATCHED_FLAGS[key], above[key]));
  const replaces = (key: Key) =>
    isTyped(WATCHED_FLAGS[key], above[key]) || (hasSite && SITE_KEYS.includes(key));
  return Object.fromEntries(
    KEYS.map(key => [key, (replaces(key) ? above : below)[key]]),
  ) as unknown as WatchedFlags;
}
