import { dirname } from 'node:path';
import { FileError } from '../../../errors/index.ts';
import { writeAtomic } from '../../../files/atomic-file.ts';
import { makePrivateFolder } from '../../../files/folders.ts';
import { textIfThere } from '../../../files/if-there.ts';
import { checksum } from '../url-list.ts';

/** The targets of purges that started and were not confirmed: their pages may be cached in any state. */
export interface UnconfirmedPurge {
  /** RFC 3339; of the last such purge. */
  readonly at: string;
  readonly deploy?: number;
  /** Whether it was a purge of the domain. */
  readonly everything: boolean;
  /** The range `BASE..REF` of a purge that succeeded, and did not include these targets. */
  readonly range?: string;
  readonly urls: readonly string[];
  readonly keys: readonly string[];
}

/** What the cache of a domain may hold: the content of the last confirmed purge, except for the targets of `unconfirmed`. */
export interface ConfirmedState {
  /** The purge that confirmed it, as `cdn history` lists it. */
  readonly id: string;
  /** RFC 3339. */
  readonly at: string;
  /** Identifies the machine that confirmed it. */
  readonly machine: string;
  readonly deploy?: number;
  readonly commit?: string;
  /** Content hashes. */
  readonly urls: ReadonlyMap<string, string>;
  readonly keys: ReadonlyMap<string, string>;
  readonly unconfirmed?: UnconfirmedPurge;
}

const HEADER = 'gatectl purge state 1';

/** Reads a state; undefined where there is none. Throws FileError, also for a damaged one. */
export async function readState(path: string): Promise<ConfirmedState | undefined> {
  const text = await textIfThere(path);
  if (text === undefined) return undefined;
  const state = parseState(text);
  if (state !== undefined) return state;
  throw new FileError(`${path} is damaged`, { path, code: 'invalid_file' });
}

/** Replaces a state atomically. Throws FileError. */
export async function writeState(path: string, state: ConfirmedState): Promise<void> {
  await makePrivateFolder(dirname(path));
  await writeAtomic(path, formatState(state), { mode: 0o600 });
}

/**
 * One line for each target: `u HASH URL`, `k HASH KEY`, and `ou URL`, `ok KEY` for unconfirmed ones. The last line is a checksum of the
 * others.
 */
export function formatState({ urls, keys, unconfirmed, ...head }: ConfirmedState): string {
  const lines = [HEADER, JSON.stringify(head)];
  for (const [url, hash] of urls) lines.push(`u ${hash} ${url}`);
  for (const [key, hash] of keys) lines.push(`k ${hash} ${key}`);
  if (unconfirmed !== undefined) {
    const { urls: unconfirmedUrls, keys: unconfirmedKeys, ...attempt } = unconfirmed;
    lines.push(`owed ${JSON.stringify(attempt)}`);
    for (const url of unconfirmedUrls) lines.push(`ou ${url}`);
    for (const key of unconfirmedKeys) lines.push(`ok ${key}`);
  }
  const body = `${lines.join('\n')}\n`;
  return `${body}${checksum(body)}\n`;
}

/** Undefined for a text that is damaged, or of another version. */
export function parseState(text: string): ConfirmedState | undefined {
  const end = text.lastIndexOf('\n', text.length - 2) + 1;
  const body = text.slice(0, end);
  if (text.slice(end) !== `${checksum(body)}\n`) return undefined;
  const [header, head = '', ...lines] = body.slice(0, -1).split('\n');
  if (header !== HEADER) return undefined;
  const urls = new Map<string, string>();
  const keys = new Map<string, string>();
  const unconfirmedUrls: string[] = [];
  const unconfirmedKeys: string[] = [];
  let unconfirmed: Omit<UnconfirmedPurge, 'urls' | 'keys'> | undefined;
  for (const line of lines) {
    const [kind = '', rest = ''] = splitOnce(line);
    const [hash, target] = splitOnce(rest);
    if (kind === 'u') urls.set(target, hash);
    else if (kind === 'k') keys.set(target, hash);
    else if (kind === 'ou') unconfirmedUrls.push(rest);
    else if (kind === 'ok') unconfirmedKeys.push(rest);
    else if (kind === 'owed') unconfirmed = JSON.parse(rest);
  }
  return {
    ...JSON.parse(head),
    urls,
    keys,
    ...(unconfirmed !== undefined && {
      unconfirmed: { ...unconfirmed, urls: unconfirmedUrls, keys: unconfirmedKeys },
    }),
  };
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf(' ');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
