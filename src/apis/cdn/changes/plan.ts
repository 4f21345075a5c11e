import type { ConfirmedState, UnconfirmedPurge } from './confirmed-state.ts';
import { isRedirect, type Snapshot } from './snapshot.ts';

/** URLs and surrogate keys. */
export interface Targets {
  readonly urls: readonly string[];
  readonly keys: readonly string[];
}

/** What the repository shows about the time between the confirmed commit and this one. */
export interface GitHistory {
  /** Whether the confirmed commit is an ancestor of this one, a descendant, or neither. */
  readonly relation: 'same' | 'forward' | 'rollback' | 'diverged';
  /** What every commit in between changed, including changes that a later one reverted. */
  readonly touched: Targets;
}

/** What is known about the purges since the confirmed one. */
export interface Evidence {
  /** Identifies this machine. */
  readonly machine: string;
  /** The number of this deploy, where it has one: they count up by one. */
  readonly deploy: number | undefined;
  /** Undefined for a folder, and where the number of the deploy makes it unnecessary. */
  readonly history: GitHistory | undefined;
  /** Whether the history is needed, but the confirmed commit is not in the repository any more. */
  readonly isLost?: boolean;
}

/**
 * `changes`: what differs from the confirmed state. `widened`: more than that, because states in between may have been cached.
 * `known`: everything that is known, because deploys are missing. `everything`: the domain.
 */
type PlanScope = 'changes' | 'widened' | 'known' | 'everything';

/** What to purge, and why it is more than what changed. */
export interface PurgePlan extends Targets {
  readonly scope: PlanScope;
  /** Sentences without a full stop. */
  readonly reasons: readonly string[];
  readonly changed: number;
  readonly added: number;
  readonly removed: number;
  /** Of the removed URLs, those whose content is now at an added one. */
  readonly renamed: number;
}

/**
 * Plans a purge that leaves no page of an earlier state in the cache. `mayPurgeAll` permits to purge the domain where the states in
 * between are not known; without it, all known URLs are purged. Returns undefined where nothing was confirmed yet and the domain
 * may not be purged.
 */
export function planPurge(
  confirmed: ConfirmedState | undefined,
  now: Snapshot,
  evidence: Evidence,
  mayPurgeAll: boolean,
): PurgePlan | undefined {
  if (confirmed === undefined) return mayPurgeAll ? everything(['no purge is confirmed yet']) : undefined;
  const { unconfirmed } = confirmed;
  if (unconfirmed?.everything)
    return mayPurgeAll
      ? everything([notConfirmed(unconfirmed)])
      : known(confirmed, now, [notConfirmed(unconfirmed)]);
  const gap = gapBefore(confirmed, evidence);
  if (gap !== undefined)
    return mayPurgeAll ? everything([gap]) : known(confirmed, now, [gap], evidence.history);

  const difference = differenceOf(confirmed, now);
  const urls = new Set(difference.urls);
  const keys = new Set(difference.keys);
  const before = urls.size + keys.size;
  const reasons: string[] = [];
  if (unconfirmed !== undefined) {
    for (const url of unconfirmed.urls) urls.add(url);
    for (const key of unconfirmed.keys) keys.add(key);
    reasons.push(notConfirmed(unconfirmed));
  }
  const { history } = evidence;
  if (history !== undefined) {
    const size = urls.size + keys.size;
    for (const url of history.touched.urls) urls.add(url);
    for (const key of history.touched.keys) keys.add(key);
    if (urls.size + keys.size > size) reasons.push(historyReason(history));
  }
  const isWider = urls.size + keys.size > before;
  return {
    ...difference,
    urls: [...urls],
    keys: [...keys],
    scope: isWider ? 'widened' : 'changes',
    reasons,
  };
}

/** The targets of a plan that another one lacks. */
export function targetsBeyond(plan: Targets, included: Targets): Targets {
  const [urls, keys] = [new Set(included.urls), new Set(included.keys)];
  return { urls: plan.urls.filter(url => !urls.has(url)), keys: plan.keys.filter(key => !keys.has(key)) };
}

