import { groupDigits, pluralize } from '../../terminal/numbers.ts';
import { impactVerdict, percentAbove } from '../purge/impact.ts';

import type { Hours } from './policy-form.ts';
import type { AppliedRule, RuleTargets } from './policy-targets.ts';
import type { Denial, WeighedWrite } from './weighed-write.ts';

/** What the rules that apply say of when, after what, with how much traffic and with whose approval. */
export async function denialsByCircumstances(
  { policy, applied }: RuleTargets,
  write: WeighedWrite,
): Promise<readonly Denial[]> {
  const denials: Denial[] = [];
  for (const each of applied) {
    const reasons = [
      outsideHours(each.rule.hours, write.now),
      await overBudget(each, write),
      missingApprovals(each.rule.approvals, policy.approvers, write),
      await overShare(each.rule.max_share, write),
    ];
    for (const reason of reasons)
      if (reason !== undefined) denials.push({ policy: policy.path, rule: each.name, reason });
  }
  return denials;
}

function outsideHours(hours: Hours | undefined, now: number): string | undefined {
  if (hours === undefined) return undefined;
  const { days, from, until, zone } = hours;
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: zone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  });
  const at = (time: number) => {
    const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
    return { day: (parts.weekday ?? '').toLowerCase(), time: `${parts.hour}:${parts.minute}` };
  };
  const { day, time } = at(now);
  const isDay = (name: string) => (days as readonly string[]).includes(name);
  const isOvernight = until <= from;
  const isWithin = isOvernight
    ? (time >= from && isDay(day)) || (time < until && isDay(dayBefore(day)))
    : time >= from && time < until && isDay(day);
  if (isWithin) return undefined;
  return `it is allowed from ${from} to ${until} on ${days.join(', ')} (${zone}) only`;
}

const WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

function dayBefore(day: string): string {
  return WEEK[(WEEK.indexOf(day) + 6) % 7] ?? '';
}

async function overBudget({ rule, targets }: AppliedRule, write: WeighedWrite): Promise<string | undefined> {
  if (rule.per_day === undefined) return undefined;
  const before = await write.sentBefore(rule);
  if (before + targets <= rule.per_day) return undefined;
  return `${pluralize(targets, 'target')} after ${groupDigits(before)} in 24 hours, and at most ${groupDigits(rule.per_day)} are allowed`;
}

function missingApprovals(
  required: number | undefined,
  approvers: readonly (readonly [name: string, key: string])[],
  { approvals, author }: WeighedWrite,
): string | undefined {
  if (required === undefined) return undefined;
  const count = required === 1 ? 'another person' : `${required} others`;
  if (approvals === undefined) return `it must be a plan that ${count} approved`;
  const keys = new Set(approvers.map(([, key]) => key).filter(key => key !== author && approvals.has(key)));
  return keys.size >= required ? undefined : `the plan must be approved by ${count}, and ${keys.size} did`;
}

async function overShare(limit: string | undefined, { impact }: WeighedWrite): Promise<string | undefined> {
  if (limit === undefined) return undefined;
  if (impact === undefined)
    return `its share of the page views is not known, and at most ${limit} is allowed`;
  const measured = await impact();
  const percent = limit.slice(0, -1);
  switch (impactVerdict(measured, percent)) {
    case 'passes':
      return undefined;
    case 'exceeded':
      return `its pages have ${percentAbove(measured, percent)}% of the page views, and at most ${limit} is allowed`;
    case 'unknown':
      return `its share of the page views is not known completely, and at most ${limit} is allowed`;
  }
}
