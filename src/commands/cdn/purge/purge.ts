import { UsageError } from '../../../errors/index.ts';
import { cannotCombine } from '../../../errors/usage.ts';
import type { Context } from '../../framework/context.ts';
import { defineCommand, variadic } from '../../framework/define-command.ts';
import { assertDistinctFiles } from '../../framework/file-arguments.ts';
import { object } from '../../framework/output-schema.ts';
import { listSources } from './collect-urls.ts';
import { OPTIONS, type PurgeFlags } from './flags.ts';
import { type Mode, modeOf } from './modes.ts';

export const purge = defineCommand({
  name: 'purge',
  effect: 'write',
  summary: 'purge URLs, surrogate keys or a whole domain from the cache',
  description: `Purges URLs in batches of 100, several at once. All URLs are checked before the first is sent. Lists have one URL per line, or are CSV or JSON with a column for the URL.

A rejected batch is split until the URL that causes it is found. Exit code 7 means that some targets failed. Repeat an interrupted purge within an hour, or add --resume, to purge what is left.`,
  arguments: { urls: variadic('url', 'URLs to purge; @FILE for a list, - for a list from stdin') },
  options: OPTIONS,
  examples: {
    'gatectl cdn purge https://example.com/news': 'one page',
    'gatectl cdn purge @changed-urls.txt --failed-file failed.txt': 'the pages of a deploy',
    'git diff --name-only HEAD~1 | sed "s#^#https://example.com/#" | gatectl cdn purge -':
      'URLs from another program',
    'gatectl cdn purge --changed dist/ --map map.yaml': 'what a deploy changed, with its listing pages',
    'gatectl cdn purge --event event.json --map map.yaml --explain': 'the pages of a CMS event',
    'gatectl cdn purge --key article-4711 --domain example.com': 'everything tagged with a key',
    'gatectl cdn purge --all --domain example.com --yes': 'the whole domain, from a script',
  },
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
      '{from: string, to: string, domain: string?, completeness: string, urls: number?, urls_without_figures: number, without_figures: string[], keys: number, flaws: string[], pages_with_views: number, pageviews: number?, pageviews_percent: number?, visits: number?, revenue: number?}?',
      'with --impact: traffic of the pages over 7 days; completeness is complete, incomplete (a lower bound) or unmeasured',
    ],
    warm: [
      '{warmed: number, failed: number, disallowed: number, stopped?: string}?',
      'with --warm: pages that were fetched again, that failed, and that robots.txt disallows',
    ],
    verification: [
      '{completeness: string, purged: number, checked: number, fresh: number, stale: number, unknown: number, pages: {url: string, verdict: string, reason: string, redirect: {to: string, purged: boolean, sentence: string}?}[]}?',
      'with --verify: the verdict on each page that was fetched again, and where it redirects to',
    ],
    method: ['string?', 'with --dry-run: a list of the requests, of which this is the method'],
    path: ['string?', 'with --dry-run: the path of the request'],
    body: ['any?', 'with --dry-run: the body of the request'],
    kind: ['string?', 'with --repeat-plan: a list of targets, of which this is the kind'],
    target: ['string?', 'with --repeat-plan: the target'],
    purged_again: ['string?', 'with --repeat-plan: the id of the last later purge that cleared it'],
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
  const kind = KINDS[modeOf(typed) ?? failWithoutTarget(context)];
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
    case 'event': {
      const { purgeEvents } = await import('./changes/events.ts');
      return await purgeEvents(flags, context);
    }
    case 'explain': {
      if (flags.event !== undefined) {
        if (typeof flags.explain === 'string') throw cannotCombine('--explain FILE and --event');
        const { explainEvents } = await import('./changes/events.ts');
        return await explainEvents(flags, context);
      }
      const { explainFile } = await import('./changes/explain.ts');
      return await explainFile(flags, context);
    }
    case 'repeat-plan': {
      const { printRepeatPlan } = await import('./repeat-plan.ts');
      return await printRepeatPlan(flags.repeatPlan ?? '', context);
    }
    case 'resume': {
      const { resumeLast } = await import('./resume.ts');
      return await resumeLast(flags, context);
    }
  }
}

const KINDS = {
  urls: 'URLs',
  file: 'URLs',
  sitemap: 'URLs',
  prefix: 'URLs',
  key: 'keys',
  keyFile: 'keys',
  keysFromPage: 'keys',
  all: 'domain',
  changed: 'changes',
  git: 'changes',
  event: 'event',
  explain: 'explain',
  repeatPlan: 'repeat-plan',
  resume: 'resume',
} as const satisfies Record<Mode, string>;

function failWithoutTarget({ io }: Context): never {
  throw new UsageError('no URL, key or domain to purge', {
    code: 'missing_argument',
    hints: [
      ...(io.stdin.isTTY ? [] : ['add - to read URLs from stdin']),
      'type URLs or @FILE, or use --sitemap, --key, --key-file, --keys-from-page, or --all for a whole domain',
    ],
  });
}
