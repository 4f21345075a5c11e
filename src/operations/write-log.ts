import { createHash, randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { stateFolder } from '../config/platform.ts';
import { GatectlError } from '../errors/index.ts';
import { ChainedLog, type LogLine, readLog } from '../files/chained-log.ts';
import type { SentWrite } from '../http/gateway.ts';
import { isRecord, type Json, type JsonRecord, jsonIn } from '../json/index.ts';
import type { Machine } from './machine.ts';

/** More targets than this are a number and a hash. */
const LISTED_TARGETS = 20;

/** Who writes, for the log. */
interface Writer {
  readonly gateway: string;
  readonly profile: string | undefined;
  /** Without secrets. */
  readonly command: string;
  readonly redact: (text: string) => string;
}

/** The folder of the log; undefined where there is none for state. */
export function writeLogFolder(machine: Pick<Machine, 'env' | 'homedir' | 'platform'>): string | undefined {
  const folder = stateFolder(machine);
  return folder === undefined ? undefined : join(folder, 'log');
}

/**
 * Logs each write before it is sent and when its outcome is known, so that a crash between leaves an unknown outcome, never nothing. Readers
 * and keys are not logged: of what a request creates there is only a hash. Resolves to what is told of a write that begins.
 */
export function writeLogger(
  folder: string,
  machine: Machine,
  writer: Writer,
): (write: SentWrite) => Promise<(error: unknown) => Promise<void>> {
  const log = new ChainedLog(folder, machine);
  const time = () => new Date(machine.now()).toISOString();
  return async ({ effect, request, body }) => {
    const id = randomUUID();
    const { gateway, profile, command, redact } = writer;
    await log.append({
      id,
      time: time(),
      event: 'intended',
      effect,
      request: `${request.method} ${redact(request.path.split('?')[0] ?? '')}`,
      // The hash of an address would confirm a guess.
      ...(request.api === 'subscriptions' ? {} : targetsOf(body, redact)),
      gateway,
      ...(profile !== undefined && { profile }),
      command,
      ...whoOf(machine),
    });
    return error =>
      log.append({
        id,
        time: time(),
        event: 'done',
        outcome: outcomeOf(error),
        ...(error !== undefined && { error: error instanceof GatectlError ? error.code : 'internal' }),
      });
  };
}

/** A request that was not answered may have been carried out, such as one that timed out. */
function outcomeOf(error: unknown): Outcome {
  if (error === undefined) return 'ok';
  return error instanceof GatectlError && ANSWERED.has(error.kind) ? 'failed' : 'unknown';
}

/** The kinds of errors by which a gateway says that it did not do what was asked, or that nothing was sent. */
const ANSWERED: ReadonlySet<string> = new Set(['api', 'auth', 'rate_limit', 'usage']);

/** The user, the machine and the job of a CI system. */
function whoOf({ pid, env }: Machine): JsonRecord {
  const job = env.GITHUB_RUN_ID ?? env.CI_JOB_ID ?? env.BUILD_ID;
  return { user: userName(), host: hostname(), pid, ...(job !== undefined && { job }) };
}

/** Undefined for a user whom the system does not know. */
function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

/** The targets of a purge, and the hash of any other body. */
function targetsOf(body: string | undefined, redact: (text: string) => string): JsonRecord {
  if (body === undefined) return {};
  const sha256 = createHash('sha256').update(body).digest('hex');
  const sent = jsonIn(body, 'the request');
  const targets = isRecord(sent) ? purged(sent) : undefined;
  if (targets === undefined) return { sha256 };
  return {
    targets: targets.length,
    ...(targets.length <= LISTED_TARGETS ? { listed: targets.map(redact) } : { sha256 }),
  };
}

function purged({ url, urls, keys, domain }: JsonRecord): readonly string[] | undefined {
  if (typeof url === 'string') return [url];
  if (Array.isArray(urls)) return urls.filter((each): each is string => typeof each === 'string');
  if (typeof keys === 'string') return keys.split(',');
  return typeof domain === 'string' ? [domain] : undefined;
}

/** `unknown`: it was not answered, or the process ended, or still runs, before it was. */
type Outcome = 'ok' | 'failed' | 'unknown';

/** A write with its outcome. */
interface LoggedWrite {
  readonly seq: number;
  readonly record: JsonRecord;
  readonly outcome: Outcome;
  readonly error: Json | undefined;
}

/** What a check of the log found. */
interface LogCheck {
  readonly entries: number;
  /** The hash of the last entry, to be kept elsewhere; undefined for an empty log. */
  readonly last: string | undefined;
  /** Lines that contradict those before them. */
  readonly faults: readonly (Pick<LogLine, 'file' | 'line'> & {
    readonly fault: NonNullable<LogLine['fault']>;
  })[];
  readonly writes: readonly LoggedWrite[];
  /** The hashes of all entries. */
  readonly hashes: ReadonlySet<string>;
}

/** An empty log. */
export const NO_WRITES: LogCheck = {
  ...{ entries: 0, last: undefined, faults: [], writes: [] },
  hashes: new Set(),
};

/** Reads and checks the log. Throws FileError. */
export async function checkWriteLog(folder: string): Promise<LogCheck> {
  const intended = new Map<Json | undefined, { seq: number; record: JsonRecord }>();
  const done = new Map<Json | undefined, JsonRecord>();
  const faults: LogCheck['faults'][number][] = [];
  const hashes = new Set<string>();
  let last: string | undefined;
  for await (const { file, line, entry, fault } of readLog(folder)) {
    if (fault !== undefined) faults.push({ file, line, fault });
    if (entry === undefined) continue;
    hashes.add(entry.hash);
    const { seq, hash, prev: _, ...record } = entry;
    last = hash;
    if (record.event === 'done') done.set(record.id, record);
    else intended.set(record.id, { seq, record });
  }
  const writes = [...intended].map(([id, { seq, record }]): LoggedWrite => {
    const end = done.get(id);
    const outcome = end?.outcome === 'ok' || end?.outcome === 'failed' ? end.outcome : 'unknown';
    return { seq, record, outcome, error: end?.error };
  });
  return { entries: hashes.size, last, faults, writes, hashes };
}
