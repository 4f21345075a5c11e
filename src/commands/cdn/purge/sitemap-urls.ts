import { dirname, relative, resolve, sep } from 'node:path';
import type { UrlEntry } from '../../../apis/cdn/clean-url.ts';
import { readSitemap, sitemapReference } from '../../../apis/cdn/sitemap.ts';
import { InterruptedError, UsageError } from '../../../errors/index.ts';
import { realpath, stat } from '../../../files/disk.ts';
import { fileError } from '../../../files/file-error.ts';
import { openInput } from '../../../files/text-source.ts';
import type { Context } from '../../framework/context.ts';
import { type AllowedSites, allowedSites } from './allowed-sites.ts';
import { effectiveDomain } from './effective-domain.ts';
import type { PurgeFlags } from './flags.ts';

/** Sitemaps that an index may lead to, in all. */
const MAX_SITEMAPS = 10_000;

/** A sitemap to read: its URL or path, and for a local one that an index named the folder that it must be below. */
interface Sitemap {
  readonly name: string;
  readonly isLocal: boolean;
  readonly folder?: string;
}

/**
 * The pages of a sitemap and of all those it leads to, each sitemap once. A reference that may not be followed is an entry
 * with a problem. Only pages whose time of change `accepts` are included. Throws UsageError for what is not a sitemap.
 */
export async function* sitemapUrls(
  first: string,
  flags: Pick<PurgeFlags, 'domain' | 'anyDomain'>,
  context: Context,
  accepts: (modified: string | undefined) => boolean = () => true,
): AsyncGenerator<readonly UrlEntry[]> {
  const isLocal = !/^https?:\/\//i.test(first);
  if (!isLocal && !URL.canParse(first))
    throw new UsageError('--sitemap is not a valid URL', { code: 'invalid_value', hints: [] });
  const isAllowed = await allowedIn(isLocal, first, flags, context);
  const waiting: Sitemap[] = [{ name: first, isLocal }];
  const known = new Set([first]);
  for (let from = waiting.shift(); from !== undefined; from = waiting.shift()) {
    const { name } = from;
    for await (const { kind, location, modified } of readSitemap(
      await opened(from, isAllowed, context),
      name,
    )) {
      if (kind === 'page') {
        if (accepts(modified)) yield [{ place: name, text: location }];
        continue;
      }
      const sitemap = await referred(location, from, isAllowed);
      if ('problem' in sitemap) yield [sitemap];
      else if (!known.has(sitemap.name)) {
        known.add(sitemap.name);
        waiting.push(sitemap);
        if (known.size > MAX_SITEMAPS)
          throw new UsageError(`${first} leads to more than ${MAX_SITEMAPS} sitemaps`, {
            hints: ['purge them one by one'],
          });
      }
    }
  }
}

/** A local index is trusted, so its sitemaps may be of any site; only a domain restricts them. */
async function allowedIn(
  isLocal: boolean,
  first: string,
  flags: Pick<PurgeFlags, 'domain' | 'anyDomain'>,
  context: Context,
): Promise<AllowedSites> {
  if (!isLocal) return await allowedSites(first, flags, context);
  const domain = await effectiveDomain(flags, context);
  return domain === undefined ? () => true : await allowedSites(undefined, flags, context);
}

async function referred(
  location: string,
  from: Sitemap,
  isAllowed: AllowedSites,
): Promise<Sitemap | (UrlEntry & { readonly problem: string })> {
  const reference = sitemapReference(location, from.isLocal, isAllowed);
  if (reference.kind === 'url') return { name: reference.url.href, isLocal: false };
  if (reference.kind === 'invalid') {
    const { problem, elsewhere = false } = reference;
    return { place: from.name, text: location, problem, elsewhere };
  }
  // Links are followed first: what counts is where the files are.
  const folder = dirname(await realPath(from.name));
  const path = resolve(folder, reference.path);
  if (isBelow(path, folder) && isBelow(await realPath(path), folder))
    return { name: path, isLocal: true, folder };
  return { place: from.name, text: location, problem: 'is a file outside the folder of its index' };
}

async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    throw fileError(path, error, 'read');
  }
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && resolve(folder, way) === resolve(path);
}

async function opened(
  { name, isLocal, folder }: Sitemap,
  isAllowed: AllowedSites,
  context: Context,
): Promise<AsyncIterable<Uint8Array>> {
  if (isLocal) return fileBytes(name, folder !== undefined, context.signal);
  const page = await (await context.pages()).get(name, isAllowed);
  if (page.status === 200) return page.body;
  page.drop();
  throw new UsageError(`cannot fetch the sitemap ${name}: status ${page.status}`, {
    hints: ['nothing was sent'],
  });
}

/** The bytes of a file; what an index names must be a regular one, for devices and pipes may never end. */
async function* fileBytes(
  path: string,
  mustBeRegular: boolean,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    if (mustBeRegular && !(await stat(path)).isFile())
      throw new UsageError(`the sitemap ${path} is not a regular file`, { hints: ['nothing was sent'] });
    yield* await openInput(path, signal);
  } catch (error) {
    throw error instanceof UsageError || error instanceof InterruptedError
      ? error
      : fileError(path, error, 'read');
  }
}
