import { pluralize } from '../../terminal/numbers.ts';
import { printable } from '../../text/printable.ts';
import type { Difference } from '../agreeing-places.ts';
import { unsigned } from '../change-percent.ts';
import { sentence } from '../sentence.ts';
import { contributorsText, isMostlyMix } from './contributors.ts';
import type { ChangeConclusions, Contributors, MetricChange, RatioCause, Remark } from './values.ts';
import { isBelowZero, numeric, PLAIN, type Wording } from './wording.ts';

/** The headline first, and then what it rests on, each in a sentence. */
export function explanationText(
  { change, remarks, dimensions, within }: ChangeConclusions,
  wording: Wording = PLAIN,
): string[] {
  const [best, ...others] = dimensions;
  // What makes up a small rise is no cause of its being small.
  const isHeadline = ['unusual', 'unknown', 'judged'].includes(change.verdict) && !isLessThanUsual(change);
  const headline = isHeadline ? comparedIn(change) : undefined;
  const ratio = best?.ratio;
  const cause = best === undefined ? '' : contributorsText(best, wording, headline);
  const sentences = [
    `${changeText(change, wording)}${isHeadline ? `${isMostlyMix(best) ? ',' : ':'} ${cause}` : ''}`,
    periodsText(change, wording),
    ...(change.verdict === 'unknown' ? [`Which changes are usual is unknown: ${unknownText(change)}`] : []),
    ...remarks.map(remarkText),
    ...(change.completeness.kind === 'incomplete'
      ? [`Not complete: ${change.completeness.missing.map(wording.written).join('; ')}`]
      : []),
    // One value has all of the whole, so that nothing but its own ratio can change.
    ...(ratio === undefined || best?.values === 1 ? [] : [ratioText(ratio, change, wording)]),
    ...(isHeadline || best === undefined ? [] : [`${byText(best, wording)}: ${cause}`]),
    ...(within === undefined ? [] : [`${byText(within, wording)}: ${contributorsText(within, wording)}`]),
    ...others.map(other => `${byText(other, wording)}: ${contributorsText(other, wording)}`),
  ];
  return sentences.map(text => printable(`${text}.`));
}

/** Why it is unknown which changes are usual. */
function unknownText({ earlier, equal }: MetricChange): string {
  if (equal !== undefined) return `${equal} of ${earlier} earlier changes are equal, and the others are not`;
  const some = earlier === 0 ? 'no earlier change' : `only ${pluralize(earlier, 'earlier change')}`;
  return `${some} can be measured`;
}

/** `By country`, `By country, without 1 of 4 values, which has no figure` */
function byText({ dimension, values, unmeasured, adds_up }: Contributors, wording: Wording): string {
  const by = `By ${wording.column(dimension)}`;
  if (!adds_up) return `${by}, whose values do not add up to the days`;
  if (unmeasured === 0) return by;
  const all = pluralize(values + unmeasured, 'value');
  return `${by}, without ${unmeasured} of ${all}, which ${unmeasured === 1 ? 'has' : 'have'} no figure`;
}

/** A remark in words. */
export function remarkText(remark: Remark): string {
  if (remark.kind === 'weekdays_differ') return 'The periods do not have the same days of the week';
  const { days, before } = remark;
  const which = before === 0 ? '' : days === 0 ? ' (before)' : ` (${before} of them before)`;
  return `${pluralize(days + before, 'day')} without rows ${days + before === 1 ? 'counts' : 'count'} as zero${which}`;
}

/** ` of 2 of 3 values of country`, or of all of them where these are not known to be the metric. */
function scopeText(scope: MetricChange['scope'], wording: Wording): string {
  if (scope === null) return '';
  const { dimension, values, of } = scope;
  return ` of ${values === of ? 'the' : `${values} of ${of}`} values of ${wording.column(dimension)}`;
}

