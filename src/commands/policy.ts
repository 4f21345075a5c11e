import { UsageError } from '../errors/index.ts';
import type { Rule } from '../operations/writes/policy-form.ts';
import { pluralize } from '../terminal/numbers.ts';
import { defineCommand, variadic } from './framework/define-command.ts';
import { listOf, object } from './framework/output-schema.ts';

export const policyCheck = defineCommand({
  name: 'check',
  effect: 'read',
  summary: 'check whether a command is allowed, and why not',
  description:
    'Runs a command up to the first request that would change something, which is not sent, and prints whether the policies allow it. Exit code 2 means no. Type -- before the command.',
  arguments: { words: variadic('command', 'the command line, without gatectl') },
  options: {},
  examples: {
    'gatectl policy check -- cdn purge --all --domain example.com --yes': 'check a purge of the whole domain',
  },
  output: object({
    allowed: ['boolean', 'whether all policies allow it'],
    denials: ['{policy: string, rule: string?, reason: string}[]', 'why not'],
  }),
  async run({ words }, context) {
    if (words.length === 0)
      throw new UsageError('no command given', {
        code: 'missing_argument',
        hints: ['type gatectl policy check -- COMMAND'],
      });
    const denials = await context.denialsOf(words[0] === 'gatectl' ? words.slice(1) : words);
    const shown = denials.map(({ policy, rule, reason }) => ({
      policy,
      ...(rule !== undefined && { rule }),
      reason,
    }));
    await context.out.printSections(
      { allowed: denials.length === 0, denials: shown },
      [
        {
          title: denials.length === 0 ? 'Allowed' : 'Not allowed',
          data: shown,
          view: {
            columns: [
              { key: 'reason', title: 'Reason' },
              { key: 'rule', title: 'Rule', whenPresent: true },
              { key: 'policy', title: 'Policy' },
            ],
            empty: 'no policy denies it',
          },
        },
      ],
      shown,
    );
    if (denials.length > 0)
      throw new UsageError('the policy does not allow this, and nothing was sent', { code: 'denied' });
  },
});

export const policyShow = defineCommand({
  name: 'show',
  effect: 'read',
  summary: 'list the policies that apply, with their rules',
  description:
    'Lists the rules of all policies that apply: of the administrator, of GATECTL_POLICY and of the profile. All must allow what is sent.',
  options: {},
  examples: { 'gatectl policy show': 'list the rules that apply here' },
  output: listOf({
    policy: ['string', 'the file'],
    rule: ['string?', 'the name of the rule'],
    applies: ['string', 'what it applies to: commands, effects, domains and URLs'],
    demands: ['string', 'what it requires'],
  }),
  async run(_, context) {
    const policies = await (await context.writes()).policies();
    const rows = policies.flatMap(({ path, otherwise, rules }) => [
      ...rules.map((rule, index) => ({
        policy: path,
        rule: rule.name ?? `rule ${index + 1}`,
        applies: appliesTo(rule),
        demands: demandsOf(rule),
      })),
      { policy: path, rule: 'otherwise', applies: ['what no rule matches'], demands: [otherwise] },
    ]);
    await context.out.print(
      rows.map(({ applies, demands, ...row }) => ({
        ...row,
        applies: applies.join(', '),
        demands: demands.join(', '),
      })),
      {
        columns: [
          { key: 'rule', title: 'Rule' },
          { key: 'applies', title: 'Applies to' },
          { key: 'demands', title: 'Demands' },
          { key: 'policy', title: 'Policy' },
        ],
        empty: 'no policy applies: whoever has the key may change anything',
      },
    );
    if (policies.length > 1) context.log.note(`all ${policies.length} policies must allow it`);
  },
});

function appliesTo({ command = [], effect = [], domain = [], url = [] }: Rule): readonly string[] {
  const all = [...command, ...effect, ...domain, ...url];
  return all.length === 0 ? ['everything'] : all;
}

function demandsOf({ deny, max_targets, max_share, per_day, hours, approvals }: Rule): readonly string[] {
  const demands = [
    deny && 'deny',
    max_targets !== undefined && `at most ${pluralize(max_targets, 'target')}`,
    max_share !== undefined && `at most ${max_share} of the page views`,
    per_day !== undefined && `at most ${pluralize(per_day, 'target')} in 24 hours`,
    hours !== undefined && `${hours.days.join(' ')} from ${hours.from} to ${hours.until} ${hours.zone}`,
    approvals !== undefined && `a plan with ${pluralize(approvals, 'approval')}`,
  ].filter(demand => typeof demand === 'string');
  return demands.length === 0 ? ['allow'] : demands;
}
