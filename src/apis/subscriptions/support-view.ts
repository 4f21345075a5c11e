import type { Sender } from '../../http/sender.ts';
import { type CheckedAccess, checkAccess } from './access.ts';
import { listProducts, listPurchases, nearestHandle, type PurchaseEntry } from './holdings.ts';
import type { Reader } from './reader.ts';
import type { Site } from './requests.ts';

export interface ProductDecision {
  readonly product: string;
  readonly access: CheckedAccess;
}

/** Everything a support agent needs to know about one reader at one site. */
export interface SupportView {
  readonly products: readonly string[];
  readonly purchases: readonly PurchaseEntry[];
  /** One for each product that was asked for, is held, or was bought. */
  readonly decisions: readonly ProductDecision[];
}

/** Asks for products and purchases, then for a decision on each product concerned: `asked` first. */
export async function lookUpReader(
  sender: Sender,
  site: Site,
  reader: Reader,
  asked: readonly string[],
): Promise<SupportView> {
  const [products, purchases] = await Promise.all([
    listProducts(sender, site, reader),
    listPurchases(sender, site, reader),
  ]);
  const bought = purchases.map(purchase => purchase.productKey);
  const handles = [...asked, ...products, ...bought].filter(handle => typeof handle === 'string');
  const decisions: ProductDecision[] = [];
  for (const product of new Set(handles)) {
    const access = await checkAccess(sender, site, reader, { product });
    decisions.push({ product, access: withNearest(access, product, products) });
  }
  return { products, purchases, decisions };
}

/** An unknown product with the handle that was probably meant. */
function withNearest(access: CheckedAccess, product: string, held: readonly string[]): CheckedAccess {
  const meant = access.decision === 'unknown_product' ? nearestHandle(product, held) : undefined;
  return meant === undefined ? access : { ...access, next: `did you mean ${meant}? ${access.next}` };
}
