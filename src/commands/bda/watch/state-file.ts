import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { WatchedSeries } from '../../../analysis/alerts.ts';
import { isDay } from '../../../apis/bda/days.ts';
import { stateFolder } from '../../../config/platform.ts';
import { FileError } from '../../../errors/index.ts';
import { writeAtomic } from '../../../files/atomic-file.ts';
import { makePrivateFolder } from '../../../files/folders.ts';
import { withLock } from '../../../files/lock.ts';
import { readText } from '../../../files/text-source.ts';
import { isList, isRecord, type Json, stringifyJson, tryParseJson } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import { lockMachine } from '../../framework/lock-machine.ts';

const KIND = 'gatectl bda watch';
const VERSION = 1;
const LOCK_WAIT_MS = 30_000;
const MAX_BYTES = 1 << 22;

/** What is remembered between runs, by metric and site. */
export type WatchMemory = Map<string, WatchedSeries>;

/** The key of a metric of a site. */
export function seriesKey(metric: string, site: string | undefined): string {
  return JSON.stringify([metric, site ?? null]);
}

interface WatchIdentity {
  /** What is watched, without metrics and sites. */
  readonly query: Json;
  /** By which rules. */
  readonly rules: Json;
}

/** The default state file; undefined if there is no folder for it. */
export function defaultStatePath({ query, rules }: WatchIdentity, { io }: Context): string | undefined {
  const folder = stateFolder(io);
  return folder === undefined ? undefined : join(folder, 'watch', `${hashOf([query, rules])}.json`);
}

/**
 * Passes what is remembered to `follow`, which changes it, and writes the result. The file is locked meanwhile. `isDefault`: gatectl
 * chose the path. Throws FileError, also for a file that is something else or belongs to another watch.
 */
export async function withMemory<Value>(
  path: string,
  { isDefault, query }: { readonly isDefault: boolean; readonly query: Json },
  context: Context,
  follow: (memory: WatchMemory) => Promise<Value>,
): Promise<Value> {
  if (isDefault) await makePrivateFolder(dirname(path));
  const options = { machine: lockMachine(context), wait: LOCK_WAIT_MS, displayPath: path };
  return await withLock(path, options, async () => {
    const of = hashOf(query);
    const memory = await read(path, of);
    try {
      return await follow(memory);
    } finally {
      // What was reported before an error or Ctrl-C is not reported again.
      await writeAtomic(path, textOf(memory, of), { mode: 0o600 });
    }
  });
}

async function read(path: string, of: string): Promise<WatchMemory> {
  const invalid = (problem: string) => new FileError(`${path} ${problem}`, { path, code: 'invalid_file' });
  let text: string;
  try {
    text = await readText(path, { maxBytes: MAX_BYTES });
  } catch (error) {
    if (error instanceof FileError && error.code === 'file_not_found') return new Map();
    throw error;
  }
  // A file that was only created, such as by mktemp.
  if (text === '') return new Map();
  const json = tryParseJson(text);
  if (!isRecord(json) || json.kind !== KIND) throw invalid('is not a state file of bda watch');
  if (String(json.version) !== String(VERSION)) throw invalid('was written by another version of gatectl');
  if (json.of !== of) throw invalid('belongs to another watch; pass another --state');
  const memory: WatchMemory = new Map();
  for (const item of isList(json.series) ? json.series : [undefined]) {
    const { metric, site = null, seen_to: seenTo, since, last } = isRecord(item) ? item : {};
    const isValid =
      typeof metric === 'string' &&
      (site === null || typeof site === 'string') &&
      [seenTo, since ?? seenTo, last ?? seenTo].every(day => typeof day === 'string' && isDay(day));
    if (!isValid) throw invalid('is damaged; remove it to start anew');
    const open = typeof since === 'string' && typeof last === 'string' ? { since, last } : undefined;
    memory.set(seriesKey(metric, site ?? undefined), { seenTo: String(seenTo), ...(open && { open }) });
  }
  return memory;
}

function textOf(memory: WatchMemory, of: string): string {
  const series = [...memory].map(([key, { seenTo, open }]) => {
    const [metric, site] = JSON.parse(key) as [string, string | null];
    return { metric, site, seen_to: seenTo, ...(open && { since: open.since, last: open.last }) };
  });
  return `${stringifyJson({ kind: KIND, version: VERSION, of, series }, 2)}\n`;
}

function hashOf(value: Json): string {
  return createHash('sha256').update(stringifyJson(value)).digest('hex').slice(0, 20);
}