/** `visits fell by 55 (-27.1 %), more than usual (-9.1 % to +10.2 %)` */
function changeText(change: MetricChange, wording: Wording): string {
  const { metric, basis, difference, percent, verdict, usual, scope } = change;
  const name = `${wording.subject(metric)}${basis === 'day' ? ' per day' : ''}${scopeText(scope, wording)}`;
  const reason = change.withheld === null ? '' : `, not comparable: ${wording.written(change.withheld)}`;
  const texts = wording.difference(comparedIn(change));
  if (numeric(difference) === 0) return `${name} did not change: ${texts.now} in both periods${reason}`;
  const isFall = isBelowZero(difference);
  const relative = percent === null ? '' : ` (${wording.percents([percent])})`;
  const moved = `${name} ${isFall ? 'fell' : 'rose'} by ${unsigned(texts.difference)}${relative}`;
  if (usual === null) return moved + reason;
  const isConstant = numeric(usual.from) === 0 && numeric(usual.to) === 0;
  const ends = [usual.from, usual.to];
  const limits = usual.unit === 'percent' ? wording.percents(ends) : wording.changes(ends);
  const range = isConstant ? 'usually none' : limits.join(' to ');
  if (verdict === 'usual') return `${moved}, as usual (${range})`;
  if (isFall ? numeric(usual.from) > 0 : numeric(usual.to) < 0)
    return `${moved}, where it usually ${isFall ? 'rises' : 'falls'} (${range})`;
  return `${moved}, ${isLessThanUsual(change) ? 'less' : 'more'} than usual (${range})`;
}

/** Where it usually falls, a small fall is less than usual. */
function isLessThanUsual({ verdict, usual, percent, difference }: MetricChange): boolean {
  if (verdict !== 'unusual' || usual === null) return false;
  const moves = numeric(usual.unit === 'percent' ? (percent ?? 0) : difference);
  return isBelowZero(difference)
    ? numeric(usual.to) < 0 && moves > numeric(usual.to)
    : numeric(usual.from) > 0 && moves < numeric(usual.from);
}

function comparedIn({ before, now, difference }: MetricChange): Difference {
  return {
    before: String(before.compared),
    now: String(now.compared),
    difference: String(difference),
  };
}

/** `From 203 (2026-02-28 to 2026-03-06) to 148 (2026-03-07 to 2026-03-13)` */
function periodsText(change: MetricChange, wording: Wording): string {
  const { before, now, basis } = change;
  const periods = [before, now];
  const texts = wording.difference(comparedIn(change));
  const compared = [texts.before, texts.now];
  const whole = wording.values(periods.map(period => period.value));
  const [from, to] = periods.map((period, at) => {
    const days = wording.written(sentence`${period}`);
    const all = basis === 'day' ? `, ${whole[at]} in ${pluralize(period.days, 'day')}` : '';
    return `${compared[at]} (${days}${all})`;
  });
  const cause = now.of === before.of ? 'days have no figures' : 'the periods differ in length';
  return `${basis === 'day' ? `Per day, because ${cause}: from` : 'From'} ${from} to ${to}`;
}

function ratioText(
  { dimension, mix, rate, cause, share, compared, rose, fell }: RatioCause,
  { metric, difference }: MetricChange,
  wording: Wording,
): string {
  const column = wording.column(dimension);
  const [ofMix, ofRate] = wording.changes([mix, rate]);
  const parts = `(mix ${ofMix}, performance ${ofRate})`;
  const [verb, opposite, along, against] = isBelowZero(difference)
    ? ['fell', 'rose', fell, rose]
    : ['rose', 'fell', rose, fell];
  // Simpson's paradox.
  if (share !== null && along === 0 && against > 0)
    return `Mix: ${wording.column(metric)} ${verb}, although it ${opposite} in ${against} of ${compared} values of ${column} and ${verb} in none ${parts}`;
  switch (cause) {
    case 'mix':
      return `Mix: the shares of the values of ${column} changed ${parts}`;
    case 'performance':
      return `Performance of the values of ${column} changed ${parts}`;
    case 'both':
      return `Both mix and performance of the values of ${column} changed ${parts}`;
    case 'none':
      return `Mix and performance of the values of ${column} had no effect ${parts}`;
    case 'offset': {
      if (numeric(difference) === 0) return `Mix and performance of the values of ${column} cancel ${parts}`;
      const isMix = isBelowZero(mix) === isBelowZero(difference);
      const [first, second] = isMix ? ['Mix', 'performance'] : ['Performance', 'mix'];
      const [did, undid] = isBelowZero(difference) ? ['lowered', 'raised'] : ['raised', 'lowered'];
      return `${first} of the values of ${column} ${did} ${wording.column(metric)}, and ${second} ${undid} it ${parts}`;
    }
  }
}
