/** A page of the origin. */
export interface OriginPage {
  readonly html: string;
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
  { pattern: /^\/live\/([\w.~%-]+)$/, keys: slug => ['live', `live-${slug}`], changes: true },
];

export type Origin = (host: string, target: string) => OriginPage | undefined;

/**
 * Creates the origin: a front page, `/news`, `/about`, and any page below `/articles/` and `/live/`.
 * Some pages change with every request; `target` is path and query.
 */
export function createOrigin(): Origin {
  let edition = 0;
  return (host, target) => {
    const [path = '/'] = target.split('?');
    for (const { pattern, keys, changes } of SECTIONS) {
      const match = pattern.exec(path);
      if (match === null) continue;
      edition += 1;
      return { html: page(host, target, changes ? edition : 1), keys: ['site', ...keys(match[1] ?? '')] };
    }
    return undefined;
  };
}

function page(host: string, target: string, edition: number): string {
  const address = escapeHtml(`${host}${target}`);
  return `<!doctype html>\n<title>${address}</title>\n<h1>${address}</h1>\n<p>Edition ${edition}.</p>\n`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}
