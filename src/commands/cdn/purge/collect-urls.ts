import {
  assumedHttps,
  type CleanUrl,
  cleanUrl,
  hasNoScheme,
  mayBeSeveral,
  type UrlEntry,
} from '../../../apis/cdn/clean-url.ts';
import type { PurgeJournal } from '../../../apis/cdn/journal.ts';
import { UsageError } from '../../../errors/index.ts';
import { stat } from '../../../files/disk.ts';
import { readList } from '../../../files/list.ts';
import type { ListColumn, ListEntry } from '../../../files/structured-list.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import { withoutPasteDamage } from '../../../terminal/paste-damage.ts';
import { shortened } from '../../../text/shortened.ts';
import type { Context } from '../../framework/context.ts';
import { listSource } from '../../framework/file-arguments.ts';
import { effectiveDomain } from './effective-domain.ts';
import type { PurgeFlags } from './flags.ts';

const MAX_PROBLEMS_SHOWN = 20;

const URL_COLUMN: ListColumn = {
  what: 'URL',
  // `target` is what the failures of a purge are called in CSV and JSON.
  names: new Set(['url', 'urls', 'page_url', 'loc', 'link', 'target']),
  // Quotes and brackets may surround it. A line of CSV with quoted cells is none.
  isValue: text => /^[^\p{L}\p{N}\s]*https?:\/\/[^\s"]*[^\p{L}\p{N}\s]*$/iu.test(text),
};

/**
 * Cleans the URLs of `named`, by default those that the command line names, and adds them to the journal, each once. Throws
 * UsageError that lists every invalid entry, unless `--skip-invalid` skips them.
 */
export async function collectUrls(
  flags: PurgeFlags,
  journal: PurgeJournal,
  context: Context,
  named: AsyncIterable<readonly UrlEntry[]> | Iterable<readonly UrlEntry[]> = entries(flags, context),
): Promise<void> {
  const domain = flags.anyDomain ? undefined : await effectiveDomain(flags, context);
  const collector = new UrlCollector(domain, journal);
  for await (const block of named) {
    context.signal.throwIfAborted();
    await collector.add(block);
    await journal.flushIfFull();
  }
  collector.finish(flags.skipInvalid, context);
  if (journal.total === 0 && flags.changedSince === undefined)
    throw new UsageError('the list contains no URL', { code: 'invalid_input', hints: ['nothing was sent'] });
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
  const { file, sitemap, prefix, urls } = flags;
  if (file !== undefined) return yield* listed(listSource(file) ?? file, context);
  if (sitemap !== undefined) {
    const { sitemapUrls } = await import('./sitemap-urls.ts');
    return yield* sitemapUrls(sitemap, flags, context);
  }
  if (prefix !== undefined) {
    const { knownUrls } = await import('./known-urls.ts');
    return yield* knownUrls(flags, context);
  }
  for (const [index, text] of urls.entries()) {
    const source = listSource(text);
    if (source === undefined) yield [await typedEntry(text, `argument ${index + 1}`)];
    else yield* listed(source, context, urls.length === 1 ? undefined : text);
  }
}

/** An argument, which may be a mistyped file or a request to purge everything. */
async function typedEntry(text: string, place: string): Promise<UrlEntry> {
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return { place, text };
  if (await isFile(text))
    return { place, text, problem: `is a file: type @${text} to purge the URLs that it lists` };
  if (/^(?:all|everything)$/i.test(text))
    return { place, text, problem: 'is not a URL: type --all to purge everything on the domain' };
  return { place, text };
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    found => found.isFile(),
    () => false,
  );
}

/** `name` distinguishes the lines of several sources. */
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

/** Cleans URLs, adds each to the journal once, and counts what was changed or rejected. */
class UrlCollector {
  readonly #domain: string | undefined;
  readonly #journal: PurgeJournal;
  readonly #problems: string[] = [];
  #isRegisteredHost: ((host: string) => boolean) | undefined;
  #invalid = 0;
  #isElsewhere = false;
  #repeated = 0;
  #fragments = 0;
  #repaired = 0;
  #assumed = 0;
  #firstAssumed = '';
  #joined = 0;
  #firstJoined = '';

  /** `domain`, if set, is the only one that the URLs may be on. */
  constructor(domain: string | undefined, journal: PurgeJournal) {
    this.#domain = domain;
    this.#journal = journal;
  }

