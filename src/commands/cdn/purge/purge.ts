import { UsageError } from '../../../errors/index.ts';
import { defineCommand, variadic } from '../../framework/define-command.ts';
import { assertDistinctFiles } from '../../framework/distinct-files.ts';
import { object } from '../../framework/output-schema.ts';
import { OPTIONS, type PurgeFlags } from './flags.ts';

export const purge = defineCommand({
  name: 'purge',
  summary: 'clear URLs, surrogate keys or a whole domain from the cache',
  description:
    'Clears what is named, with the narrowest request for it, and lists what was not cleared. URLs come as arguments, from a file or from a sitemap; thousands travel in requests of 100, several at once. A refused request is split until the URL that is to blame stands alone. A purge that was interrupted, even by kill -9, goes on with --resume. Exit 7 means that some of it failed.',
  arguments: { urls: variadic('url', 'URLs to clear') },
  options: OPTIONS,
  examples: [
    { does: 'one page', command: 'gatectl cdn purge https://example.com/news' },
    {
      does: 'the pages of a deploy',
      command: 'gatectl cdn purge --file changed-urls.txt --failed-file failed.txt',
    },
    {
      does: 'everything tagged with a key',
      command: 'gatectl cdn purge --key article-4711 --domain example.com',
    },
    {
      does: 'the whole domain, from a script',
      command: 'gatectl cdn purge --all --domain example.com --yes',
    },
  ],
  answers: object({
    requested: ['number', 'how many URLs or keys were to be cleared'],
    cleared: ['number', 'how many were'],
    failed: ['number', 'how many were not'],
    requests: ['number', 'how many requests were sent'],
    failures: ['{target: string, error: string}[]', 'what was not cleared, and why'],
  }),
  async run(flags, context) {
    refuseOrphans(flags);
    assertDistinctFiles(
      [
        ['--file', flags.file],
        ['--key-file', flags.keyFile],
        ['--sitemap', flags.sitemap],
      ],
      [
        ['--failed-file', flags.failedFile],
        ['--receipt', flags.receipt],
      ],
      context.io,
    );
    switch (kindOf(flags)) {
      case 'URLs': {
        const { purgeUrls } = await import('./urls.ts');
        return await purgeUrls(flags, context);
      }
      case 'keys': {
        // It knows all public suffixes, which the purge of a page does without.
        const { purgeKeys } = await import('./keys.ts');
        return await purgeKeys(flags, context);
      }
      case 'domain': {
        const { purgeDomain } = await import('./domain.ts');
        return await purgeDomain(flags, context);
      }
      case 'resume': {
        const { resumePurge } = await import('./urls.ts');
        return await resumePurge(flags, context);
      }
    }
  },
});

type Kind = 'URLs' | 'keys' | 'domain' | 'resume';

/** The one kind of target. Throws UsageError for none, and names two that were given. */
function kindOf(flags: PurgeFlags): Kind {
  const given: [string, Kind][] = [];
  if (flags.urls.length > 0) given.push(['URLs as arguments', 'URLs']);
  if (flags.file !== undefined) given.push(['--file', 'URLs']);
  if (flags.sitemap !== undefined) given.push(['--sitemap', 'URLs']);
  if (flags.key.length > 0) given.push(['--key', 'keys']);
  if (flags.keyFile !== undefined) given.push(['--key-file', 'keys']);
  if (flags.keysFromPage !== undefined) given.push(['--keys-from-page', 'keys']);
  if (flags.all) given.push(['--all', 'domain']);
  if (flags.resume) given.push(['--resume', 'resume']);
  const [first, second] = given;
  if (first === undefined) {
    throw new UsageError('nothing to purge was named', {
      code: 'missing_argument',
      hints: [
        'give URLs, --file, --sitemap, --key, --key-file, --keys-from-page, or --all for a whole domain',
      ],
    });
  }
  if (second !== undefined) {
    throw new UsageError(`${first[0]} and ${second[0]} were both given`, {
      code: 'conflicting_options',
      hints: ['purge one kind a call'],
    });
  }
  return first[1];
}

/** Flags that mean nothing without another. Throws UsageError. */
function refuseOrphans({ all, yes, confirm, verify, receipt }: PurgeFlags): void {
  if (!all && (yes || confirm !== undefined)) {
    throw new UsageError(`${yes ? '--yes' : '--confirm'} goes with --all`, {
      hints: ['leave it out: nothing else asks'],
    });
  }
  if (receipt !== undefined && !verify)
    throw new UsageError('--receipt goes with --verify', { hints: ['add --verify'] });
}
