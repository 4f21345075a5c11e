import { UsageError } from '../../../errors/index.ts';
import type { Context } from '../../framework/context.ts';
import { defineCommand, variadic } from '../../framework/define-command.ts';
import { assertDistinctFiles } from '../../framework/file-arguments.ts';
import { object } from '../../framework/output-schema.ts';
import { listSources } from './collect-urls.ts';
import { OPTIONS, type PurgeFlags } from './flags.ts';
import { impactOfKeys } from './impact-of-keys.ts';

export const purge = defineCommand({
  name: 'purge',
  summary: 'purge URLs, surrogate keys or a whole domain from the cache',
  description: `Purges URLs in batches of 100, several at once. All URLs are checked before the first is sent. Lists have one URL per line, or are CSV or JSON with a column for the URL.

A rejected batch is split until the URL that causes it is found. Exit code 7 means that some targets failed. Repeat an interrupted purge within an hour, or add --resume, to purge what is left.`,
  arguments: { urls: variadic('url', 'URLs to purge; @FILE for a list, - for a list from stdin') },
  options: OPTIONS,
  examples: [
    { does: 'one page', command: 'gatectl cdn purge https://example.com/news' },
    {
      does: 'the pages of a deploy',
      command: 'gatectl cdn purge @changed-urls.txt --failed-file failed.txt',
    },
    {
      does: 'URLs from another program',
      command: 'git diff --name-only HEAD~1 | sed "s#^#https://example.com/#" | gatectl cdn purge -',
    },
    {
      does: 'what a deploy changed, and listing pages of it',
      command: 'gatectl cdn purge --changed dist/ --map map.yaml',
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
  output: object({
    domain: ['string?', 'the domain, where all targets are on one'],
    requested: ['number', 'number of URLs or keys to purge'],
    cleared: ['number', 'number of those cleared'],
    failed: ['number', 'number of those not cleared'],
    requests: ['number', 'number of requests sent'],
    failures: ['{target: string, error: string}[]', 'targets that were not cleared, and why'],
    scope: ['string?', 'with --changed and --git: changes, widened, known or everything'],
    reasons: ['string[]?', 'why more than what changed was purged'],
    impact: [
      '{from: string, to: string, pages_with_views: number, pageviews: number, pageviews_percent: number, visits: number, revenue: number}?',
      'with --impact: traffic of the pages over 7 days',
    ],
    warm: [
      '{warmed: number, failed: number, disallowed: number, stopped?: string}?',
      'with --warm: pages that were fetched again, that failed, and that robots.txt disallows',
    ],
    changes: ['{changed: number, added: number, removed: number, renamed: number}?', 'what changed, in URLs'],
  }),
  async run(typed, context) {
    if (typed.summary !== undefined) {
      const { assertAppendable } = await import('./job-summary.ts');
      await assertAppendable(typed.summary);
    }
    try {
      await purgeTargets(typed, context);
    } catch (error) {
      if (typed.summary !== undefined) {
        const { summarizeError } = await import('./job-summary.ts');
        await summarizeError(typed.summary, error, context);
      }
      throw error;
    }
  },
});

async function purgeTargets(typed: PurgeFlags, context: Context): Promise<void> {
  assertCombinable(typed);
  const kind = kindOf(typed, context);
  assertForUrls(kind, typed);
  const lists = listSources(typed);
  if (lists.filter(([, source]) => source === '-').length > 1)
    throw new UsageError('stdin can be read only once', {
      code: 'conflicting_options',
      hints: ['name - once'],
    });
  assertDistinctFiles(
    [...lists, ['--key-file', typed.keyFile], ['--sitemap', typed.sitemap]],
    [
      ['--failed-file', typed.failedFile],
      ['--receipt', typed.receipt],
      ['--summary', typed.summary],
    ],
    context.io,
  );
  if (kind === 'domain') {
    const { purgeDomain } = await import('./domain.ts');
    return await purgeDomain(typed, context);
  }
  const { domain } = typed;
  const flags = { ...typed, domain: domain === undefined ? undefined : await context.domain(domain) };
  switch (kind) {
    case 'URLs': {
      const { purgeUrls } = await import('./urls.ts');
      return await purgeUrls(flags, context);
    }
    case 'keys': {
      // Loads the public suffixes, which a purge of URLs does without.
      const { purgeKeys } = await import('./keys.ts');
      return await purgeKeys(flags, context);
    }
    case 'changes': {
      const { purgeChanges } = await import('./changes/changes.ts');
      return await purgeChanges(flags, context);
    }
    case 'explain': {
      const { explainFile } = await import('./changes/explain.ts');
      return await explainFile(flags.explain ?? '', flags, context);
    }
    case 'undo-plan': {
      const { printUndoPlan } = await import('./undo-plan.ts');
      return await printUndoPlan(flags.undoPlan ?? '', context);
    }
    case 'resume': {
      const { resumeLast } = await import('./resume.ts');
      return await resumeLast(flags, context);
    }
  }
}

type Kind = 'URLs' | 'keys' | 'domain' | 'changes' | 'explain' | 'undo-plan' | 'resume';

/** The one kind of target. Throws UsageError for none, and for two. */
function kindOf(flags: PurgeFlags, { io }: Context): Kind {
  const named: [string, Kind][] = [];
  if (flags.explain !== undefined) named.push(['--explain', 'explain']);
  if (flags.urls.length > 0) named.push(['URL', 'URLs']);
  if (flags.file !== undefined) named.push(['--file', 'URLs']);
  if (flags.sitemap !== undefined) named.push(['--sitemap', 'URLs']);
  if (flags.prefix !== undefined) named.push(['--prefix', 'URLs']);
  if (flags.key.length > 0) named.push(['--key', 'keys']);
  if (flags.keyFile !== undefined) named.push(['--key-file', 'keys']);
  if (flags.keysFromPage !== undefined) named.push(['--keys-from-page', 'keys']);
  if (flags.all) named.push(['--all', 'domain']);
  // With --explain they name the site.
  if (flags.explain === undefined) {
    if (flags.changed !== undefined) named.push(['--changed', 'changes']);
    if (flags.git !== undefined) named.push(['--git', 'changes']);
  }
  if (flags.undoPlan !== undefined) named.push(['--undo-plan', 'undo-plan']);
  if (flags.resume) named.push(['--resume', 'resume']);
  const [first, second] = named;
  if (first === undefined) {
    throw new UsageError('no URL, key or domain to purge', {
      code: 'missing_argument',
      hints: [
        ...(io.stdin.isTTY ? [] : ['add - to read URLs from stdin']),
        'type URLs or @FILE, or use --sitemap, --key, --key-file, --keys-from-page, or --all for a whole domain',
      ],
    });
  }
  if (second !== undefined) {
    throw new UsageError(`${first[0]} and ${second[0]} cannot be combined`, {
      code: 'conflicting_options',
      hints: ['use one of them'],
    });
  }
  if (flags.verify && (first[1] === 'keys' || first[1] === 'domain'))
    throw new UsageError(`--verify requires URLs, not ${first[0]}`, {
      code: 'conflicting_options',
      hints: ['omit it: which pages are cleared is not known'],
    });
  if (first[1] === 'explain' || first[1] === 'undo-plan') assertSendsNothing(first[0], flags);
  return first[1];
}

/** Throws UsageError for options of a purge, which do not apply where nothing is sent. */
function assertSendsNothing(name: string, flags: PurgeFlags): void {
  const ignored: readonly [string, boolean][] = [
    ['--dry-run', flags.dryRun],
    ['--verify', flags.verify],
    ['--stage', flags.stage !== undefined],
    ['--impact', flags.impact],
    ['--max-impact', flags.maxImpact !== undefined],
    ['--warm', flags.warm !== undefined],
    ['--repeat-after', flags.repeatAfter !== undefined],
    ['--failed-file', flags.failedFile !== undefined],
    ['--summary', flags.summary !== undefined],
    ['--skip-invalid', flags.skipInvalid],
    ['--or-all', flags.orAll],
    ['--deploy', flags.deploy !== undefined],
  ];
  const [option] = ignored.find(([, isTyped]) => isTyped) ?? [];
  if (option !== undefined)
    throw new UsageError(`${name} and ${option} cannot be combined`, {
      code: 'conflicting_options',
      hints: [`remove ${option}: ${name} sends nothing`],
    });
}

/** Throws UsageError for flags that do not apply to keys, or to all of a domain. */
function assertForUrls(kind: Kind, { impact, maxImpact, stage, warm }: PurgeFlags): void {
  const isKeys = kind === 'keys';
  if (isKeys && (impact || maxImpact !== undefined))
    throw impactOfKeys('remove --impact and --max-impact, or name the URLs');
  if (isKeys && warm !== undefined)
    throw new UsageError('the pages of surrogate keys are not known, so they cannot be warmed', {
      code: 'conflicting_options',
      hints: ['remove --warm, or name the URLs'],
    });
  if (stage !== undefined && (isKeys || kind === 'domain'))
    throw new UsageError('only a purge of URLs has stages', {
      code: 'conflicting_options',
      hints: ['remove --stage, or name the URLs'],
    });
}

/** Throws UsageError for flags that require another. */
function assertCombinable(flags: PurgeFlags): void {
  const { all, orAll, yes, confirm, verify, receipt, changed, git, map, explain, deploy } = flags;
  const { sitemap, changedSince, prefix, knownFrom, stage, pause, warm, warmRate } = flags;
  if (!all && !orAll && (yes || confirm !== undefined)) {
    throw new UsageError(`${yes ? '--yes' : '--confirm'} requires --all`, {
      hints: ['remove it: only --all requires confirmation'],
    });
  }
  if (receipt !== undefined && !verify)
    throw new UsageError('--receipt requires --verify', { hints: ['add --verify'] });
  if (explain !== undefined && map === undefined && changed === undefined)
    throw new UsageError('--explain requires --map or --changed', { hints: ['add --map FILE'] });
  if (changedSince !== undefined && sitemap === undefined)
    throw new UsageError('--changed-since requires --sitemap', { hints: ['add --sitemap URL'] });
  if (knownFrom !== undefined && prefix === undefined)
    throw new UsageError('--known-from requires --prefix', { hints: ['add --prefix URL'] });
  if (pause > 0 && stage === undefined)
    throw new UsageError('--pause requires --stage', { hints: ['add --stage 2%,20%,100%'] });
  if (warmRate !== undefined && warm === undefined)
    throw new UsageError('--warm-rate requires --warm', { hints: ['add --warm top:500'] });
  if (changed !== undefined || git !== undefined) return;
  const [lonely] = [
    ...(map !== undefined && explain === undefined ? ['--map'] : []),
    ...(deploy !== undefined ? ['--deploy'] : []),
    ...(orAll ? ['--or-all'] : []),
  ];
  if (lonely !== undefined)
    throw new UsageError(`${lonely} requires --changed or --git`, {
      hints: ['add --changed DIR or --git REVISION'],
    });
}
