import { createHash } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { FULL_ADDRESS } from '../../apis/subscriptions/mask-addresses.ts';
import { writeEndpoint } from '../../apis/write-endpoints.ts';
import { stateFolder } from '../../config/platform.ts';
import { GatectlError, UsageError } from '../../errors/index.ts';
import { ChainedLog, type LogLine, readLog } from '../../files/chained-log.ts';
import type { SentWrite } from '../../http/gateway.ts';
import type { Json, JsonRecord } from '../../json/index.ts';
import type { Machine } from '../machine.ts';
import type { PurgeFacts } from '../purge/purge-counts.ts';
import type { WriteFacts } from './write-facts.ts';

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
 * The log of the writes of one command. Each is logged before it is sent and when its outcome is known, so that a crash between leaves an
 * unknown outcome, never nothing. Readers and keys are not logged: of what a request creates there is only a hash. Throws FileError and
 * LockedError.
 */
export class WriteLog {
  readonly #folder: string;
  readonly #log: ChainedLog;
  readonly #machine: Machine;
  readonly #writer: Writer;
  #hasBegun = false;

  constructor(folder: string, machine: Machine, writer: Writer) {
    this.#folder = folder;
    this.#log = new ChainedLog(folder, machine);
    this.#machine = machine;
    this.#writer = writer;
  }

