import { cleanUrl } from '../clean-url.ts';
import type { EventMap } from './fan-out.ts';

/** The site or the first template of a map that can lead to no URL on a domain. */
export function templateElsewhere({ site, always, rules }: EventMap, domain: string): string | undefined {
  const templates = [...always, ...rules.flatMap(({ urls, listings }) => [...urls, ...listings])];
  const hasHost = (template: string) => /^https?:\/\/[^/?#{]+(?:[/?#]|$)/i.test(template);
  return [site, ...templates.filter(hasHost)].find(
    template => 'problem' in cleanUrl(template.replace(/\{[^{}]*\}/g, 'x'), domain),
  );
}
