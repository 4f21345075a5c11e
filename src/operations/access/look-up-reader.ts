import { type CheckedAccess, fetchDecision } from '../../apis/subscriptions/access.ts';
import { listHandles, nearestHandle, type PurchaseEntry } from '../../apis/subscriptions/holdings.ts';
import type { Reader } from '../../apis/subscriptions/reader.ts';
import type { Site } from '../../apis/subscriptions/requests.ts';
import type { Sender } from '../../http/sender.ts';
import type { JsonRecord } from '../../json/index.ts';

export interface ProductDecision {
  readonly product: string;
  /** A similar handle that the reader holds or has bought, for a handle that the site does not know. */
  readonly nearest: string | undefined;
  readonly access: CheckedAccess;
}

/** The products, purchases and access decisions of one reader on one site. */
export interface SupportView {
  readonly products: readonly string[];
  readonly purchases: readonly PurchaseEntry[];
  /** One per requested, held or bought product. */
  readonly decisions: readonly ProductDecision[];
}

/** Fetches products and purchases, then checks access to each product, `requested` first. */
export async function lookUpReader(
  sender: Sender,
  site: Site,
  reader: Reader,
  requested: readonly string[],
): Promise<SupportView> {
  const { held: products, purchases, bought } = await listHandles(sender, site, reader);
  const known = [...products, ...bought];
  const decisions: ProductDecision[] = [];
  for (const product of new Set([...requested, ...known])) {
    const access = await fetchDecision(sender, site, reader, { product });
    decisions.push(withNearest(access, product, known));
  }
  return { products, purchases, decisions };
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
  return decisions.map(({ product, nearest, access: { data, allowed, meaning, next } }) => ({
    product,
    ...data,
    allowed,
    meaning,
    next,
    ...(withNearest && { nearest: nearest ?? null }),
  }));
}

/** Adds a similar handle to the decision on an unknown product. */
function withNearest(access: CheckedAccess, product: string, known: readonly string[]): ProductDecision {
  const others = known.filter(handle => handle !== product);
  const similar = access.decision === 'unknown_product' ? nearestHandle(product, others) : undefined;
  if (similar === undefined) return { product, access, nearest: undefined };
  return {
    product,
    nearest: similar,
    access: { ...access, next: `did you mean ${similar}? ${access.next}` },
  };
}
