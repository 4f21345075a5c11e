import { GatectlError, InterruptedError } from '../../errors/index.ts';
import type { Sender } from '../../http/sender.ts';
import { type CheckedAccess, checkAccess } from './access.ts';
import { listPurchases } from './holdings.ts';
import { nearMiss, samePages } from './item-key.ts';
import type { Reader } from './reader.ts';
import type { AccessTarget, Site } from './requests.ts';

/** Spellings of one page that a reader has bought, which are all asked about. */
const MOST_SPELLINGS = 5;

/** A decision, and how the item it is about is spelled in the reader's purchases. */
export interface CheckedTarget extends CheckedAccess {
  /** The key of the item that the decision is about, where it is not the typed one: both name the same page. */
  readonly boughtAs?: string;
  /** The item that the reader has bought and that is most similar to a typed one without access. */
  readonly nearest?: string;
  /** Why the purchases could not be compared with a denied item. */
  readonly notCompared?: string;
}

/**
 * Checks access to a product or an item. An item that is denied as typed is compared with the reader's purchases: one that names the
 * same page is asked about by the key it was bought as. The decision is always one of the API.
 */
export async function checkTarget(
  sender: Sender,
  site: Site,
  reader: Reader,
  target: AccessTarget,
): Promise<CheckedTarget> {
  const typed = await checkAccess(sender, site, reader, target);
  if (!('item' in target) || typed.decision !== 'denied') return typed;
  try {
    const purchases = await listPurchases(sender, site, reader);
    const held = purchases.flatMap(({ item }) => (typeof item === 'string' ? [item] : []));
    let found: CheckedTarget | undefined;
    for (const item of samePages(target.item, held).slice(0, MOST_SPELLINGS)) {
      const checked = { ...(await checkAccess(sender, site, reader, { item })), boughtAs: item };
      if (checked.allowed) return checked;
      found ??= checked;
    }
    const nearest = nearMiss(target.item, held);
    return found ?? { ...typed, ...(nearest !== undefined && { nearest }) };
  } catch (error) {
    // The decision on the typed item stands.
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return { ...typed, notCompared: error.message };
  }
}
