import type { Context } from '../framework/context.ts';

/** More different texts than this nobody reads. */
const MOST_SHOWN = 5;

/** Warns of error texts that come with successful responses, of each text once. */
export function remarkWarnings({ log }: Context): (text: string) => void {
  const seen = new Set<string>();
  return text => {
    if (seen.has(text) || seen.size === MOST_SHOWN) return;
    seen.add(text);
    log.warn(`the API reported success, but also an error: ${text}`);
  };
}
