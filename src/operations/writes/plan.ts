import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { FileError, UsageError } from '../../errors/index.ts';
import { writeAtomic } from '../../files/atomic-file.ts';
import { readText } from '../../files/text-source.ts';
import { isList, isRecord, type JsonRecord } from '../../json/index.ts';
import type { Machine } from '../machine.ts';
import { type Approval, isApproval } from './approval.ts';
import { jobOf, userName } from './write-log.ts';

const FORMAT = 'gatectl plan 1';
const MAX_APPROVALS = 100;

/** URLs, surrogate keys or the domain of which everything is purged. */
export interface PlannedPurge {
  readonly kind: 'purge';
  readonly what: 'URL' | 'key' | 'everything';
  /** The one domain of all targets, where there is one; bare for keys. */
  readonly domain: string | undefined;
  readonly targets: readonly string[];
  /** Surrogate keys to clear after the URLs. */
  readonly keys: readonly string[];
  /** What they may have of the page views, as `--max-impact` has it: `5%`. */
  readonly maxImpact: string | undefined;
}

/** A request that creates something. */
export interface PlannedRequest {
  readonly kind: 'request';
  readonly method: string;
  /** Below the base URL of the gateway. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
}

export type PlannedWrite = PlannedPurge | PlannedRequest;

/** What a plan says. Its hash is that of all of it. */
interface PlanContent {
  readonly format: typeof FORMAT;
  /** Chosen at random: two plans of the same targets are two. */
  readonly id: string;
  /** RFC 3339. */
  readonly created: string;
  readonly expires: string;
  readonly gateway: string;
  /** For people, without secrets. */
  readonly command: string;
  readonly by: {
    readonly user: string | null;
    readonly host: string;
    readonly job?: string;
    /** The public key of whoever made it, if they have one: their own approval does not count. */
    readonly key?: string;
  };
  readonly write: PlannedWrite;
}

/** A plan with the approvals that are signatures of its hash. */
export interface Plan extends PlanContent {
  readonly hash: string;
  readonly approvals: readonly Approval[];
}

/** Who plans what. */
interface PlanParts extends Pick<PlanContent, 'gateway' | 'command' | 'write'> {
  readonly validMs: number;
  readonly key: string | undefined;
}

/** A new plan. */
export function newPlan({ gateway, command, write, validMs, key }: PlanParts, machine: Machine): Plan {
  const now = machine.now();
  const job = jobOf(machine.env);
  const content: PlanContent = {
    format: FORMAT,
    id: randomBytes(12).toString('base64url'),
    created: new Date(now).toISOString(),
    expires: new Date(now + validMs).toISOString(),
    gateway,
    command,
    by: {
      ...{ user: userName(), host: hostname() },
      ...(job !== undefined && { job }),
      ...(key !== undefined && { key }),
    },
    write,
  };
  return { ...content, hash: hashOf(content), approvals: [] };
}

/** Writes a plan, one line for each target. Throws FileError. */
export async function writePlan(path: string, plan: Plan): Promise<void> {
  await writeAtomic(path, `${JSON.stringify(plan, null, 1)}\n`, { mode: 0o600 });
}

/** Reads a plan. Throws FileError for a file that is not one, and UsageError for one that was edited. */
export async function readPlan(path: string): Promise<Plan> {
  const invalid = (why: string) =>
    new FileError(`${path} is not a plan: ${why}`, { path, code: 'invalid_file' });
  let plan: unknown;
  try {
    plan = JSON.parse(await readText(path));
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid('it is not JSON');
    throw error;
  }
  if (!isRecord(plan) || plan.format !== FORMAT) throw invalid(`its format is not ${JSON.stringify(FORMAT)}`);
  const { hash, approvals, ...rest } = plan;
  if (!isContent(rest)) throw invalid('it has no request, expiry or gateway');
  const content = rest as unknown as PlanContent;
  if (hash !== hashOf(content))
    throw new UsageError(`the plan ${path} was changed after it was made`, { code: 'denied' });
  if (!isList(approvals) || approvals.length > MAX_APPROVALS)
    throw invalid(`it has no list of at most ${MAX_APPROVALS} approvals`);
  const valid = (approvals as readonly unknown[]).filter(each => isApproval(each, hash));
  return { ...content, hash, approvals: [...new Map(valid.map(each => [each.key, each])).values()] };
}

/** Whether it has what a plan says: anybody can write one. */
function isContent({ id, created, expires, gateway, command, by, write }: JsonRecord): boolean {
  if (!isRecord(by) || !isRecord(write)) return false;
  const { user, host, job, key } = by;
  return (
    areTexts([id, created, expires, gateway, command, host, user ?? '', job ?? '', key ?? '']) &&
    (write.kind === 'request' ? isRequest(write) : isPurge(write))
  );
}

function isRequest({ method, path, query, body }: JsonRecord): boolean {
  const isPair = (pair: unknown) => isList(pair) && pair.length === 2 && areTexts(pair);
  return areTexts([method, path]) && isList(query) && query.every(isPair) && isTextIfAny(body);
}

function isPurge({ kind, what, domain, targets, keys, maxImpact }: JsonRecord): boolean {
  return (
    kind === 'purge' &&
    (what === 'URL' || what === 'key' || what === 'everything') &&
    areTexts(targets) &&
    areTexts(keys) &&
    isTextIfAny(domain) &&
    isTextIfAny(maxImpact)
  );
}

function areTexts(values: unknown): boolean {
  return isList(values) && values.every(each => typeof each === 'string');
}

function isTextIfAny(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

/** Whether a plan has not expired. One from the future has a wrong clock, or a false date. */
export function isValidAt({ created, expires }: Plan, now: number): boolean {
  return Date.parse(created) <= now + CLOCK_DIFFERENCE_MS && now < Date.parse(expires);
}

/** Clocks of two machines differ by less. */
const CLOCK_DIFFERENCE_MS = 5 * 60_000;

/** Of the content as JSON, in the order that it has: a plan whose members were reordered is another one. */
function hashOf(content: PlanContent): string {
  return createHash('sha256')
    .update(`${FORMAT}\n${JSON.stringify(content)}`)
    .digest('hex');
}
