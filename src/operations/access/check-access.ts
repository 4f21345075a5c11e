import { type CheckedAccess, fetchDecision } from '../../apis/subscriptions/access.ts';
import { listHandles, listPurchases, nearestHandle } from '../../apis/subscriptions/holdings.ts';
import { nearMiss, otherSpellings, samePages } from '../../apis/subscriptions/item-key.ts';
import { meaningOf } from '../../apis/subscriptions/meanings.ts';
import type { Reader } from '../../apis/subscriptions/reader.ts';
import type { AccessTarget, Site } from '../../apis/subscriptions/requests.ts';
import { GatectlError, InterruptedError } from '../../errors/index.ts';
import { isLongPause } from '../../http/retry.ts';
import type { Sender } from '../../http/sender.ts';
import type { JsonRecord } from '../../json/index.ts';

/** Spellings of one page that a reader has bought, which are all asked about. */
const MOST_SPELLINGS = 5;

/** A decision, and how the item it is about is spelled in the reader's purchases. */
export interface CheckedTarget extends CheckedAccess {
  /** The key of the item that the decision is about, where it is not the typed one: they differ in tracking alone. */
  readonly boughtAs?: string;
  /** The decision on another spelling of a denied page, which the reader has bought: it is none on the typed key. */
  readonly other?: { readonly item: string; readonly access: CheckedAccess };
  /** The item that the reader has bought and that is most similar to a typed one without access. */
  readonly nearest?: string;
  /** Why the purchases could not be compared with a denied item. */
  readonly notCompared?: string;
}

/**
 * Checks access to a product or an item. An item that is denied as typed is compared with the reader's purchases: one that differs in
 * tracking alone is asked about instead, and another spelling besides. The decision is always one of the API.
 */
export async function checkAccess(
  sender: Sender,
  site: Site,
  reader: Reader,
  target: AccessTarget,
): Promise<CheckedTarget> {
  const typed = await fetchDecision(sender, site, reader, target);
  if (!('item' in target) || typed.decision !== 'denied') return typed;
  try {
    const purchases = await listPurchases(sender, site, reader);
    const held = purchases.flatMap(({ item }) => (typeof item === 'string' ? [item] : []));
    const first = async (items: readonly string[]) => {
      let found: CheckedTarget['other'];
      for (const item of items.slice(0, MOST_SPELLINGS)) {
        const access = await fetchDecision(sender, site, reader, { item });
        if (access.allowed) return { item, access };
        found ??= { item, access };
      }
      return found;
    };
    const same = await first(samePages(target.item, held));
    if (same !== undefined) return { ...same.access, boughtAs: same.item };
    const other = await first(otherSpellings(target.item, held));
    if (other !== undefined) return { ...typed, nearest: other.item, other };
    const nearest = nearMiss(target.item, held);
    return { ...typed, ...(nearest !== undefined && { nearest }) };
  } catch (error) {
    // The decision on the typed item stands.
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return { ...typed, notCompared: error.message };
  }
}

/** A target and the decision on it. */
export type TargetDecision = readonly [AccessTarget, CheckedTarget];

/** Checks access to several targets, one after the other. */
export async function checkTargets(
  sender: Sender,
  site: Site,
  reader: Reader,
  targets: readonly AccessTarget[],
): Promise<readonly TargetDecision[]> {
  const decisions: TargetDecision[] = [];
  for (const target of targets) decisions.push([target, await checkAccess(sender, site, reader, target)]);
  return decisions;
}

/** Decisions as data, a record each; with the product where there are several. */
export function decisionRecords(decisions: readonly TargetDecision[]): readonly JsonRecord[] {
  return decisions.map(([target, { decision, reasonCode, data, allowed, boughtAs, nearest }]) => ({
    ...(decisions.length > 1 && target),
    ...data,
    allowed,
    meaning: meaningOf(decision, reasonCode, 'item' in target),
    ...(boughtAs !== undefined && { boughtAs }),
    ...(nearest !== undefined && { nearest }),
  }));
}

/** Whether a check failed for a reason that applies to all readers. */
export function failsEveryReader(error: GatectlError): boolean {
  const { kind } = error;
  return (
    kind === 'auth' || kind === 'interrupted' || kind === 'usage' || kind === 'file' || isLongPause(error)
  );
}

/** Whether the same check may succeed later: the gateway or the network failed, or the API refused this one request. */
export function isTransient(error: unknown): error is GatectlError {
  return error instanceof GatectlError && !failsEveryReader(error) && error.kind !== 'api';
}

/** A handle that a reader holds, or has bought, and that is similar to an unknown one. */
interface SimilarHandle {
  readonly similar: string;
  readonly isHeld: boolean;
}

/**
 * Finds handles similar to unknown ones among those that the reader holds or has bought; the API lists no others. It is optional: none
 * if they cannot be listed.
 */
export async function similarHandles(
  sender: Sender,
  site: Site,
  reader: Reader,
  unknown: readonly string[],
): Promise<readonly SimilarHandle[]> {
  try {
    const { held, bought } = await listHandles(sender, site, reader);
    return unknown.flatMap(handle => {
      const similar = nearestHandle(handle, [...held, ...bought]);
      return similar === undefined ? [] : [{ similar, isHeld: held.includes(similar) }];
    });
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return [];
  }
}
