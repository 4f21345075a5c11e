import { invalidValue, missingArgument } from '../../errors/usage.ts';
import { checkedBareDomain } from '../../operations/purge/bare-domain.ts';
import { checkedKeys, checkedUrls } from '../../operations/purge/check-targets.ts';
import { batchesOf, keyTargets, urlTargets } from '../../operations/purge/clear-targets.ts';
import type { CheckedTargets } from '../../operations/purge/purge-targets.ts';
import { purgeRecord } from '../../operations/purge/tally.ts';
import { type Plan, readPlan } from '../../operations/writes/plan.ts';
import { appliedPlan } from '../framework/apply-plan.ts';
import { cdnSite } from '../framework/cdn-site.ts';
import type { Context } from '../framework/context.ts';
import { list, string } from '../framework/define-command.ts';
import { makePlan, storedPlanPath, storePlan } from '../framework/make-plan.ts';
import { loggedPurges, loggedWrites } from '../framework/write-history.ts';
import { defineTool, type Tool, type ToolResult } from './tool.ts';

const PURGES_SHOWN = 20;
const CHANGES_SHOWN = 20;
/** A plan can be applied for five minutes. */
const PLAN_MS = 5 * 60_000;

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
    async call({ urls, keys, domain }, { context, maxTargets }) {
      const targets = [...urls, ...keys];
      if ((urls.length === 0) === (keys.length === 0))
        throw missingArgument('a plan requires either urls or keys');
      if (targets.length > maxTargets)
        throw invalidValue(`a plan may name at most ${maxTargets} URLs or keys`, 'make several plans');
      // What a command line could read as the name of a file, or as several keys.
      const bad =
        urls.find(url => !/^https?:\/\//i.test(url)) ?? keys.find(key => /[\s,]/.test(key) || key === '');
      if (bad !== undefined)
        throw invalidValue(
          urls.length > 0 ? `'${bad}' is not a complete URL` : `'${bad}' is not one surrogate key`,
        );
      const purge = await checkedTargets(urls, keys, domain, context);
      const plan = await makePlan({ kind: 'purge', ...purge, maxImpact: undefined }, PLAN_MS, context);
      await storePlan(plan, context);
      return {
        data: {
          plan: plan.id,
          expiresInSeconds: PLAN_MS / 1000,
          kind: urls.length > 0 ? 'URLs' : 'surrogate keys',
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
    effect: 'write',
    allowedBy: 'cdn-purge',
    question: async ({ plan = '' }, context) =>
      questionOf(await readPlan(storedPlanPath(idOf(plan), context))),
    call: async ({ plan = '' }, { context }) => applied(idOf(plan), context),
  }),
  defineTool({
    name: 'purges',
    title: 'List earlier purges',
    description: 'Purges from this machine, the latest first. Confirmed: everything was cleared.',
    options: { domain: string('--domain', 'only of this domain') },
    result: { result: 'array' },
    isLocal: true,
    async call({ domain }, { context }) {
      const only = domain === undefined ? undefined : await context.domain(domain);
      // A command line is for people.
      const result = (await loggedPurges(context, only))
        .slice(0, PURGES_SHOWN)
        .map(({ id, startedAt, domain, what, requested, cleared, failed, confirmed }) => ({
          ...{ id, startedAt, ...(domain !== undefined && { domain }), what },
          ...{ requested, cleared, failed, confirmed },
        }));
      return { data: { result } };
    },
  }),
  defineTool({
    name: 'changes',
    title: 'List changes',
    description:
      'What was changed from this machine, the latest first. Unknown: no response. Intact: the log was not edited.',
    options: {},
    result: { result: 'array', intact: 'boolean' },
    isLocal: true,
    async call(_, { context }) {
      const { writes, isIntact } = await loggedWrites(context);
      // A command line is for people.
      const result = writes.slice(0, CHANGES_SHOWN).map(({ command: _, ...write }) => write);
      return { data: { result, intact: isIntact } };
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
    return { what: 'URL', targets: await checkedUrls(urls, domain), keys: [], domain };
  }
  const targets = await checkedKeys(keys);
  return { what: 'key', targets, keys: [], domain: await checkedBareDomain(await context.domain(given)) };
}

async function requestCount({ what, targets, domain }: CheckedTargets, context: Context): Promise<number> {
  const site = await cdnSite(context);
  const { batchSize } = what === 'URL' ? urlTargets(site) : keyTargets(site, domain ?? '');
  let count = 0;
  for await (const _batch of batchesOf(targets, batchSize)) count += 1;
  return count;
}

/** Throws UsageError for what is not an id: an assistant applies what was planned here, not the files of this machine. */
function idOf(plan: string): string {
  if (/^[\w-]{16}$/.test(plan)) return plan;
  throw invalidValue('this is not the id of a plan', 'call purge_plan');
}

function questionOf({ write }: Plan): string {
  if (write.kind === 'request') return `Send ${write.method} ${write.path}`;
  const { what, domain, targets } = write;
  const where = domain === undefined ? '' : ` on ${domain}`;
  const of = what === 'URL' ? 'URLs' : 'surrogate keys';
  return `Purge ${targets.length} ${of}${where}: ${targets.slice(0, 5).join(', ')}${targets.length > 5 ? ', …' : ''}`;
}

/** Applies the plan. Throws the failure if nothing was cleared. */
async function applied(id: string, context: Context): Promise<ToolResult> {
  const result = await appliedPlan(storedPlanPath(id, context), context);
  if (result.kind === 'request') return { data: { result: result.response } };
  const { tally, purge } = result;
  const { shortfall } = tally;
  const data = { result: purgeRecord(purge.domain, tally) };
  return { data, ...(shortfall !== undefined && { error: shortfall }) };
}
