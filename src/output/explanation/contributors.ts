import type { Json } from '../../json/index.ts';
import { shortenedMiddle } from '../../terminal/width.ts';
import type { Difference } from '../agreeing-places.ts';
import { unsigned } from '../change-percent.ts';
import { compareDigits } from '../number.ts';
import { figuresFormat } from '../presentation/index.ts';
import { valueName } from '../value-name.ts';
import type { Contributor, Contributors, Figure, RatioCause, Side, WeightShare } from './values.ts';
import { numeric, type Wording } from './wording.ts';

/** From this share of the other side on, a headline names what offsets a change. */
const NAMED_OFFSET = 0.05;
const NEARLY = 0.8;
const LONGEST_NAME = 60;
/** Of more values that contribute alike, the others are counted. */
export const MOST_NAMED = 3;

/** Whether a ratio changed mostly because the shares of the values did, so that none of these is the cause by itself. */
export function isMostlyMix(found: Contributors | undefined): boolean {
  return found?.ratio?.share != null;
}

/**
 * What makes up a change: the largest contributors in both directions, or the mix. A headline names the dimension, too: `headline` has its
 * figures, and is undefined for a sentence of their own. What raises a ratio need not have risen itself: it may be a larger share of the
 * whole.
 */
export function contributorsText(found: Contributors, wording: Wording, headline?: Difference): string {
  const texts = changesOf(found, wording, headline);
  const isHeadline = headline !== undefined;
  const { dimension, within, pattern, values, rises, falls, ratio } = found;
  const column = wording.column(dimension);
  const isRise = compareDigits(String(rises.total), String(falls.total).replace('-', '')) >= 0;
  const [main, other] = isRise ? [rises, falls] : [falls, rises];
  const [noun, otherNoun] = isRise ? ['rises', 'falls'] : ['falls', 'rises'];
  const scope = within === null ? '' : ` within ${wording.column(within.dimension)} ${nameOf(within.value)}`;
  const { largest } = main;
  if (pattern === 'none' || largest === null) return `no value of ${column} changed${scope}`;
  if (values === 1) {
    const only = `${nameOf(largest.value)}${scope} (${contributionText(largest, texts)})`;
    return isHeadline ? `${column} has one value, ${only}, and shows no cause` : `one value, ${only}`;
  }
  if (ratio != null && ratio.share !== null) return mixText(ratio, ratio.share, { scope, wording, headline });
  const who = isHeadline ? `${column} ${namesOf(main)}` : namesOf(main);
  const offset = Math.abs(numeric(other.total) / numeric(main.total));
  if (pattern === 'offset' && other.largest !== null) {
    const totals = `rises of ${unsigned(texts(rises.total))} and falls of ${unsigned(texts(falls.total))}`;
    const how = offset === 1 ? 'cancel' : offset >= NEARLY ? 'nearly cancel' : 'partly cancel';
    return `${totals} ${how}${scope}, most of all ${who} ${shareOf(main, noun, texts)} and ${namesOf(other)} ${shareOf(other, otherNoun, texts)}`;
  }
  const isNamed =
    offset >= NAMED_OFFSET ||
    Math.abs(numeric(other.largest?.contribution ?? 0)) > Math.abs(numeric(largest.contribution));
  const against = isNamed ? againstText(other, otherNoun, texts) : '';
  if (pattern === 'broad') {
    const isEven = main.tied.length + 1 === main.values;
    const most = isEven
      ? contributionOf(main, texts)
      : `most of all ${namesOf(main)} ${shareOf(main, noun, texts)}`;
    const verb = isRise ? 'rose' : 'fell';
    // The contributions of a ratio need not have the direction of its own values.
    const moved =
      ratio === undefined
        ? `${main.values} of ${values} values of ${column} ${verb}`
        : `it ${verb} in ${isRise ? ratio.rose : ratio.fell} of ${values} values of ${column}`;
    return `broad, ${moved}${scope}, ${most}${against}`;
  }
  const whole =
    numeric(other.total) === 0
      ? `the ${isRise ? 'rise' : 'fall'}`
      : `the ${noun} of ${unsigned(texts(main.total))}`;
  const makeUp = main.tied.length > 0 ? 'each make up' : 'makes up';
  return `${who} ${makeUp} ${shareText(largest.share)} of ${whole}${scope} (${contributionOf(main, texts)})${against}`;
}

