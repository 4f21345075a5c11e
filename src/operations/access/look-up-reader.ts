import { type CheckedAccess, fetchDecision } from '../../apis/subscriptions/access.ts';
import { continuation, wholePages } from '../../apis/subscriptions/cut-links.ts';
import { listHandles, nearestHandle, type PurchaseEntry } from '../../apis/subscriptions/holdings.ts';
import type { Reader } from '../../apis/subscriptions/reader.ts';
import type { Site } from '../../apis/subscriptions/requests.ts';
import type { Sender } from '../../http/sender.ts';
import { type CheckedTarget, checkAccess } from './check-access.ts';

/** When access ended or will end, as far as the purchases prove it. Times are milliseconds since the epoch. */
export type Term =
  | { readonly kind: 'ended'; readonly at: number }
  | { readonly kind: 'until'; readonly at: number }
  | { readonly kind: 'unlimited' };

export interface ProductDecision {
  /** The handle, or the key of an item. */
  readonly product: string;
  readonly isItem: boolean;
  /** A similar handle that the reader holds or has bought, for a handle that the site does not know. */
  readonly nearest: string | undefined;
  readonly access: CheckedTarget;
  /** Whether the reader has bought the product, which the site no longer offers. */
  readonly isRemoved?: boolean;
  /** When the access ended or will end, where the purchases prove it. */
  readonly term?: Term;
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
  /** Products and items that were named as such; other items are pages that a paste links to. None are where it is undefined. */
  readonly named?: readonly string[];
  /** Of links that may be cut at the end of a line: the same link with the next word. */
  readonly wrapped?: ReadonlyMap<string, string>;
}

/**
 * Fetches products and purchases, then checks access to each product, requested ones first. A reader who has none is asked about the site's
 * front page, because only a decision tells unknown readers from others.
 */
export async function lookUpReader(
  sender: Sender,
  site: Site,
  reader: Reader,
  { products: requested, items = [], named = items, wrapped }: RequestedAccess,
): Promise<SupportView> {
  const { held: products, purchases, bought } = await listHandles(sender, site, reader);
  const known = [...products, ...bought];
  const decisions: ProductDecision[] = [];
  for (const item of items) {
    const typed = await checkAccess(sender, site, reader, { item });
    const isTold = typed.decision !== 'denied' || typed.boughtAs !== undefined || typed.other !== undefined;
    const access =
      isTold || named.includes(item)
        ? typed
        : await asMeant(typed, { item, joined: wrapped?.get(item) }, purchases, key =>
            fetchDecision(sender, site, reader, { item: key }),
          );
    decisions.push({ product: item, isItem: true, nearest: access.nearest, access });
  }
  for (const product of new Set([...requested, ...known])) {
    const access = await fetchDecision(sender, site, reader, { product });
    decisions.push(
      access.decision === 'unknown_product' && bought.includes(product)
        ? { product, isItem: false, nearest: undefined, access, isRemoved: true }
        : withNearest(access, product, known),
    );
  }
  const first =
    decisions[0]?.access ??
    (purchases.length === 0
      ? await fetchDecision(sender, site, reader, { item: `https://${site.domain}/` })
      : undefined);
  return { products, purchases, decisions, isKnown: first?.decision !== 'login_required' };
}

/**
 * The decision on a page that a paste links to, which may be cut, or differ a little from one that was bought: the reader most likely
 * means that one.
 */
async function asMeant(
  typed: CheckedTarget,
  { item, joined }: { readonly item: string; readonly joined: string | undefined },
  purchases: readonly PurchaseEntry[],
  decide: (item: string) => Promise<CheckedAccess>,
): Promise<CheckedTarget> {
  const held = purchases.flatMap(({ item: key }) => (typeof key === 'string' ? [key] : []));
  const [whole] = joined === undefined ? [] : wholePages(joined, held);
  if (whole !== undefined) return { ...(await decide(whole)), boughtAs: whole };
  const nearest = typed.nearest ?? (joined === undefined ? undefined : continuation(item, held));
  if (nearest === undefined) return typed;
  return { ...typed, nearest, other: { item: nearest, access: await decide(nearest) } };
}

/** Adds a similar handle to the decision on an unknown product. */
function withNearest(access: CheckedAccess, product: string, known: readonly string[]): ProductDecision {
  const others = known.filter(handle => handle !== product);
  const similar = access.decision === 'unknown_product' ? nearestHandle(product, others) : undefined;
  return { product, isItem: false, access, nearest: similar };
}
