import { UsageError } from '../../../errors/index.ts';
import type { Context } from '../../framework/context.ts';
import {
  boolean,
  duration,
  flagName,
  inGroup,
  integer,
  list,
  type Option,
  optionalString,
  outputFile,
  string,
  type ValuesOf,
} from '../../framework/define-command.ts';
import { PLAN_FLAGS } from '../../framework/plan-flags.ts';
import { type Share, shareOf } from '../../framework/share.ts';
import { concurrencyFlag } from '../../framework/shared-flags.ts';

/** The flags that select what to purge. */
const TARGET_OPTIONS = inGroup('Targets', {
  file: string('--file <file>', 'purge the URLs in this file, the same as @FILE (- for stdin)', {
    completes: 'file',
  }),
  sitemap: string('--sitemap <file|url>', 'purge every URL of a sitemap; follows indexes and .gz', {
    completes: 'file',
  }),
  changedSince: string(
    '--changed-since <last|day>',
    'with --sitemap: only pages that changed since the last confirmed purge, or a day',
  ),
  prefix: string('--prefix <url>', 'purge all known URLs that start with this one', { isPasted: true }),
  knownFrom: string(
    '--known-from <sources>',
    'with --prefix: sitemap, sitemap:URL, analytics, analytics:30d (default: sitemap,analytics)',
  ),
  key: list('--key <key...>', 'purge these surrogate keys (repeatable, or separated by commas)'),
  keyFile: string(
    '--key-file <file>',
    'purge the surrogate keys in this file: lines, CSV or JSON (- for stdin)',
    {
      completes: 'file',
    },
  ),
  keysFromPage: string(
    '--keys-from-page <url>',
    "purge the surrogate keys in this page's Surrogate-Key header",
    { isPasted: true },
  ),
  all: boolean('--all', 'purge everything on the domain'),
  changed: string('--changed <dir>', 'purge what changed in a built site since the last confirmed purge', {
    completes: 'directory',
  }),
  git: string(
    '--git <revision>',
    'purge what changed up to this deployed revision; BASE..REF names the base',
  ),
  resume: boolean('--resume', 'resume the last interrupted purge'),
  // A --no flag is true unless it is typed.
  autoResume: boolean('--no-resume', 'purge all URLs, even if a purge of the same list was interrupted'),
});

/** The flags of purges of what changed. */
const CHANGE_OPTIONS = inGroup('Changes', {
  event: string('--event <file>', 'purge the pages of a CMS event, in JSON; requires --map', {
    completes: 'file',
  }),
  map: string('--map <file>', 'YAML with rules from files and events to URLs and surrogate keys', {
    completes: 'file',
  }),
  explain: optionalString(
    '--explain [file]',
    'print which URLs a file, or --event, purges, and send nothing',
  ),
  deploy: integer('--deploy <number>', 'deploy number; if one was skipped, purges more', { min: 1 }),
  orAll: boolean('--or-all', 'purge the whole domain where the changes are not known; requires --yes'),
  repeatPlan: string('--repeat-plan <id>', 'list the targets of an earlier purge, and send nothing'),
});

function share(flags: string, summary: string): Option<Share | undefined> {
  const read = (given: string): Share => {
    const found = shareOf(given);
    if (found !== undefined) return found;
    throw new UsageError(`${flagName(flags)} cannot be '${given}'`, {
      code: 'invalid_value',
      hints: ['type a share such as 5% or 0.5%'],
    });
  };
  return { flags, summary, kind: 'single', fallback: undefined, completes: 'none', read };
}

/** The ends of stages, from 0 to 1, ascending to 1. */
function stages(flags: string, summary: string): Option<readonly number[] | undefined> {
  const read = (given: string): readonly number[] => {
    const ends = given.split(',').map(word => Number(shareOf(word)?.percent ?? Number.NaN) / 100);
    const isAscending = ends.every((end, index) => end > (ends[index - 1] ?? 0));
    if (isAscending && ends.at(-1) === 1) return ends;
    throw new UsageError(`--stage cannot be '${given}'`, {
      code: 'invalid_value',
      hints: ['type ascending shares that end with 100%, such as 2%,20%,100%'],
    });
  };
  return { flags, summary, kind: 'single', fallback: undefined, completes: 'none', read };
}

