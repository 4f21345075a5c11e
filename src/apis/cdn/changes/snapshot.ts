import { createHash } from 'node:crypto';
import { type Captured, filled } from './path-pattern.ts';
import type { MapRule, PurgeMap } from './purge-map.ts';
import { encodedPath } from './url-text.ts';

/** A file of a site. */
export interface SourceFile {
  /** Relative, with slashes. */
  readonly path: string;
  /** Hash of its content. */
  readonly hash: string;
}

/** What one file leads to. */
interface FileEffects {
  /** The rule that matches it; undefined for the page of its path. */
  readonly rule: MapRule | undefined;
  readonly urls: readonly string[];
  readonly listings: readonly string[];
  readonly keys: readonly string[];
}

/** The URLs and surrogate keys of a site, each with a hash of everything that its content depends on. */
export interface Snapshot {
  readonly urls: ReadonlyMap<string, string>;
  readonly keys: ReadonlyMap<string, string>;
  /** For each URL that redirects, where to, on this site. */
  readonly redirects: ReadonlyMap<string, string>;
  /** Numbers of files: all, and those that neither rule nor default maps to anything. */
  readonly files: number;
  readonly unmapped: number;
  /** The rules that matched no file. */
  readonly unused: readonly MapRule[];
}

/** Maps the files of a site to URLs and keys. */
export class SiteMap {
  readonly #map: PurgeMap;
  readonly #site: string;
  readonly #unmatched: 'url' | 'ignore' | 'published';

  /**
   * `site` completes paths where the map names none; `unmatched` sets the effect of files without a rule: the URL of their path, nothing, or
   * the URL for those that browsers request.
   */
  constructor(map: PurgeMap, site: string, unmatched: 'url' | 'ignore' | 'published') {
    this.#map = map;
    this.#site = map.site ?? site;
    this.#unmatched = map.unmatched ?? unmatched;
  }

  /** The URL that paths are below. */
  get site(): string {
    return this.#site;
  }

