import type { Asked, Site } from '../../families/subscriptions/requests.ts';

/** What was asked, for people: it stands above the answer, so that a ticket needs no more. */
export function questionOf(asked: Asked, { domain }: Pick<Site, 'domain'>): string {
  return `Access to ${'product' in asked ? asked.product : `the item ${asked.item}`} at ${domain}`;
}