/** Whether the deploys since the confirmed purge are all accounted for by their numbers. */
export function isNumbered(confirmed: ConfirmedState, deploy: number | undefined): boolean {
  if (deploy === undefined || confirmed.deploy === undefined) return false;
  return deploy <= lastDeploy(confirmed) + 1;
}

function lastDeploy({ deploy, unconfirmed }: ConfirmedState): number {
  return Math.max(deploy ?? 0, unconfirmed?.deploy ?? 0);
}

/** Why states that are not known may have been cached; undefined where none may. */
function gapBefore(confirmed: ConfirmedState, { machine, deploy, isLost }: Evidence): string | undefined {
  if (isNumbered(confirmed, deploy)) return undefined;
  if (isLost) return `the confirmed commit ${confirmed.commit?.slice(0, 12)} is not in this repository`;
  if (deploy !== undefined && confirmed.deploy !== undefined) {
    const [first, last] = [lastDeploy(confirmed) + 1, deploy - 1];
    const missing = first === last ? `deploy ${first} was` : `deploys ${first} to ${last} were`;
    return `${missing} not confirmed here`;
  }
  if (machine === confirmed.machine) return undefined;
  return `the purge of ${confirmed.at} was confirmed on another machine`;
}

function differenceOf(confirmed: ConfirmedState, now: Snapshot): Omit<PurgePlan, 'scope' | 'reasons'> {
  const urls = new Set<string>();
  let changed = 0;
  let added = 0;
  const removedHashes: string[] = [];
  const addedHashes = new Map<string, number>();
  for (const [url, hash] of now.urls) {
    const before = confirmed.urls.get(url);
    if (before === hash) continue;
    if (before === undefined) {
      added += 1;
      addedHashes.set(hash, (addedHashes.get(hash) ?? 0) + 1);
    } else changed += 1;
    urls.add(url);
    // Where a page has moved, readers are sent to a page that may have been requested too early.
    const target = isRedirect(before) ? undefined : now.redirects.get(url);
    if (target !== undefined) urls.add(target);
  }
  for (const [url, hash] of confirmed.urls) {
    if (now.urls.has(url)) continue;
    removedHashes.push(hash);
    urls.add(url);
  }
  let renamed = 0;
  for (const hash of removedHashes) {
    const left = addedHashes.get(hash) ?? 0;
    if (left === 0) continue;
    addedHashes.set(hash, left - 1);
    renamed += 1;
  }
  const keys = [...now.keys].filter(([key, hash]) => confirmed.keys.get(key) !== hash).map(([key]) => key);
  for (const key of confirmed.keys.keys()) if (!now.keys.has(key)) keys.push(key);
  return { urls: [...urls], keys, changed, added, removed: removedHashes.length, renamed };
}

function known(
  confirmed: ConfirmedState,
  now: Snapshot,
  reasons: readonly string[],
  history?: GitHistory,
): PurgePlan {
  const { unconfirmed } = confirmed;
  const all = (...lists: Iterable<string>[]) => [...new Set(lists.flatMap(list => [...list]))];
  return {
    ...differenceOf(confirmed, now),
    urls: all(now.urls.keys(), confirmed.urls.keys(), unconfirmed?.urls ?? [], history?.touched.urls ?? []),
    keys: all(now.keys.keys(), confirmed.keys.keys(), unconfirmed?.keys ?? [], history?.touched.keys ?? []),
    scope: 'known',
    reasons,
  };
}

function everything(reasons: readonly string[]): PurgePlan {
  return { urls: [], keys: [], scope: 'everything', reasons, changed: 0, added: 0, removed: 0, renamed: 0 };
}

function notConfirmed({ at, range }: UnconfirmedPurge): string {
  if (range !== undefined) return `the purge of ${at} was of ${range} only`;
  return `the purge of ${at} was not confirmed`;
}

function historyReason({ relation }: GitHistory): string {
  switch (relation) {
    case 'rollback':
      return 'this commit is older than the confirmed one, and commits in between may have been deployed';
    case 'diverged':
      return 'the confirmed commit is not in the history of this one, and commits of both may have been deployed';
    default:
      return 'commits between the confirmed one and this one may have been deployed';
  }
}
