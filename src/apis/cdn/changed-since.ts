/** The day or time since which pages of a sitemap count as changed. */
export type Since =
  /** A day, in the time zone of the sitemap. */
  | { readonly kind: 'day'; readonly day: string }
  /** A time, in milliseconds since the epoch. */
  | { readonly kind: 'time'; readonly at: number };

/** `2026`, `2026-03`, `2026-03-14` or `2026-03-14T12:00:00+01:00`. */
const W3C_DATE = /^\d{4}(?:-\d{2}(?:-\d{2}(T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?)?)?$/;

/** A date without a time may be of any time zone: in the westernmost one, the day ends this much after it does in UTC. */
const LATEST_ZONE_MS = 14 * 60 * 60 * 1000;

/**
 * Whether a page changed, by the date of its sitemap: undefined where that date is missing or invalid. A date without a time counts as
 * the end of it, so that a page may be purged in vain but is never missed.
 */
export function isChangedSince(modified: string | undefined, since: Since): boolean | undefined {
  const match = W3C_DATE.exec(modified ?? '');
  if (match === null || modified === undefined) return undefined;
  if (since.kind === 'day') {
    const date = modified.slice(0, 10);
    return date >= since.day.slice(0, date.length);
  }
  if (match[1] !== undefined) {
    const time = Date.parse(modified);
    // Many sitemaps round times to seconds or minutes.
    return Number.isNaN(time) ? undefined : time + 60_000 > since.at;
  }
  const earliest = new Date(since.at - LATEST_ZONE_MS).toISOString();
  return modified >= earliest.slice(0, modified.length);
}
