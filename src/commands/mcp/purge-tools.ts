import { PartialError, UsageError } from '../../errors/index.ts';
import { checkedBareDomain } from '../../operations/purge/bare-domain.ts';
import { checkedKeys, checkedUrls } from '../../operations/purge/check-targets.ts';
import { batchesOf, keyTargets, urlTargets } from '../../operations/purge/clear-targets.ts';
import type { PurgeEvent } from '../../operations/purge/purge.ts';
import { type CheckedTargets, purgeTargets } from '../../operations/purge/purge-targets.ts';
import { purgeRecord } from '../../operations/purge/tally.ts';
import type { Progress } from '../../terminal/progress.ts';
import { cdnSite } from '../framework/cdn-site.ts';
import type { Context } from '../framework/context.ts';
import { list, string } from '../framework/define-command.ts';
import { gatewayName } from '../framework/lock-machine.ts';
import { purgeOwner, purgeWork } from '../framework/purge-work.ts';
import { PLAN_MS, type PurgePlan } from './plans.ts';
import { defineTool, type Tool, type ToolResult } from './tool.ts';

const PURGES_SHOWN = 20;

/** The tools that plan and apply a purge. */
export const PURGE_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'purge_plan',
    title: 'Plan a purge',
    description: 'Checks URLs or surrogate keys to purge and returns a plan. Sends nothing.',
    options: {
      urls: list('--urls', 'complete https URLs'),
      keys: list('--keys', 'surrogate keys'),
      domain: string('--domain', 'the domain of the keys; for URLs, the only domain they may have'),
    },
    result: { plan: 'string', expiresInSeconds: 'integer', count: 'integer', requests: 'integer' },
    isLocal: true,
    async call({ urls, keys, domain }, { context, plans, maxTargets }) {
      const targets = [...urls, ...keys];
      if ((urls.length === 0) === (keys.length === 0))
        throw new UsageError('a plan requires either urls or keys', { code: 'missing_argument' });
      if (targets.length > maxTargets)
        throw new UsageError(`a plan may name at most ${maxTargets} URLs or keys`, {
          code: 'invalid_value',
          hints: ['make several plans'],
        });
      // What a command line could read as the name of a file, or as several keys.
      const bad =
        urls.find(url => !/^https?:\/\//i.test(url)) ?? keys.find(key => /[\s,]/.test(key) || key === '');
      if (bad !== undefined)
        throw new UsageError(
          urls.length > 0 ? `'${bad}' is not a complete URL` : `'${bad}' is not one surrogate key`,
          { code: 'invalid_value' },
        );
      const purge = await checkedTargets(urls, keys, domain, context);
      const kind = urls.length > 0 ? ('URLs' as const) : ('surrogate keys' as const);
      const plan = { purge, targets, kind, domain };
      return {
        data: {
          plan: plans.add(plan),
          expiresInSeconds: PLAN_MS / 1000,
          kind,
          count: targets.length,
          targets,
          requests: await requestCount(purge, context),
        },
      };
    },
  }),
  defineTool({
    name: 'purge_apply',
    title: 'Apply a purge plan',
    description: 'Purges the targets of a plan. A plan is valid once, for five minutes.',
    options: { plan: string('--plan', 'the id that purge_plan returned') },
    required: ['plan'],
    result: {
      result: { requested: 'integer', cleared: 'integer', failed: 'integer', failures: 'array' },
    },
    changes: 'purges',
    allowedBy: 'cdn-purge',
    question: ({ plan = '' }, { plans }) => questionOf(plans.find(plan)),
    call: async ({ plan = '' }, { context, plans }) => applied(plans.take(plan).purge, context),
  }),
  defineTool({
    name: 'purges',
    title: 'List earlier purges',
    description: 'Purges from this machine, the latest first. Confirmed: everything was cleared.',
    options: { domain: string('--domain', 'only of this domain') },
    result: { result: 'array' },
    isLocal: true,
    async call({ domain }, { context }) {
      const { purgeHistory } = await import('../framework/purge-history.ts');
      const only = domain === undefined ? undefined : await context.domain(domain);
      const gateway = await gatewayName(context);
      const records = (await purgeHistory(context)?.list()) ?? [];
      const result = records
        .filter(record => record.gateway === gateway && (only === undefined || record.domain === only))
        .slice(0, PURGES_SHOWN)
        // A command line is for people.
        .map(({ gateway: _, command: __, profile: ___, ...record }) => ({ ...record }));
      return { data: { result } };
    },
  }),
];

/** Throws UsageError for invalid targets. */
async function checkedTargets(
  urls: readonly string[],
  keys: readonly string[],
  given: string | undefined,
  context: Context,
): Promise<CheckedTargets> {
  if (urls.length > 0) {
    const domain =
      given === undefined ? (await context.settings()).domain.value : await context.domain(given);
    return { what: 'URL', targets: await checkedUrls(urls, domain), domain };
  }
  const targets = await checkedKeys(keys);
  return { what: 'key', targets, domain: await checkedBareDomain(await context.domain(given)) };
}

async function requestCount({ what, targets, domain }: CheckedTargets, context: Context): Promise<number> {
  const site = await cdnSite(context);
  const { batchSize } = what === 'URL' ? urlTargets(site) : keyTargets(site, domain ?? '');
  let count = 0;
  for await (const _batch of batchesOf(targets, batchSize)) count += 1;
  return count;
}

function questionOf({ targets, kind, domain }: PurgePlan): string {
  const where = domain === undefined ? '' : ` on ${domain}`;
  return `Purge ${targets.length} ${kind}${where}: ${targets.slice(0, 5).join(', ')}${targets.length > 5 ? ', …' : ''}`;
}

/** Shows the progress of a purge. */
function progressOf({ log }: Context): (event: PurgeEvent) => void {
  let progress: Progress | undefined;
  return event => {
    if (event.kind === 'sending') progress = log.progress(event.count, `${event.what}s`);
    if (event.kind === 'response' && (event.event.cleared || !event.event.split))
      progress?.advance(event.event.batch.targets.length);
  };
}

/** Purges the targets of a plan. Throws the failure if nothing was cleared. */
async function applied(purge: CheckedTargets, context: Context): Promise<ToolResult> {
  const { domain } = purge;
  const tally = await purgeTargets(purge, {
    ...purgeWork(context),
    report: progressOf(context),
    note: text => context.log.note(text),
    isResumable: !context.globals.sandbox,
    owner: salt => purgeOwner(domain, salt, context),
  });
  tally.throwIfNothingCleared();
  const { failed, requested } = tally.counts;
  const data = { result: purgeRecord(domain, tally) };
  if (failed === 0) return { data };
  const text = `${failed} of ${requested} could not be cleared`;
  return { data, error: new PartialError(text, { code: 'partial_failure' }) };
}
