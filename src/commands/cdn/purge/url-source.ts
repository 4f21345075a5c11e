import type { PurgeJournal } from '../../../apis/cdn/journal.ts';
import { UsageError } from '../../../errors/index.ts';
import { readLines, type TextLine } from '../../../files/text-source.ts';
import type { Context } from '../../framework/context.ts';
import type { PurgeFlags } from './flags.ts';
import { type Given, UrlIntake } from './url-intake.ts';

/**
 * Cleans the URLs that the flags name and puts them into the journal, each once. Throws UsageError that lists every bad
 * line, unless `--skip-invalid` leaves them out.
 */
export async function collectUrls(flags: PurgeFlags, journal: PurgeJournal, context: Context): Promise<void> {
  const domain = flags.anyDomain ? undefined : await domainInForce(flags.domain, context);
  const intake = new UrlIntake(domain, journal);
  for await (const block of givenUrls(flags, context)) {
    context.signal.throwIfAborted();
    intake.take(block);
    await journal.flushIfFull();
  }
  intake.conclude(flags.skipInvalid, context);
  if (journal.total === 0)
    throw new UsageError('the list holds no URL', { code: 'invalid_input', hints: ['nothing was sent'] });
}

/** The one domain that URLs may be on; undefined where none is set. */
export async function domainInForce(
  given: string | undefined,
  context: Context,
): Promise<string | undefined> {
  return given === undefined ? (await context.settings()).domain.value : await context.domain(given);
}

/** In blocks: a step for each of a million URLs would take longer than the check itself. */
function givenUrls(flags: PurgeFlags, context: Context): AsyncGenerator<readonly Given[]> {
  if (flags.file !== undefined) return fromLines(flags.file === '-' ? context.io.stdin : flags.file);
  if (flags.sitemap !== undefined) return fromSitemap(flags.sitemap, flags, context);
  return fromArguments(flags.urls);
}

async function* fromArguments(urls: readonly string[]): AsyncGenerator<readonly Given[]> {
  yield urls.map((text, index) => ({ place: `argument ${index + 1}`, text }));
}

async function* fromLines(source: Parameters<typeof readLines>[0]): AsyncGenerator<readonly Given[]> {
  for await (const block of readLines(source)) yield block.map(givenLine).filter(isNoRemark);
}

function givenLine({ line, text, fault }: TextLine): Given {
  const given = { place: line, text: text.trim() };
  if (fault === undefined) return given;
  return { ...given, fault: fault === 'nul' ? 'holds a NUL byte' : 'is not UTF-8' };
}

function isNoRemark({ text, fault }: Given): boolean {
  return fault !== undefined || (text !== '' && !text.startsWith('#'));
}

async function* fromSitemap(
  first: string,
  flags: PurgeFlags,
  context: Context,
): AsyncGenerator<readonly Given[]> {
  const { sitemapUrls } = await import('./sitemap-urls.ts');
  yield* sitemapUrls(first, flags, context);
}
