import type { UrlEntry } from '../../../apis/cdn/clean-url.ts';
import { cleanUrl } from '../../../apis/cdn/clean-url.ts';
import { UsageError } from '../../../errors/index.ts';
import { groupDigits, pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { allowedSites } from './allowed-sites.ts';
import { effectiveDomain } from './effective-domain.ts';
import type { PurgeFlags } from './flags.ts';
import { robotsOf } from './traffic/robots.ts';

/** Where URLs below a prefix are known from. */
type Source =
  | { readonly kind: 'sitemap'; readonly url: string | undefined }
  | { readonly kind: 'analytics'; readonly days: number };

const DEFAULT_DAYS = 30;
const MAX_DAYS = 400;

/**
 * The URLs below a prefix that sitemaps and analytics name: the API has no purge by prefix. Throws UsageError where there are none, and
 * for an invalid prefix or source.
 */
export async function* knownUrls(flags: PurgeFlags, context: Context): AsyncGenerator<readonly UrlEntry[]> {
  const { prefix = '', knownFrom = 'sitemap,analytics' } = flags;
  const clean = cleanUrl(prefix, flags.anyDomain ? undefined : await effectiveDomain(flags, context));
  if ('problem' in clean)
    throw new UsageError(`the prefix ${prefix} ${clean.problem}`, {
      code: 'invalid_value',
      hints: ['nothing was sent'],
    });
  const known = new Set<string>();
  const counts: string[] = [];
  for (const source of sourcesOf(knownFrom)) {
    let count = 0;
    for await (const url of source.kind === 'sitemap'
      ? fromSitemap(source.url, clean.url, flags, context)
      : fromAnalytics(source.days, clean.url, flags, context)) {
      count += 1;
      known.add(url);
    }
    counts.push(
      source.kind === 'sitemap'
        ? `${groupDigits(count)} from sitemaps`
        : `${groupDigits(count)} from analytics of ${pluralize(source.days, 'day')}`,
    );
  }
  if (known.size === 0)
    throw new UsageError(`no URL below ${clean.url} is known: ${counts.join(', ')}`, {
      code: 'invalid_input',
      hints: ['nothing was sent'],
    });
  context.log.note(`${pluralize(known.size, 'URL')} below ${clean.url}: ${counts.join(', ')}`);
  context.log.warn('other pages stay cached: the API has no purge by prefix');
  yield [...known].map(text => ({ place: 'the prefix', text }));
}

function sourcesOf(text: string): readonly Source[] {
  return text.split(',').map((word): Source => {
    const [kind, ...rest] = word.trim().split(':');
    const value = rest.join(':');
    if (kind === 'sitemap') return { kind, url: value === '' ? undefined : value };
    const [, days] = /^(\d{1,3})d$/.exec(value) ?? [];
    if (
      kind === 'analytics' &&
      (value === '' || (days !== undefined && Number(days) >= 1 && Number(days) <= MAX_DAYS))
    )
      return { kind, days: Number(days ?? DEFAULT_DAYS) };
    throw new UsageError(`--known-from cannot be '${word.trim()}'`, {
      code: 'invalid_value',
      hints: ['type sitemap, sitemap:URL, analytics or analytics:30d, separated by commas'],
    });
  });
}

/** The sitemaps of robots.txt, or else `/sitemap.xml`. */
async function* fromSitemap(
  url: string | undefined,
  prefix: string,
  flags: PurgeFlags,
  context: Context,
): AsyncGenerator<string> {
  const { sitemapUrls } = await import('./sitemap-urls.ts');
  for (const sitemap of url === undefined ? await sitemapsOf(prefix, flags, context) : [url]) {
    for await (const block of sitemapUrls(sitemap, flags, context)) {
      for (const { text, problem } of block) {
        if (problem !== undefined) context.log.warn(`skipped the sitemap ${text}: it ${problem}`);
        else if (text.startsWith(prefix)) yield text;
      }
    }
  }
}

async function sitemapsOf(prefix: string, flags: PurgeFlags, context: Context): Promise<readonly string[]> {
  const isAllowed = await allowedSites(prefix, flags, context);
  const { sitemaps } = await robotsOf(prefix, isAllowed, context);
  const own = sitemaps.filter(each => URL.canParse(each) && isAllowed(new URL(each)));
  return own.length > 0 ? own : [new URL('/sitemap.xml', prefix).href];
}

/** Analytics may count http and https, and the domain and its `www.`, as one page: URLs have the origin of the prefix. */
async function* fromAnalytics(
  days: number,
  prefix: string,
  flags: PurgeFlags,
  context: Context,
): AsyncGenerator<string> {
  const { siteTraffic } = await import('../../../operations/purge/site-traffic.ts');
  const { bareHost } = await import('../../../operations/purge/impact.ts');
  const { pages } = await siteTraffic(await effectiveDomain(flags, context), days, context);
  const start = new URL(prefix);
  for (const { url } of pages.values()) {
    const full = /^https?:\/\//i.test(url) ? url : `https://${url}`;
    if (!URL.canParse(full)) continue;
    const page = new URL(full);
    const text = `${start.origin}${page.pathname}${page.search}`;
    if (bareHost(page) === bareHost(start) && text.startsWith(prefix)) yield text;
  }
}
