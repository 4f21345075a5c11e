import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readDatePhrase } from '../../../analysis/relative-dates.ts';
import { isChangedSince, type Since } from '../../../apis/cdn/changed-since.ts';
import type { UrlEntry } from '../../../apis/cdn/clean-url.ts';
import { stateFolder } from '../../../config/platform.ts';
import { FileError, UsageError } from '../../../errors/index.ts';
import { writeAtomic } from '../../../files/atomic-file.ts';
import { readFile } from '../../../files/disk.ts';
import { fileError, systemCode } from '../../../files/file-error.ts';
import { makePrivateFolder } from '../../../files/folders.ts';
import { todayOf } from '../../../operations/today.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { gatewayName } from '../../framework/lock-machine.ts';
import type { PurgeFlags } from './flags.ts';
import { sitemapUrls } from './sitemap-urls.ts';

/** The pages of a sitemap that changed since a day, or since the last confirmed purge of them. */
export class SitemapChanges {
  readonly #sitemap: string;
  readonly #since: Since;
  readonly #statePath: string | undefined;
  readonly #startedAt: number;
  #dated = 0;
  #undated = 0;

  private constructor(sitemap: string, since: Since, statePath: string | undefined, startedAt: number) {
    this.#sitemap = sitemap;
    this.#since = since;
    this.#statePath = statePath;
    this.#startedAt = startedAt;
  }

  /** Throws UsageError for an invalid day, and for `last` without a confirmed purge; FileError. */
  static async open(
    sitemap: string,
    changedSince: string,
    domain: string | undefined,
    context: Context,
  ): Promise<SitemapChanges> {
    const { profile } = await context.settings();
    const folder = stateFolder(context.io);
    const scope = JSON.stringify([await gatewayName(context), profile.value ?? '', domain ?? '', sitemap]);
    const name = `sitemap-${createHash('sha256').update(scope).digest('hex').slice(0, 16)}.json`;
    const path = folder === undefined ? undefined : join(folder, 'confirmed', name);
    const since =
      changedSince === 'last' ? await lastPurge(path, sitemap) : await sinceDay(changedSince, context);
    return new SitemapChanges(sitemap, since, path, context.clock.now());
  }

  /** The changed pages, and those without a date in the sitemap. Throws UsageError where no page has a date. */
  async *urls(flags: PurgeFlags, context: Context): AsyncGenerator<readonly UrlEntry[]> {
    yield* sitemapUrls(this.#sitemap, flags, context, modified => {
      const isChanged = isChangedSince(modified, this.#since);
      if (isChanged === undefined) this.#undated += 1;
      else this.#dated += 1;
      return isChanged ?? true;
    });
    if (this.#dated === 0 && this.#undated > 0)
      throw new UsageError(`${this.#sitemap} has no valid lastmod, so it is unknown which pages changed`, {
        code: 'invalid_input',
        hints: ['nothing was sent: purge all of its pages without --changed-since'],
      });
    if (this.#undated > 0)
      context.log.note(`included ${pluralize(this.#undated, 'page')} without a valid lastmod`);
  }

  /** Records that everything up to the start of this purge was purged. Throws FileError. */
  async confirm(): Promise<void> {
    const path = this.#statePath;
    if (path === undefined) return;
    await makePrivateFolder(join(path, '..'));
    const state = { sitemap: this.#sitemap, at: new Date(this.#startedAt).toISOString() };
    await writeAtomic(path, `${JSON.stringify(state)}\n`, { mode: 0o600 });
  }
}

async function sinceDay(text: string, context: Context): Promise<Since> {
  const today = await todayOf(context);
  const phrase = readDatePhrase(text, today);
  if (phrase !== undefined) return { kind: 'day', day: phrase.from };
  throw new UsageError(`--changed-since cannot be '${text}'`, {
    code: 'invalid_value',
    hints: ['type last, or a day such as 2026-10-05, yesterday or -7d'],
  });
}

async function lastPurge(path: string | undefined, sitemap: string): Promise<Since> {
  const at = path === undefined ? undefined : await storedTime(path);
  if (at !== undefined) return { kind: 'time', at };
  throw new UsageError(`no purge of ${sitemap} is confirmed yet, so what changed since is not known`, {
    code: 'invalid_input',
    hints: ['nothing was sent: type a day, such as --changed-since yesterday'],
  });
}

async function storedTime(path: string): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(error => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw fileError(path, error, 'read');
  });
  if (text === undefined) return undefined;
  const time = Date.parse(/"at":"([^"]+)"/.exec(text)?.[1] ?? '');
  if (Number.isNaN(time)) throw new FileError(`${path} is damaged`, { path, code: 'invalid_file' });
  return time;
}