  /** `plan` is the hash of the plan that is applied. */
  async intended(
    id: string,
    { request, sent, effect }: SentWrite,
    facts: WriteFacts,
    plan: string | undefined,
  ): Promise<void> {
    const redact = (text: string) => withoutAddresses(this.#writer.redact(text));
    // Killing the process loses nothing that was written; a power failure would, but for these.
    const isDurable = effect === 'irreversible' || !this.#hasBegun;
    this.#hasBegun = true;
    const entry = {
      id,
      event: 'intended',
      effect,
      request: `${request.method} ${redact(request.path.split('?')[0] ?? '')}`,
      ...targetsOf(sent, facts, redact),
      ...(plan !== undefined && { plan }),
      ...this.#who(),
    };
    await this.#append(entry, isDurable);
  }

  /** `error` is that of the request, undefined for one that succeeded. */
  async done(id: string, error: unknown): Promise<void> {
    const code = error instanceof GatectlError ? error.code : 'internal';
    const outcome = outcomeOf(error);
    // A power failure leaves the outcome unknown, which is what it then is.
    await this.#append({ id, event: 'done', outcome, ...(error !== undefined && { error: code }) }, false);
  }

  /** The end of a purge, with its id in `cdn history`. */
  async purged(id: string, facts: PurgeFacts): Promise<void> {
    await this.#append({ id, event: 'purge', ...facts, ...this.#who() });
  }

  /** The end of a plan that was applied as a whole. */
  async applied(plan: string): Promise<void> {
    await this.#append({ event: 'applied', plan, ...this.#who() });
  }

  /** Resolves when other processes can write the log. */
  async close(): Promise<void> {
    await this.#log.close();
  }

  /** The targets of the writes of some commands since a time. Throws UsageError for a log that is not what was written. */
  async targetsSince(
    since: number,
    gateway: string,
    { command, effect }: { readonly command?: readonly string[]; readonly effect?: readonly string[] },
  ): Promise<number> {
    const { writes } = assertUnchanged(await readWriteLog(this.#folder));
    let count = 0;
    for (const { record } of writes) {
      if (record.gateway !== gateway || Date.parse(String(record.time)) < since) continue;
      const [method = '', path = ''] = String(record.request).split(' ');
      const known = writeEndpoint(method, path);
      const isOther =
        known !== undefined &&
        ((command !== undefined && !command.includes(known.command)) ||
          (effect !== undefined && !effect.includes(known.effect)));
      if (!isOther) count += typeof record.targets === 'number' ? record.targets : 1;
    }
    return count;
  }

  async #append(entry: JsonRecord, isDurable = true): Promise<void> {
    const time = new Date(this.#machine.now()).toISOString();
    await this.#log.append({ time, ...entry }, { isDurable });
  }

  /** The gateway and the command, and the user, the machine and the job of a CI system. */
  #who(): JsonRecord {
    const { gateway, profile } = this.#writer;
    const command = withoutAddresses(this.#writer.command);
    const { pid, env } = this.#machine;
    const job = jobOf(env);
    return {
      ...{
        gateway,
        ...(profile !== undefined && { profile }),
        command,
        user: userName(),
        host: hostname(),
        pid,
      },
      ...(job !== undefined && { job }),
    };
  }
}

/** Readers are not logged, whatever names them. */
function withoutAddresses(text: string): string {
  return text.replaceAll(FULL_ADDRESS, '***');
}

/** Throws UsageError for a log with faults: nothing is concluded from it. */
export function assertUnchanged(log: CheckedLog): CheckedLog {
  if (log.faults.length === 0) return log;
  throw new UsageError('the log of writes was changed, and nothing was sent', { code: 'denied' });
}

/** The job of a CI system. */
export function jobOf(env: Machine['env']): string | undefined {
  return env.GITHUB_RUN_ID ?? env.CI_JOB_ID ?? env.BUILD_ID;
}

/** Null for a user whom the system does not know. */
export function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

/** A request that was not answered may have been carried out, such as one that timed out. */
function outcomeOf(error: unknown): Outcome {
  if (error === undefined) return 'ok';
  return error instanceof GatectlError && ANSWERED.has(error.kind) ? 'failed' : 'unknown';
}

/** The kinds of errors by which a gateway says that it did not do what was asked, or that nothing was sent. */
const ANSWERED: ReadonlySet<string> = new Set(['api', 'auth', 'rate_limit', 'usage']);

/** The targets of a purge, and the hash of any other body, but for readers: the hash of an address would confirm a guess. */
function targetsOf(
  { api, body }: SentWrite['sent'],
  { targets }: WriteFacts,
  redact: (text: string) => string,
): JsonRecord {
  const sha256 = () => ({
    sha256: createHash('sha256')
      .update(body ?? '')
      .digest('hex'),
  });
  if (targets.length > 0)
    return {
      targets: targets.length,
      ...(targets.length <= LISTED_TARGETS ? { listed: targets.map(redact) } : sha256()),
    };
  return api === 'subscriptions' || body === undefined ? {} : sha256();
}

/** `unknown`: it was not answered, or the process ended, or still runs, before it was. */
type Outcome = 'ok' | 'failed' | 'unknown';

/** A write with its outcome. */
export interface LoggedWrite {
  readonly seq: number;
  readonly record: JsonRecord;
  readonly outcome: Outcome;
  readonly error: Json | undefined;
}

/** A log, and what a check of it found. */
interface CheckedLog {
  readonly entries: number;
  /** The hash of the last entry, to be kept elsewhere; undefined for an empty log. */
  readonly last: string | undefined;
  /** Lines that contradict those before them. */
  readonly faults: readonly (Pick<LogLine, 'file' | 'line'> & {
    readonly fault: NonNullable<LogLine['fault']>;
  })[];
  readonly writes: readonly LoggedWrite[];
  /** The ends of purges, the latest first. */
  readonly purges: readonly JsonRecord[];
  /** The hashes of the plans that were applied as a whole. */
  readonly applied: ReadonlySet<Json | undefined>;
  /** The hashes of all entries. */
  readonly hashes: ReadonlySet<string>;
}

/** Reads and checks the log; without a folder it is empty. Throws FileError. */
export async function readWriteLog(folder: string | undefined): Promise<CheckedLog> {
  const intended = new Map<Json | undefined, { seq: number; record: JsonRecord }>();
  const done = new Map<Json | undefined, JsonRecord>();
  const purges: JsonRecord[] = [];
  const applied = new Set<Json | undefined>();
  const faults: CheckedLog['faults'][number][] = [];
  const hashes = new Set<string>();
  let last: string | undefined;
  for await (const { file, line, entry, fault } of folder === undefined ? [] : readLog(folder)) {
    if (fault !== undefined) faults.push({ file, line, fault });
    if (entry === undefined) continue;
    hashes.add(entry.hash);
    const { seq, hash, prev: _, ...record } = entry;
    last = hash;
    if (record.event === 'done') done.set(record.id, record);
    else if (record.event === 'purge') purges.push(record);
    else if (record.event === 'applied') applied.add(record.plan);
    else intended.set(record.id, { seq, record });
  }
  const writes = [...intended].map(([id, { seq, record }]): LoggedWrite => {
    const end = done.get(id);
    const outcome = end?.outcome === 'ok' || end?.outcome === 'failed' ? end.outcome : 'unknown';
    return { seq, record, outcome, error: end?.error };
  });
  return { entries: hashes.size, last, faults, writes, purges: purges.reverse(), applied, hashes };
}