/** A number in a text such as `top:500` or `20/s`. */
function numberIn(
  flags: string,
  summary: string,
  pattern: RegExp,
  example: string,
): Option<number | undefined> {
  const read = (given: string): number => {
    const value = Number(pattern.exec(given.trim())?.[1] ?? Number.NaN);
    if (value > 0) return value;
    throw new UsageError(`${flagName(flags)} cannot be '${given}'`, {
      code: 'invalid_value',
      hints: [`type ${example}`],
    });
  };
  return { flags, summary, kind: 'single', fallback: undefined, completes: 'none', read };
}

/** The flags that relate a purge to the traffic of its pages. */
const TRAFFIC_OPTIONS = inGroup('Traffic', {
  impact: boolean(
    '--impact',
    'print page views, visits and revenue of the pages over 7 days before the purge',
  ),
  maxImpact: share(
    '--max-impact <share>',
    'send nothing unless the pages are known to have at most this share of the page views, such as 5%',
  ),
  stage: stages('--stage <shares>', 'purge in stages, such as 2%,20%,100%; stop at failed or stale pages'),
  pause: duration('--pause <time>', 'with --stage: wait between stages, such as 60s', {
    min: 0,
    fallback: 0,
    shownDefault: 'none',
  }),
  warm: numberIn(
    '--warm <top:n>',
    'fetch the most viewed of the purged pages again, such as top:500',
    /^top:(\d{1,7})$/,
    'top:500',
  ),
  warmRate: numberIn(
    '--warm-rate <n/s>',
    'with --warm: maximum requests per second (default 10/s)',
    /^(\d{1,4}(?:\.\d{1,3})?)\/s$/,
    '20/s',
  ),
});

/** The flags of `cdn purge`. */
export const OPTIONS = {
  ...TARGET_OPTIONS,
  ...CHANGE_OPTIONS,
  ...TRAFFIC_OPTIONS,
  ...inGroup('Targets', {
    domain: string(
      '--domain <domain>',
      "the domain of keys and of --all, and the only one URLs may be on (default: the profile's)",
      { completes: 'domain', isPasted: true },
    ),
    anyDomain: boolean('--any-domain', 'allow URLs of any domain'),
    skipInvalid: boolean('--skip-invalid', 'skip invalid URLs instead of rejecting the list'),
  }),
  ...inGroup('Run', {
    concurrency: concurrencyFlag(),
    // As above.
    split: boolean('--no-split', 'do not split a rejected batch to find the invalid URL'),
    failedFile: outputFile(
      '--failed-file <file>',
      'write failed targets to this file, in the format --file reads',
    ),
    summary: outputFile(
      '--summary <file>',
      'append the outcome as Markdown, such as to $GITHUB_STEP_SUMMARY',
    ),
    dryRun: boolean('--dry-run', 'print the requests without sending them'),
    ...PLAN_FLAGS,
    repeatAfter: integer(
      '--repeat-after <seconds>',
      'purge again after this many seconds, to catch pages cached in between',
      {
        min: 1,
        max: 86_400,
      },
    ),
    verify: boolean('--verify', 'fetch the first 50 URLs before and after, and report which are fresh'),
    receipt: outputFile('--receipt <file>', 'with --verify: write the result as JSON'),
    yes: boolean('--yes', 'with --all and --or-all: skip the confirmation'),
    confirm: string('--confirm <domain>', 'with --all: confirm the domain, as protected profiles require'),
  }),
};

/** Whether the command line sends nothing: it prints the requests, or plans them. */
export function isUnsent(
  { dryRun, planOut }: Pick<PurgeFlags, 'dryRun' | 'planOut'>,
  { globals }: Pick<Context, 'globals'>,
): boolean {
  return dryRun || planOut !== undefined || globals.curl;
}

/** The command line of a purge. */
export type PurgeFlags = ValuesOf<typeof OPTIONS> & { readonly urls: readonly string[] };
