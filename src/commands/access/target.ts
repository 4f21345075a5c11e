import type { AccessTarget, Site } from '../../apis/subscriptions/requests.ts';

/** What was asked, for people: it stands above the answer, so that a ticket needs no more. */
export function questionOf(asked: AccessTarget, { domain }: Pick<Site, 'domain'>): string {
  return `Access to ${'product' in asked ? asked.product : `the item ${asked.item}`} at ${domain}`;
}
