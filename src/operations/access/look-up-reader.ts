import { type CheckedAccess, fetchDecision } from '../../apis/subscriptions/access.ts';
import { listHandles, nearestHandle, type PurchaseEntry } from '../../apis/subscriptions/holdings.ts';
import type { Reader } from '../../apis/subscriptions/reader.ts';
import type { Site } from '../../apis/subscriptions/requests.ts';
import type { Sender } from '../../http/sender.ts';
import type { JsonRecord } from '../../json/index.ts';
import { type CheckedTarget, checkAccess } from './check-access.ts';

export interface ProductDecision {
  /** The handle, or the key of an item. */
  readonly product: string;
  readonly isItem: boolean;
  /** A similar handle that the reader holds or has bought, for a handle that the site does not know. */
  readonly nearest: string | undefined;
  readonly access: CheckedTarget;
}

/** The products, purchases and access decisions of one reader on one site. */
export interface SupportView {
  readonly products: readonly string[];
  readonly purchases: readonly PurchaseEntry[];
  /** One per requested, held or bought product, and per requested item. */
  readonly decisions: readonly ProductDecision[];
  /** Whether the site knows the reader; only a decision tells. */
  readonly isKnown: boolean;
}

/** What to ask about besides what the reader has. */
export interface RequestedAccess {
  readonly products: readonly string[];
  readonly items?: readonly string[];
}

/**
 * Fetches products and purchases, then checks access to each product, requested ones first. A reader who has none is asked about the site's
 * front page, because only a decision tells unknown readers from others.
 */
export async function lookUpReader(
  sender: Sender,
  site: Site,
  reader: Reader,
  { products: requested, items = [] }: RequestedAccess,
): Promise<SupportView> {
  const { held: products, purchases, bought } = await listHandles(sender, site, reader);
  const known = [...products, ...bought];
  const decisions: ProductDecision[] = [];
  for (const item of items) {
    const access = await checkAccess(sender, site, reader, { item });
    decisions.push({ product: item, isItem: true, nearest: access.nearest, access });
  }
  for (const product of new Set([...requested, ...known])) {
    const access = await fetchDecision(sender, site, reader, { product });
    decisions.push(withNearest(access, product, known));
  }
  const first =
    decisions[0]?.access ??
    (purchases.length === 0
      ? await fetchDecision(sender, site, reader, { item: `https://${site.domain}/` })
      : undefined);
  return { products, purchases, decisions, isKnown: first?.decision !== 'login_required' };
}

/** What is known of a reader as data; `reader` is how output names the reader. */
export function supportRecord(
  view: SupportView,
  { reader, domain }: { readonly reader: string; readonly domain: string },
) {
  const { products, purchases } = view;
  return { reader, domain, products, purchases, decisions: productRecords(view) };
}

/** The decisions as data, a record each. */
export function productRecords({ decisions }: SupportView, withNearest = false): readonly JsonRecord[] {
  return decisions.map(
    ({ product, isItem, nearest, access: { data, allowed, meaning, next, boughtAs } }) => ({
      ...(isItem ? { item: product } : { product }),
      ...data,
      allowed,
      meaning,
      next,
      ...(boughtAs !== undefined && { boughtAs }),
      ...(withNearest && { nearest: nearest ?? null }),
    }),
  );
}

/** Adds a similar handle to the decision on an unknown product. */
function withNearest(access: CheckedAccess, product: string, known: readonly string[]): ProductDecision {
  const others = known.filter(handle => handle !== product);
  const similar = access.decision === 'unknown_product' ? nearestHandle(product, others) : undefined;
  if (similar === undefined) return { product, isItem: false, access, nearest: undefined };
  return {
    product,
    isItem: false,
    nearest: similar,
    access: { ...access, next: `did you mean ${similar}? ${access.next}` },
  };
}
