import { UsageError } from '../../errors/index.ts';
import type { JsonRecord } from '../../json/index.ts';
import type { Plan } from '../../operations/writes/plan.ts';
import { groupDigits } from '../../terminal/numbers.ts';
import type { Context, OutputSection } from '../framework/context.ts';
import { boolean, defineCommand, required } from '../framework/define-command.ts';
import { OPEN, object } from '../framework/output-schema.ts';

const PLAN = required('plan', 'the file of the plan, or the id of one that MCP made here', {
  completes: 'file',
});
const SHOWN_TARGETS = 10;

const PLAN_OUTPUT = {
  hash: ['string', 'the hash that approvals sign, as in the log'],
  expires: ['string', 'RFC 3339'],
  what: ['string?', 'URL, key or everything'],
  domain: ['string?', 'the domain, where all targets are on one'],
  targets: ['number?', 'number of URLs, keys or domains'],
  request: ['string?', 'method and path, of a plan that is not a purge'],
} as const;

export const planKey = defineCommand({
  name: 'key',
  effect: 'read',
  summary: 'print the key with which you approve plans',
  description:
    'Prints the public key for the approvers of a policy. The first time, an Ed25519 key is made; its private part is in a file that only you can read.',
  options: {},
  examples: { 'gatectl plan key': 'the line for the policy' },
  output: object({
    key: ['string', 'the public key'],
    file: ['string', 'where the private key is'],
    isNew: ['boolean', 'whether it was made now'],
  }),
  async run(_, context) {
    const { approvalKey } = await import('../../operations/writes/approval.ts');
    const { approvalKeyPath } = await import('../framework/make-plan.ts');
    const file = approvalKeyPath(context);
    const { key, isNew } = await approvalKey(file);
    await context.out.print({ key, file, isNew }, { columns: [{ key: 'key', title: 'Key', kind: 'text' }] });
    if (isNew) context.log.note(`the private key is in ${file}`);
  },
});

export const planShow = defineCommand({
  name: 'show',
  effect: 'read',
  summary: 'print what a plan does, and who approved it',
  description: 'Checks that the plan was not changed, and prints it with the approvals that are valid.',
  arguments: { plan: PLAN },
  options: {},
  examples: {
    'gatectl plan show plan.json': 'what it would change',
    "gatectl plan show plan.json --jq '.write.targets[]' ": 'all targets',
  },
  output: object({
    ...PLAN_OUTPUT,
    created: ['string', 'RFC 3339'],
    by: ['{user: string?, host: string, job: string?, key: string?}', 'who made it'],
    command: ['string', 'the command line that made it'],
    gateway: ['string', 'the gateway that it is for'],
    isExpired: ['boolean', 'whether it can no longer be applied'],
    approvals: [
      '{name: string?, key: string, at: string}[]',
      'valid approvals, with the names of the policies',
    ],
    write: ['object', 'everything that it sends'],
  }),
  async run({ plan: given }, context) {
    const plan = await readGiven(given, context);
    const data = await described(plan, context);
    await context.out.printSections(data, await sectionsOf(plan, data), [data]);
  },
});

export const planApprove = defineCommand({
  name: 'approve',
  effect: 'read',
  summary: 'sign a plan so that it can be applied',
  description:
    'Prints what the plan does and, once confirmed, adds your signature of it to the file. The policy says whose approvals count.',
  arguments: { plan: PLAN },
  options: { yes: boolean('--yes', 'skip the confirmation') },
  examples: { 'gatectl plan approve plan.json': 'approve a plan of a pull request' },
  output: object({
    hash: ['string', 'what was signed'],
    approvals: ['number', 'valid approvals of the plan now'],
  }),
  async run({ plan: given, yes }, context) {
    const plan = await readGiven(given, context);
    const { approve, readApprovalKey } = await import('../../operations/writes/approval.ts');
    const { isValidAt, writePlan } = await import('../../operations/writes/plan.ts');
    const { approvalKeyPath } = await import('../framework/make-plan.ts');
    const { planPath } = await import('../framework/apply-plan.ts');
    if (!isValidAt(plan, context.io.now()))
      throw new UsageError(`the plan is valid from ${plan.created} to ${plan.expires} only`, {
        code: 'denied',
      });
    const own = await readApprovalKey(approvalKeyPath(context));
    if (own === undefined)
      throw new UsageError('you have no key to approve with', {
        code: 'missing_setting',
        hints: ['run gatectl plan key, and have its key added to the policy'],
      });
    if (plan.by.key === own.key)
      throw new UsageError('you made this plan: somebody else must approve it', { code: 'denied' });
    await confirm(plan, yes, context);
    const at = new Date(context.io.now()).toISOString();
    const others = plan.approvals.filter(({ key }) => key !== own.key);
    const approvals = [...others, approve(plan.hash, own, at)];
    await writePlan(await planPath(given, context), { ...plan, approvals });
    await context.out.print({ hash: plan.hash, approvals: approvals.length });
  },
});

