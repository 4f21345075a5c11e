import { OriginHealth } from '../../../../apis/cdn/origin-health.ts';
import type { Robots } from '../../../../apis/cdn/robots.ts';
import { GatectlError, InterruptedError } from '../../../../errors/index.ts';
import type { JsonRecord } from '../../../../json/index.ts';
import { keyInFigures, type SiteTraffic } from '../../../../operations/purge/impact.ts';
import { siteTraffic } from '../../../../operations/purge/site-traffic.ts';
import { groupDigits, pluralize } from '../../../../terminal/numbers.ts';
import type { Context } from '../../../framework/context.ts';
import { type AllowedSites, allowedSites } from '../allowed-sites.ts';
import type { PurgeFlags } from '../flags.ts';
import { robotsOf } from './robots.ts';

const DAYS = 7;
const DEFAULT_PER_SECOND = 10;
/** Requests in flight: a slow origin gets fewer per second than the rate allows. */
const MAX_IN_FLIGHT = 8;

/**
 * Fetches purged pages again, the most viewed first, so that they are cached before readers request them. Requests are GETs at a limited rate, as
 * robots.txt allows, and end when the origin fails or slows down.
 */
export class Warmer {
  readonly #site: SiteTraffic;
  /** Keys of the pages to warm, by rank. */
  readonly #ranks: ReadonlyMap<string, number>;
  readonly #perSecond: number;
  readonly #flags: PurgeFlags;
  readonly #context: Context;
  readonly #robots = new Map<string, Promise<Robots>>();
  readonly #health = new OriginHealth();
  #warmed = 0;
  #failed = 0;
  #disallowed = 0;
  #nextAt = 0;
  /** Why warming ended early. */
  stopped: string | undefined;

  private constructor(
    site: SiteTraffic,
    top: number,
    perSecond: number,
    flags: PurgeFlags,
    context: Context,
  ) {
    this.#site = site;
    this.#ranks = new Map([...site.pages.keys()].slice(0, top).map((key, rank) => [key, rank]));
    this.#perSecond = perSecond;
    this.#flags = flags;
    this.#context = context;
  }

  /** Asks for the traffic of the site. `purged`, where given, is what will be purged: only that is warmed. */
  static async open(
    purged: AsyncIterable<readonly { readonly url: string }[]> | undefined,
    domain: string | undefined,
    flags: PurgeFlags,
    context: Context,
  ): Promise<Warmer> {
    const site = await siteTraffic(domain, DAYS, context);
    const { warm: top = 0, warmRate = DEFAULT_PER_SECOND } = flags;
    if (purged === undefined) return new Warmer(site, top, warmRate, flags, context);
    const keys = new Set<string>();
    for await (const block of purged)
      for (const { url } of block) keys.add(keyInFigures(site.pages, url) ?? '');
    const pages = new Map([...site.pages].filter(([key]) => keys.has(key)));
    return new Warmer({ ...site, pages }, top, warmRate, flags, context);
  }

  /** The most viewed pages of the site, for a purge of all of it. */
  get mostViewed(): readonly string[] {
    return [...this.#ranks.keys()].map(key => {
      const { url } = this.#site.pages.get(key) ?? { url: key };
      return /^https?:\/\//i.test(url) ? url : `https://${url}`;
    });
  }

  /** Fetches those of these pages that are among the most viewed. Failures are counted, and end it where the origin suffers. */
  async warm(urls: readonly string[]): Promise<void> {
    const rank = (url: string) => this.#ranks.get(keyInFigures(this.#site.pages, url) ?? '');
    const chosen = urls
      .filter(url => rank(url) !== undefined)
      .sort((a, b) => (rank(a) ?? 0) - (rank(b) ?? 0));
    const progress = this.#context.log.progress(chosen.length, 'pages');
    const inFlight = new Set<Promise<void>>();
    const most = Math.min(MAX_IN_FLIGHT, this.#flags.concurrency ?? MAX_IN_FLIGHT);
    try {
      for (const url of chosen) {
        const isAllowed = await allowedSites(url, this.#flags, this.#context);
        if (await this.#mayFetch(url, isAllowed)) {
          if (this.stopped !== undefined) break;
          const fetching = this.#fetch(url, isAllowed).finally(() => inFlight.delete(fetching));
          // It is awaited below; until then, a failure must not count as unhandled.
          fetching.catch(() => {});
          inFlight.add(fetching);
          if (inFlight.size >= most) await Promise.race(inFlight);
        }
        progress.advance(1);
      }
      await Promise.all(inFlight);
    } finally {
      // After an interruption the others fail as well.
      await Promise.allSettled(inFlight);
      progress.finish();
    }
  }

  /** Prints what was warmed, and returns it for the output. */
  finish(): JsonRecord {
    const { log } = this.#context;
    const skipped = this.#disallowed === 0 ? '' : `; robots.txt disallows ${groupDigits(this.#disallowed)}`;
    log.note(
      `warmed ${pluralize(this.#warmed, 'page')} of the ${groupDigits(this.#ranks.size)} most viewed${skipped}`,
    );
    if (this.stopped !== undefined) log.warn(`warming stopped early: ${this.stopped}`);
    return {
      warmed: this.#warmed,
      failed: this.#failed,
      disallowed: this.#disallowed,
      ...(this.stopped !== undefined && { stopped: this.stopped }),
    };
  }

  /** Waits for the turn of a page that robots.txt allows. */
  async #mayFetch(url: string, isAllowed: AllowedSites): Promise<boolean> {
    const robots = await this.#robotsOf(url, isAllowed);
    const { pathname, search } = new URL(url);
    if (!robots.isAllowed(pathname + search)) {
      this.#disallowed += 1;
      return false;
    }
    await this.#takeTurn(robots.delay);
    return true;
  }

  async #fetch(url: string, isAllowed: AllowedSites): Promise<void> {
    const { signal, clock } = this.#context;
    const from = clock.now();
    let status: number | undefined;
    try {
      const page = await (await this.#context.pages()).get(url, isAllowed);
      // Caches store a page only when its last byte was sent.
      for await (const _ of page.body) signal.throwIfAborted();
      status = page.status;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    }
    if (status === undefined || status >= 400) this.#failed += 1;
    else this.#warmed += 1;
    this.stopped ??= this.#health.add({ status, ms: clock.now() - from });
  }

  #robotsOf(url: string, isAllowed: AllowedSites): Promise<Robots> {
    const { origin } = new URL(url);
    const known = this.#robots.get(origin) ?? robotsOf(url, isAllowed, this.#context);
    this.#robots.set(origin, known);
    return known;
  }

  /** Waits until the rate allows the next request. */
  async #takeTurn(delay: number | undefined): Promise<void> {
    const { clock, signal } = this.#context;
    const interval = Math.max(1000 / this.#perSecond, (delay ?? 0) * 1000);
    const now = clock.now();
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + interval;
    if (at > now) await clock.sleep(at - now, signal);
  }
}
