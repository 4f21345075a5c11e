import { DAY_MS } from '../../wire/day.ts';

/** A page of the origin. */
interface OriginPage {
  readonly html: string;
  /** The media type, where it is not HTML. */
  readonly type?: string;
  /** Surrogate keys. */
  readonly keys: readonly string[];
}

/** Paths that are cached initially. */
export const SEEDED_PATHS = [
  '/',
  '/news',
  '/about',
  '/articles/long-read',
  '/articles/election-night',
] as const;

interface Section {
  readonly pattern: RegExp;
  readonly keys: (slug: string) => readonly string[];
  /** Whether each request to the origin returns another version. */
  readonly changes: boolean;
}

const SECTIONS: readonly Section[] = [
  { pattern: /^\/$/, keys: () => ['front'], changes: true },
  { pattern: /^\/news$/, keys: () => ['news', 'section'], changes: true },
  { pattern: /^\/about$/, keys: () => ['about'], changes: false },
  { pattern: /^\/articles\/([\w.~%-]+)$/, keys: slug => ['article', `article-${slug}`], changes: false },
  { pattern: /^\/news\/([\w.~%-]+)$/i, keys: slug => ['news', `news-${slug}`], changes: false },
  {
    pattern: /^\/(weather|sports\/|search|archive|recipes\/.+|blog\/.+|finance\/.+)$/,
    keys: path => ['page', `section-${path.split('/')[0]}`],
    changes: false,
  },
  { pattern: /^\/live\/([\w.~%-]+)$/, keys: slug => ['live', `live-${slug}`], changes: true },
];

export type Origin = (host: string, target: string) => OriginPage | undefined;

/** Pages of the sitemap, and the days since they changed. */
const SITEMAP: readonly (readonly [path: string, age: number])[] = [
  ['/', 0],
  ['/sports/', 0],
  ['/news/top-stories', 1],
  ['/weather', 1],
  ['/articles/election-night', 3],
  ['/articles/long-read', 40],
  ['/about', 300],
];
/**
 * Creates the origin: a front page, `/news`, `/about`, most pages of the analytics data, any page below `/articles/` and `/live/`,
 * robots.txt and a sitemap. Some pages change with every request; `target` is path and query. `now` is in ms. The pages of `domains` are
 * below `www.`, as the analytics have them, so a sitemap of a domain names these.
 */
export function createOrigin(now = () => 0, domains: readonly string[] = []): Origin {
  let edition = 0;
  return (host, target) => {
    const [path = '/'] = target.split('?');
    if (path === '/robots.txt') {
      const html = `User-agent: *\nDisallow: /search\nSitemap: https://${host}/sitemap.xml\n`;
      return { html, keys: ['site'], type: 'text/plain' };
    }
    if (path === '/sitemap.xml')
      return {
        html: sitemap(domains.includes(host) ? `www.${host}` : host, now()),
        keys: ['site'],
        type: 'application/xml',
      };
    for (const { pattern, keys, changes } of SECTIONS) {
      const match = pattern.exec(path);
      if (match === null) continue;
      edition += 1;
      return { html: page(host, target, changes ? edition : 1), keys: ['site', ...keys(match[1] ?? '')] };
    }
    return undefined;
  };
}

function sitemap(host: string, now: number): string {
  const pages = SITEMAP.map(([path, age]) => {
    const changed = new Date(now - age * DAY_MS).toISOString().slice(0, 10);
    return `  <url><loc>https://${host}${path}</loc><lastmod>${changed}</lastmod></url>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${pages.join('')}</urlset>\n`;
}

function page(host: string, target: string, edition: number): string {
  const address = escapeHtml(`${host}${target}`);
  return `<!doctype html>\n<title>${address}</title>\n<h1>${address}</h1>\n<p>Edition ${edition}.</p>\n`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}
