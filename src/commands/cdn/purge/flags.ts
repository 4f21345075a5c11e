import { boolean, integer, list, outputFile, string, type ValuesOf } from '../../framework/define-command.ts';

/** The flags of `cdn purge`. */
export const OPTIONS = {
  file: string('--file <file>', 'clear the URLs of this file, one a line (- for stdin)', {
    completes: 'file',
  }),
  sitemap: string('--sitemap <file|url>', 'clear every URL of a sitemap; indexes and .gz are followed', {
    completes: 'file',
  }),
  key: list('--key <key...>', 'clear these surrogate keys (idempotent, or separated by commas)'),
  keyFile: string('--key-file <file>', 'clear the surrogate keys of this file, one a line (- for stdin)', {
    completes: 'file',
  }),
  keysFromPage: string(
    '--keys-from-page <url>',
    "clear the surrogate keys in this page's Surrogate-Key header",
    { isPasted: true },
  ),
  all: boolean('--all', 'purge everything of the domain'),
  resume: boolean('--resume', 'continue the purge that was interrupted last'),
  domain: string(
    '--domain <domain>',
    "the bare domain of keys and --all, and of all URLs (default: the profile's)",
    { completes: 'domain', isPasted: true },
  ),
  anyDomain: boolean('--any-domain', 'allow URLs that are not on the domain'),
  skipInvalid: boolean('--skip-invalid', 'leave out lines that are no URL instead of refusing the list'),
  concurrency: integer('--concurrency <n>', 'requests at once', { min: 1, max: 64, fallback: 4 }),
  // commander sets a --no flag to true until it is given.
  split: boolean('--no-split', 'leave a refused batch whole instead of finding the URL that is to blame'),
  failedFile: outputFile(
    '--failed-file <file>',
    'write failed targets to this file, in the format --file reads',
  ),
  dryRun: boolean('--dry-run', 'print the requests and send none'),
  repeatAfter: integer(
    '--repeat-after <seconds>',
    'purge again after this many seconds, to catch pages cached in between',
    {
      min: 1,
      max: 86_400,
    },
  ),
  verify: boolean('--verify', 'fetch the URLs before and after (the first 50) and say which are fresh'),
  receipt: outputFile('--receipt <file>', 'with --verify: write what was seen as JSON'),
  yes: boolean('--yes', 'with --all: do not ask'),
  confirm: string('--confirm <domain>', 'with --all: the domain once more, as protected profiles want it'),
};

/** What a purge is told on the command line. */
export type PurgeFlags = ValuesOf<typeof OPTIONS> & { readonly urls: readonly string[] };