  /** Checks a block of entries and adds them to the journal. */
  async add(block: readonly UrlEntry[]): Promise<void> {
    if (this.#isRegisteredHost === undefined && block.some(({ text }) => hasNoScheme(text)))
      this.#isRegisteredHost = await this.#hostCheck();
    for (const entry of block) {
      const { problem, elsewhere = false } = entry;
      const clean: CleanUrl = problem === undefined ? this.#cleaned(entry.text) : { problem, elsewhere };
      if ('problem' in clean) {
        this.#reject(entry, clean);
        continue;
      }
      if (clean.droppedFragment) this.#fragments += 1;
      if (mayBeSeveral(clean.url)) {
        this.#firstJoined ||= quotedEntry(clean.url);
        this.#joined += 1;
      }
      if (!this.#journal.add(clean.url)) this.#repeated += 1;
    }
  }

  /** Prints what was skipped or changed. Throws UsageError that lists the invalid entries, unless `skipInvalid`. */
  finish(skipInvalid: boolean, { log }: Context): void {
    if (this.#invalid > 0) {
      const hints = [...this.#problems];
      if (this.#invalid > hints.length) hints.push(`and ${this.#invalid - hints.length} more`);
      if (this.#isElsewhere) hints.push('URLs of other domains require --any-domain');
      const entries = pluralize(this.#invalid, 'invalid URL');
      if (!skipInvalid)
        throw new UsageError(`${entries}; nothing was sent`, { code: 'invalid_input', hints });
      log.warn(`skipped ${entries}`, hints);
    }
    if (this.#assumed > 0) {
      const more =
        this.#assumed > 1 ? ` and ${pluralize(this.#assumed - 1, 'more URL')} without a scheme` : '';
      log.note(`using ${this.#firstAssumed}${more}`);
    }
    if (this.#joined > 0) {
      const more = this.#joined > 1 ? ` and ${pluralize(this.#joined - 1, 'more URL')}` : '';
      log.warn(
        `${this.#firstJoined}${more} with ",/" counts as one URL; if it is a list, pass one URL per argument`,
      );
    }
    if (this.#repeated > 0) log.note(`skipped ${pluralize(this.#repeated, 'repeated URL')}`);
    if (this.#repaired > 0)
      log.note(`removed quotes, brackets or invisible characters around ${pluralize(this.#repaired, 'URL')}`);
    if (this.#fragments > 0)
      log.note(`removed ${pluralize(this.#fragments, 'fragment')}: fragments never reach a cache`);
  }

  /** Without a domain, only the list of public suffixes shows whether `news.html/a` begins with a host. */
  async #hostCheck(): Promise<(host: string) => boolean> {
    const domain = this.#domain;
    if (domain !== undefined) return host => host === domain || host.endsWith(`.${domain}`);
    const { isRegisteredHost } = await import('../../../apis/cdn/public-suffixes.ts');
    return isRegisteredHost;
  }

  #cleaned(text: string): CleanUrl {
    const pasted = withoutPasteDamage(text);
    if ('problem' in pasted) return pasted;
    if (pasted.removed.length > 0) this.#repaired += 1;
    if (this.#isRegisteredHost === undefined || !hasNoScheme(pasted.value))
      return cleanUrl(pasted.value, this.#domain);
    const clean = assumedHttps(pasted.value, this.#domain, this.#isRegisteredHost);
    if ('url' in clean) {
      this.#firstAssumed ||= clean.url;
      this.#assumed += 1;
    }
    return clean;
  }

  #reject(entry: UrlEntry, { problem, elsewhere }: Extract<CleanUrl, { problem: string }>): void {
    this.#invalid += 1;
    this.#isElsewhere ||= elsewhere === true;
    if (this.#problems.length === MAX_PROBLEMS_SHOWN) return;
    const place = typeof entry.place === 'number' ? `line ${entry.place}` : entry.place;
    this.#problems.push(`${place}: ${quotedEntry(entry.text)} ${problem}`);
  }
}

/** For messages: without a password, and at most 120 characters long. */
function quotedEntry(entry: string): string {
  return shortened(entry.replace(/^([^/?#]*\/\/)[^/?#]*@/, '$1***@'), 120);
}
