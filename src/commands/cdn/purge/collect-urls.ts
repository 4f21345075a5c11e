import { stat } from 'node:fs/promises';
import type { PurgeJournal } from '../../../apis/cdn/journal.ts';
import { UsageError } from '../../../errors/index.ts';
import { readList } from '../../../files/list.ts';
import type { ListColumn, ListEntry } from '../../../files/structured-list.ts';
import type { Context } from '../../framework/context.ts';
import { listSource } from '../../framework/list-source.ts';
import type { PurgeFlags } from './flags.ts';
import { UrlCollector, type UrlEntry } from './url-collector.ts';

const URL_COLUMN: ListColumn = {
  what: 'URL',
  // `target` is what the failures of a purge are called in CSV and JSON.
  names: new Set(['url', 'urls', 'page_url', 'loc', 'link', 'target']),
  // Quotes and brackets may surround it. A line of CSV with quoted cells is none.
  isValue: text => /^[^\p{L}\p{N}\s]*https?:\/\/[^\s"]*[^\p{L}\p{N}\s]*$/iu.test(text),
};

/**
 * Cleans the URLs that the command line names and adds them to the journal, each once. Throws UsageError that lists every
 * invalid entry, unless `--skip-invalid` skips them.
 */
export async function collectUrls(flags: PurgeFlags, journal: PurgeJournal, context: Context): Promise<void> {
  const domain = flags.anyDomain ? undefined : await domainInForce(flags, context);
  const collector = new UrlCollector(domain, journal);
  for await (const block of entries(flags, context)) {
    context.signal.throwIfAborted();
    await collector.add(block);
    await journal.flushIfFull();
  }
  collector.finish(flags.skipInvalid, context);
  if (journal.total === 0)
    throw new UsageError('the list contains no URL', { code: 'invalid_input', hints: ['nothing was sent'] });
}

/** The one domain that URLs may be on; undefined where none is set. */
export async function domainInForce(
  { domain }: Pick<PurgeFlags, 'domain'>,
  context: Context,
): Promise<string | undefined> {
  return domain ?? (await context.settings()).domain.value;
}

/** The sources of lists that the command line names, each with the flag or argument that names it; `-` is stdin. */
export function listSources({
  file,
  urls,
}: Pick<PurgeFlags, 'file' | 'urls'>): [name: string, source: string][] {
  const named = file === undefined ? [] : [['--file', listSource(file) ?? file] as [string, string]];
  const typed = urls.flatMap(text => {
    const source = listSource(text);
    return source === undefined ? [] : [[text, source] as [string, string]];
  });
  return [...named, ...typed];
}

/** In blocks: a step for each of a million URLs would take longer than the check itself. */
async function* entries(flags: PurgeFlags, context: Context): AsyncGenerator<readonly UrlEntry[]> {
  const { file, sitemap, urls } = flags;
  if (file !== undefined) return yield* listed(listSource(file) ?? file, context);
  if (sitemap !== undefined) {
    const { sitemapUrls } = await import('./sitemap-urls.ts');
    return yield* sitemapUrls(sitemap, flags, context);
  }
  for (const [index, text] of urls.entries()) {
    const source = listSource(text);
    if (source === undefined) yield [await typedEntry(text, `argument ${index + 1}`)];
    else yield* listed(source, context, urls.length === 1 ? undefined : text);
  }
}

/** A word of the command line, which may be meant for a file or for everything. */
async function typedEntry(text: string, place: string): Promise<UrlEntry> {
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return { place, text };
  if (await isFile(text))
    return { place, text, problem: `is a file: type @${text} to purge the URLs that it lists` };
  if (/^(?:all|everything)$/i.test(text))
    return { place, text, problem: 'is no URL: type --all to purge everything on the domain' };
  return { place, text };
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    found => found.isFile(),
    () => false,
  );
}

/** `name`, where there are several sources, tells lines of one from those of another. */
async function* listed(
  source: string,
  { io, signal }: Context,
  name?: string,
): AsyncGenerator<readonly UrlEntry[]> {
  const list = readList(source === '-' ? io.stdin : source, URL_COLUMN, { signal });
  for await (const block of list) yield block.map(entry => urlEntry(entry, name));
}

function urlEntry({ place, text, fault }: ListEntry, name: string | undefined): UrlEntry {
  const at = name === undefined ? place : `${name} ${typeof place === 'number' ? `line ${place}` : place}`;
  if (fault === undefined) return { place: at, text };
  return { place: at, text, problem: fault === 'nul' ? 'contains a NUL byte' : 'is not UTF-8' };
}
