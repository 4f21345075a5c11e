import type { AccessTarget, Site } from '../../apis/subscriptions/requests.ts';

/** The heading of the output, so that a ticket needs nothing else. */
export function headingOf(target: AccessTarget, { domain }: Pick<Site, 'domain'>): string {
  return `Access to ${'product' in target ? target.product : `the item ${target.item}`} at ${domain}`;
}