  /** What a file leads to; undefined for one that leads to nothing. Pages that `affects` names are not included. */
  effectsOf(path: string): FileEffects | undefined {
    const { root, rules, redirects } = this.#map;
    if (!path.startsWith(root)) return undefined;
    const below = path.slice(root.length);
    if (below === redirects) return undefined;
    for (const rule of rules) {
      const captured = rule.matches(below);
      if (captured === undefined) continue;
      return rule.ignore ? undefined : this.#effects(rule, captured);
    }
    if (this.#unmatched === 'ignore' || (this.#unmatched === 'published' && !isPublished(below)))
      return undefined;
    return { rule: undefined, urls: [this.#absolute(pagePath(below))], listings: [], keys: [] };
  }

  /** The rule that matches a file, also one that ignores it. */
  ruleOf(path: string): MapRule | undefined {
    const { root, rules } = this.#map;
    if (!path.startsWith(root)) return undefined;
    return rules.find(({ matches }) => matches(path.slice(root.length)) !== undefined);
  }

  /** Whether the content of a URL depends on the files of a rule, although no template of it names the URL. */
  isAffected(url: string, rule: MapRule): boolean {
    const path = url.startsWith(`${this.#site}/`) ? url.slice(this.#site.length) : url;
    return rule.affects.some(({ matches }) => matches(path) !== undefined);
  }

  /** `redirectLines` is the text of the map's file of redirects, where there is one. */
  snapshot(files: Iterable<SourceFile>, redirectLines = ''): Snapshot {
    const urls = new Map<string, string[]>();
    const keys = new Map<string, string[]>();
    const used = new Set<MapRule>();
    const affecting = new Map<MapRule, string[]>();
    let count = 0;
    let unmapped = 0;
    for (const { path, hash } of files) {
      count += 1;
      const rule = this.ruleOf(path);
      if (rule !== undefined) used.add(rule);
      const effects = this.effectsOf(path);
      if (effects === undefined) {
        if (rule === undefined && path.slice(this.#map.root.length) !== this.#map.redirects) unmapped += 1;
        continue;
      }
      for (const url of effects.urls) push(urls, url, hash);
      // A listing shows that a file exists, so its path counts as well.
      for (const url of effects.listings) push(urls, url, `${path}\0${hash}`);
      for (const key of effects.keys) push(keys, key, `${path}\0${hash}`);
      if (effects.rule !== undefined && effects.rule.affects.length > 0)
        push(affecting, effects.rule, `${path}\0${hash}`);
    }
    const redirects = this.redirectsIn(redirectLines);
    const targets = new Map<string, string>();
    for (const { from, to, status } of redirects) {
      const target = urls.get(to);
      // A rewrite serves the content of its target.
      urls.set(from, [`${status} ${to}`, ...(/^200/.test(status) ? (target ?? []) : [])]);
      if (target !== undefined) targets.set(from, to);
    }
    for (const [rule, parts] of affecting)
      for (const [url, own] of urls) if (this.isAffected(url, rule)) own.push(...parts);
    return {
      urls: combined(urls, new Set(redirects.map(({ from }) => from))),
      keys: combined(keys),
      redirects: targets,
      files: count,
      unmapped,
      unused: this.#map.rules.filter(rule => !used.has(rule) && !rule.optional),
    };
  }

  #effects(rule: MapRule, captured: Captured): FileEffects {
    const absolute = (template: string) => this.#absolute(filled(template, captured, encodedPath));
    return {
      rule,
      urls: rule.urls.map(absolute),
      listings: rule.listings.map(absolute),
      keys: rule.keys.map(template => filled(template, captured, value => value)),
    };
  }

  #absolute(path: string): string {
    return path.startsWith('/') ? this.#site + path : path;
  }

  /** The redirects of a list: lines of `FROM TO [STATUS]`. */
  redirectsIn(text: string): readonly Redirect[] {
    return this.redirectLines(text).redirects;
  }

  /** The lines of a list of redirects: those of one URL, those of none or several on this site, and those that are no redirect. */
  redirectLines(text: string): RedirectLines {
    const redirects: Redirect[] = [];
    const unmapped: NumberedLine[] = [];
    const malformed: NumberedLine[] = [];
    for (const [index, raw] of text.split(/\r?\n/).entries()) {
      const line = raw.trim();
      if (line === '' || line.startsWith('#')) continue;
      const [from = '', to = '', status = '301'] = line.replace(/\s#.*$/, '').split(/\s+/);
      const numbered = { line: index + 1, text: line };
      const path = from.startsWith(`${this.#site}/`) ? from.slice(this.#site.length) : from;
      if (!isTarget(from) || to === '') malformed.push(numbered);
      // Conditions on the query are between both.
      else if (!path.startsWith('/') || /[*:]/.test(path) || !isTarget(to)) unmapped.push(numbered);
      else if (!/^\d{3}!?$/.test(status)) malformed.push(numbered);
      else redirects.push({ from: this.#absolute(path), to: this.#absolute(to), status });
    }
    return { redirects, unmapped, malformed };
  }

  /** Whether the content of a path that is not in the commit need not be read: the map says what it leads to, or nothing does. */
  isReadElsewhere(path: string): boolean {
    const { root } = this.#map;
    if (!path.startsWith(root)) return !root.startsWith(`${path}/`);
    const rule = this.ruleOf(path);
    return rule !== undefined && (rule.ignore || rule.affects.length > 0 || !/[*{]/.test(rule.files));
  }
}

/** A redirect of one URL. */
interface Redirect {
  readonly from: string;
  readonly to: string;
  readonly status: string;
}

interface NumberedLine {
  readonly line: number;
  readonly text: string;
}

/** The lines of a list of redirects. */
interface RedirectLines {
  readonly redirects: readonly Redirect[];
  readonly unmapped: readonly NumberedLine[];
  readonly malformed: readonly NumberedLine[];
}

function isTarget(text: string): boolean {
  return text.startsWith('/') || /^https?:\/\//i.test(text);
}

/** Files that browsers request under their own path. */
const PUBLISHED =
  /\.(?:html?|xhtml|css|m?js|json|xml|txt|svg|png|jpe?g|gif|webp|avif|ico|bmp|woff2?|ttf|otf|eot|mp[34]|m4[av]|webm|og[agv]|wav|pdf|wasm|webmanifest|map|csv|zip)$/i;
/** Files of tools with such names. */
const OF_TOOLS =
  /^(?:package(?:-lock)?\.json|composer\.json|[jt]sconfig[^/]*\.json|[^/]+\.config\.[cm]?js|requirements[^/]*\.txt|CMakeLists\.txt)$/i;

/** Whether a file of a repository is probably published under its path. */
function isPublished(path: string): boolean {
  const folders = path.split('/');
  const name = folders.at(-1) ?? '';
  const isHidden = folders.some(each => each.startsWith('.') && each !== '.well-known');
  if (isHidden || folders.includes('node_modules')) return false;
  return folders[0] === '.well-known' || (PUBLISHED.test(name) && !OF_TOOLS.test(name));
}

/** The path of a page that is a file: `/news/` for `news/index.html`. */
function pagePath(path: string): string {
  return `/${encodedPath(path)}`.replace(/\/index\.html?$/, '/');
}

function push<Key>(map: Map<Key, string[]>, key: Key, value: string): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}

/** Starts the hash of a redirect. */
const REDIRECT = '>';

/** Whether a hash is that of a redirect. */
export function isRedirect(hash: string | undefined): boolean {
  return hash?.startsWith(REDIRECT) === true;
}

function combined(
  parts: ReadonlyMap<string, readonly string[]>,
  redirecting: ReadonlySet<string> = new Set(),
): Map<string, string> {
  const hashes = new Map<string, string>();
  for (const [target, list] of parts) {
    const [only = ''] = list;
    const isRedirecting = redirecting.has(target);
    const isContent = list.length === 1 && !only.includes('\0') && !isRedirecting;
    const hash = isContent ? only : shortHash([...list].sort().join('\n'));
    hashes.set(target, isRedirecting ? REDIRECT + hash : hash);
  }
  return hashes;
}

/** 96 bits of a SHA-256, which identify the version of a page. */
export function shortHash(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 16);
}