/** `mostly because the mix of the values of country changed (-75.56): IN has 90 % of visits (before 10 %)` */
function mixText(
  { dimension, mix, rate, cause }: RatioCause,
  { weight, value, before, now }: WeightShare,
  { scope, wording, headline }: { scope: string; wording: Wording; headline: Difference | undefined },
): string {
  const [ofMix, ofRate] = wording.changes([mix, rate], headline);
  const against = cause === 'offset' ? `, against performance (${ofRate})` : '';
  const degree = cause === 'offset' ? 'because' : 'mostly because';
  const [then, own] = wording.shares([before, now]);
  return `${degree} the mix of the values of ${wording.column(dimension)} changed${scope} (${ofMix})${against}: ${nameOf(value)} has ${own} of ${wording.column(weight)} (before ${then})`;
}

/** How the changes of a sentence about contributors are written. */
type ChangeTexts = (figure: Figure) => string;

/** All of them are read together. */
function changesOf({ rises, falls }: Contributors, wording: Wording, beside?: Difference): ChangeTexts {
  const figures = [rises, falls].flatMap(({ total, largest }) => [total, largest?.contribution ?? total]);
  const texts = wording.changes(figures, beside);
  const known = new Map(figures.map((figure, at) => [String(figure), texts[at] ?? '']));
  return figure => known.get(String(figure)) ?? '';
}

/** `, against falls of 1,966 (most: Monroe, -1,146)` */
function againstText(side: Side, noun: string, texts: ChangeTexts): string {
  const { values, total, largest, tied } = side;
  if (largest === null) return '';
  const [names, contribution] = [namesOf(side), contributionOf(side, texts)];
  if (values === 1 + tied.length) return `, against ${names} (${contribution})`;
  return `, against ${noun} of ${unsigned(texts(total))} (most: ${names}, ${contribution})`;
}

/** `(-523, 38 % of the falls)`, `(-5 and 33 % of the falls each)` */
function shareOf({ largest, tied }: Side, noun: string, texts: ChangeTexts): string {
  if (largest === null) return '';
  const share = `${shareText(largest.share)} of the ${noun}`;
  if (tied.length > 0) return `(${texts(largest.contribution)} and ${share} each)`;
  return `(${contributionText(largest, texts)}, ${share})`;
}

/** The largest contributors of one direction, which contribute alike. */
function namesOf({ largest, tied }: Side): string {
  const names = [...(largest === null ? [] : [largest.value]), ...tied].map(nameOf);
  const shown =
    names.length <= MOST_NAMED
      ? names
      : [...names.slice(0, MOST_NAMED - 1), `${names.length - MOST_NAMED + 1} others`];
  const last = shown.length > 1 ? ` and ${shown.at(-1)}` : '';
  return (last === '' ? shown : shown.slice(0, -1)).join(', ') + last;
}

/** What each of them contributes. */
function contributionOf({ largest, tied }: Side, texts: ChangeTexts): string {
  if (largest === null) return '';
  return tied.length > 0 ? `${texts(largest.contribution)} each` : contributionText(largest, texts);
}

function contributionText({ contribution, status }: Contributor, texts: ChangeTexts): string {
  const text = texts(contribution);
  return status === 'new' || status === 'gone' ? `${text}, ${status}` : text;
}

function shareText(share: Figure): string {
  if (compareDigits(String(share), '100') === 0) return 'all';
  return figuresFormat({ figure: 'percent', isChange: false, isShare: true }, [], { decimals: 0 })(
    String(share),
  );
}

function nameOf(value: Json): string {
  return shortenedMiddle(valueName(value), LONGEST_NAME);
}