export const planApply = defineCommand({
  name: 'apply',
  effect: 'irreversible',
  summary: 'apply an approved plan, once',
  description:
    'Sends what the plan says, if it was not changed, has not expired, was not applied before on this machine, and the policy allows it with the approvals that it has. A purge that was interrupted, or cleared nothing, can be applied again.',
  arguments: { plan: PLAN },
  options: {},
  examples: { 'gatectl plan apply plan.json': 'apply an approved plan' },
  output: OPEN,
  async run({ plan: given }, context) {
    const { appliedPlan } = await import('../framework/apply-plan.ts');
    const applied = await appliedPlan(given, context);
    if (applied.kind === 'request') return await context.out.print(applied.response);
    const { purgeRecord } = await import('../../operations/purge/tally.ts');
    const { tally, purge, plan } = applied;
    const record = purgeRecord(purge.domain, tally);
    const { failures, ...counts } = record;
    const sections: OutputSection[] = [{ title: `Plan ${plan.hash.slice(0, 12)}`, data: counts, view: {} }];
    if (tally.failures.length > 0) sections.push({ title: 'Not cleared', data: failures ?? [], view: {} });
    await context.out.printSections(record, sections, failures ?? []);
    if (tally.shortfall !== undefined) throw tally.shortfall;
  },
});

async function readGiven(given: string, context: Context): Promise<Plan> {
  const { planPath } = await import('../framework/apply-plan.ts');
  const { readPlan } = await import('../../operations/writes/plan.ts');
  return await readPlan(await planPath(given, context));
}

async function described(plan: Plan, context: Context) {
  const { isValidAt } = await import('../../operations/writes/plan.ts');
  const { planSummary } = await import('../framework/make-plan.ts');
  const policies = await (await context.writes()).policies();
  const names = new Map(policies.flatMap(({ approvers }) => approvers.map(([name, key]) => [key, name])));
  const { created, by, command, gateway, approvals, write } = plan;
  return {
    ...planSummary(plan),
    ...{ created, by: { ...by }, command, gateway },
    isExpired: !isValidAt(plan, context.io.now()),
    approvals: approvals.map(({ key, at }) => {
      const name = names.get(key);
      return { ...(name !== undefined && { name }), key, at };
    }),
    write: { ...write } as JsonRecord,
  };
}

/** What people read before they approve: the plan, its first targets, and its approvals. */
async function sectionsOf(
  { by, write }: Plan,
  { write: _, approvals, by: __, ...facts }: Awaited<ReturnType<typeof described>>,
) {
  const [targets, title] =
    write.kind === 'request'
      ? [[{ target: write.body ?? '' }], 'Body']
      : [[...write.targets, ...write.keys].map(target => ({ target })), 'Targets'];
  const more =
    targets.length > SHOWN_TARGETS ? `, the first ${SHOWN_TARGETS} of ${groupDigits(targets.length)}` : '';
  const from = `${by.user ?? 'unknown'} on ${by.host}${by.job === undefined ? '' : `, job ${by.job}`}`;
  return [
    { title: 'Plan', data: { ...facts, by: from }, view: {} },
    {
      title: `${title}${more}`,
      data: targets.slice(0, SHOWN_TARGETS),
      view: {
        columns: [{ key: 'target', title: title === 'Body' ? 'Body' : 'Target', kind: 'text' as const }],
      },
    },
    {
      title: 'Approvals',
      data: approvals,
      view: {
        columns: [
          { key: 'name', title: 'Name' },
          { key: 'at', title: 'Time', kind: 'time' as const },
          { key: 'key', title: 'Key' },
        ],
        empty: 'none',
      },
    },
  ];
}

/** Throws UsageError unless it was confirmed. */
async function confirm(plan: Plan, yes: boolean, context: Context): Promise<void> {
  if (yes) return;
  if (context.prompt === undefined)
    throw new UsageError('the approval requires confirmation', {
      code: 'confirmation_required',
      hints: ['add --yes'],
    });
  const data = await described(plan, context);
  await context.out.printSections(data, await sectionsOf(plan, data), [data]);
  if (await context.prompt.confirm('Approve it?')) return;
  throw new UsageError('the plan was not approved', { code: 'confirmation_required' });
}
