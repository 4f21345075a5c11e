import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { WatchedSeries } from '../../analysis/alerts.ts';
import { isDay } from '../../apis/bda/days.ts';
import { stateFolder } from '../../config/platform.ts';
import { FileError } from '../../errors/index.ts';
import { writeAtomic } from '../../files/atomic-file.ts';
import { makePrivateFolder } from '../../files/folders.ts';
import { withLock } from '../../files/lock.ts';
import { readText } from '../../files/text-source.ts';
import { isList, isRecord, type Json, stringifyJson, textOf, tryParseJson } from '../../json/index.ts';
import type { Machine } from '../machine.ts';

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
export function defaultStatePath({ query, rules }: WatchIdentity, machine: Machine): string | undefined {
  const folder = stateFolder(machine);
  return folder === undefined ? undefined : join(folder, 'watch', `${hashOf([query, rules])}.json`);
}

interface StateFile {
  /** Undefined if there is no folder for it. */
  readonly path: string | undefined;
  /** Whether gatectl chose the path. */
  readonly isDefault: boolean;
  readonly query: Json;
}

/**
 * Passes what is remembered to `follow`, which changes it, and writes the result. The file is locked meanwhile, so that of two runs the
 * second knows what the first has reported. Where gatectl chose the path and cannot use it, `forget` is called with the reason, and
 * nothing is remembered. Throws FileError, also for a file that is something else or belongs to another watch, and LockedError.
 */
export async function withMemory<Value>(
  { path, isDefault, query }: StateFile,
  machine: Machine,
  follow: (memory: WatchMemory) => Promise<Value>,
  forget: (reason: string) => void,
): Promise<Value> {
  let isBegun = false;
  let followed: { readonly value: Value } | undefined;
  try {
    if (path === undefined)
      throw new FileError('there is no folder for state', { path: '', code: 'file_not_found' });
    if (isDefault) await makePrivateFolder(dirname(path));
    await withLock(path, { machine, wait: LOCK_WAIT_MS, displayPath: path }, async () => {
      const of = hashOf(query);
      const memory = await read(path, of);
      isBegun = true;
      try {
        followed = { value: await follow(memory) };
      } finally {
        // What was reported before an error or Ctrl-C is not reported again.
        await writeAtomic(path, stateText(memory, of), { mode: 0o600 });
      }
    });
  } catch (error) {
    const isUnusable = isDefault && error instanceof FileError && error.code !== 'invalid_file';
    // A file that fails while alerts are reported must not make them reported twice.
    if (!isUnusable || (isBegun && followed === undefined)) throw error;
    forget(error.message);
  }
  return followed === undefined ? await follow(new Map()) : followed.value;
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
  if (json.of !== of) throw invalid('belongs to another watch');
  const memory: WatchMemory = new Map();
  for (const item of isList(json.series) ? json.series : [undefined]) {
    const { metric, site = null, seen_to: seenTo, since, last, value } = isRecord(item) ? item : {};
    const figure = value === undefined || value === null ? value : Number(textOf(value));
    const isValid =
      !Number.isNaN(figure) &&
      typeof metric === 'string' &&
      (site === null || typeof site === 'string') &&
      [seenTo, since ?? seenTo, last ?? seenTo].every(day => typeof day === 'string' && isDay(day));
    if (!isValid) throw invalid('is damaged');
    const open =
      typeof since === 'string' && typeof last === 'string' ? { since, last, value: figure } : undefined;
    memory.set(seriesKey(metric, site ?? undefined), { seenTo: String(seenTo), ...(open && { open }) });
  }
  return memory;
}

function stateText(memory: WatchMemory, of: string): string {
  const series = [...memory].map(([key, { seenTo, open }]) => {
    const [metric, site] = JSON.parse(key) as [string, string | null];
    return { metric, site, seen_to: seenTo, ...open };
  });
  return `${stringifyJson({ kind: KIND, version: VERSION, of, series }, 2)}\n`;
}

function hashOf(value: Json): string {
  return createHash('sha256').update(stringifyJson(value)).digest('hex').slice(0, 20);
}
