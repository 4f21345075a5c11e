import { createGunzip } from 'node:zlib';
import { SaxesParser } from 'saxes';
import { UsageError } from '../../errors/index.ts';
import { isWebPage } from '../../http/html-response.ts';

/** At least two letters: a single one is a Windows drive. */
const SCHEME = /^[a-z][a-z0-9+.-]+:/i;

/** An entry of a sitemap: a page, or a further sitemap. */
export interface SitemapEntry {
  readonly kind: 'page' | 'sitemap';
  readonly location: string;
  /** When it changed, as the sitemap has it: a W3C date with or without a time. */
  readonly modified?: string;
}

/** Protects against gzip bombs; the protocol allows 50 MB per sitemap. */
const SIZE_LIMIT_MB = 64;

/** A sitemap has four levels, a few attributes, and locations of at most 2,048 characters. */
const MAX_DEPTH = 100;

const MAX_ATTRIBUTES = 1000;
const MAX_LOCATION_LENGTH = 65_536;

/** Enough to recognize a web page. */
const PREFIX_LENGTH = 100;

const ROOTS = new Set(['urlset', 'sitemapindex']);

/**
 * Streams the locations of a sitemap or a sitemap index; decompresses gzip, detected by its first bytes. Throws UsageError if it
 * is not a sitemap, and errors of `bytes`.
 */
export async function* readSitemap(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<SitemapEntry> {
  const found: SitemapEntry[] = [];
  const parser = new SaxesParser({ xmlns: false });
  const path: string[] = [];
  let text = '';
  let attributes = 0;
  let failure: Error | undefined;
  parser.on('error', error => {
    failure ??= error;
  });
  parser.on('opentag', ({ name: tag }) => {
    if (path.length === 0 && !ROOTS.has(localName(tag))) failure ??= new Error(`its root is <${tag}>`);
    path.push(localName(tag));
    if (path.length > MAX_DEPTH) failure ??= new Error(`its tags are nested ${MAX_DEPTH} deep`);
    text = '';
    attributes = 0;
  });
  parser.on('attribute', () => {
    attributes += 1;
    if (attributes > MAX_ATTRIBUTES) failure ??= new Error(`a tag has over ${MAX_ATTRIBUTES} attributes`);
  });
  let locations: string[] = [];
  let modified: string | undefined;
  const addText = (part: string): void => {
    if (path.at(-1) !== 'loc' && path.at(-1) !== 'lastmod') return;
    text += part;
    if (text.length > MAX_LOCATION_LENGTH)
      failure ??= new Error(`a location is longer than ${MAX_LOCATION_LENGTH} characters`);
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    const place = path.join('/');
    if (place === 'urlset/url/loc') locations.push(text.trim());
    if (place === 'urlset/url/lastmod') modified = text.trim();
    if (place === 'urlset/url') {
      // The date may stand before or after the location.
      for (const location of locations)
        found.push({ kind: 'page', location, ...(modified !== undefined && { modified }) });
      locations = [];
      modified = undefined;
    }
    if (place === 'sitemapindex/sitemap/loc') found.push({ kind: 'sitemap', location: text.trim() });
    path.pop();
  });

  const decoder = new TextDecoder();
  let size = 0;
  let prefix = '';
  for await (const chunk of decompressed(bytes, name)) {
    const part = decoder.decode(chunk, { stream: true });
    if (prefix.length < PREFIX_LENGTH) prefix += part;
    size += chunk.length;
    if (size > SIZE_LIMIT_MB * 1024 * 1024) throw notASitemap(name, `it is larger than ${SIZE_LIMIT_MB} MB`);
    parser.write(part);
    if (failure !== undefined) break;
    yield* found.splice(0);
  }
  if (size === 0) throw notASitemap(name, 'it is empty');
  if (failure === undefined) parser.close();
  if (failure !== undefined)
    throw notASitemap(name, isWebPage(prefix, undefined) ? 'it is a web page' : failure.message);
  yield* found.splice(0);
}

function localName(tag: string): string {
  return tag.slice(tag.indexOf(':') + 1);
}

function notASitemap(name: string, reason: string): UsageError {
  return new UsageError(`${name} is not a sitemap: ${reason}`, {
    code: 'invalid_input',
    reason: 'not_a_sitemap',
  });
}

async function* decompressed(bytes: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const source = bytes[Symbol.asyncIterator]();
  const first = await source.next();
  if (first.done) return;
  const all = (async function* () {
    yield first.value;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  })();
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
    yield* all;
    return;
  }
  const { Readable } = await import('node:stream');
  const packed = Readable.from(all);
  const gunzip = createGunzip();
  packed.on('error', error => gunzip.destroy(error));
  try {
    yield* packed.pipe(gunzip) as AsyncIterable<Uint8Array>;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw code.startsWith('Z_') ? notASitemap(name, 'its gzip data is truncated or corrupt') : error;
  }
}

/** A sitemap in an index: a URL to fetch, a local path, or invalid. */
type SitemapReference =
  | { readonly kind: 'url'; readonly url: URL }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'invalid'; readonly problem: string; readonly elsewhere?: boolean };

/**
 * Parses the location of a sitemap. A fetched index may name only http and https URLs that `isAllowed` accepts; a local index
 * may also name local files.
 */
export function sitemapReference(
  location: string,
  isLocal: boolean,
  isAllowed: (url: URL) => boolean,
): SitemapReference {
  if (!/^https?:/i.test(location)) {
    if (!isLocal) return { kind: 'invalid', problem: 'is not an http or https URL' };
    if (SCHEME.test(location) || location === '' || location.includes('\0'))
      return { kind: 'invalid', problem: 'is neither an http or https URL nor the path of a file' };
    return { kind: 'path', path: location };
  }
  if (!/^https?:\/\//i.test(location) || !URL.canParse(location))
    return { kind: 'invalid', problem: 'is not a valid URL' };
  const url = new URL(location);
  if (isAllowed(url)) return { kind: 'url', url };
  return { kind: 'invalid', problem: 'is a sitemap on another site', elsewhere: true };
}
