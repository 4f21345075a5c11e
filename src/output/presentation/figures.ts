import {
  agreeingPlaces,
  type Difference,
  figuresOf,
  placesBetween,
  type RoundsDifference,
  statedPlaces,
} from '../agreeing-places.ts';
import {
  compareDigits,
  decimalsIn,
  digitsFormat,
  roundDecimals,
  roundPercentChange,
  roundsTo,
  roundVisibly,
  timesHundred,
} from '../number.ts';
import { changeOf, type Presentation } from './column.ts';
import { ENGLISH, type Locale, localDigits, regrouped } from './locale.ts';

/** The minus sign, which is as wide as a plus sign and does not break. */
const MINUS = '\u2212';

type FigureKind = NonNullable<Presentation['figure']>;

export interface FigureStyle {
  readonly locale?: Locale | undefined;
  /** Decimals of every number; `all` for all digits; undefined for those of the kind. */
  readonly decimals?: number | 'all' | undefined;
  /** False if the output cannot display the minus sign. */
  readonly unicode?: boolean;
}

/** How figures are shown: rounded, in the unit that is shown, and written. */
interface FigureForm {
  /** Decimals, in the unit that is shown. */
  readonly places: number;
  readonly round: (digits: string) => string;
  readonly write: (rounded: string) => string;
}

/**
 * Formats the figures of a column, which get equally many decimals so that they can be compared. A figure that is not zero never looks
 * like zero, and no digit before the decimals is lost. Texts that are not numbers do not change. Figures `beside` others in a sentence
 * have no fewer decimals than these.
 */
export function figuresFormat(
  presentation: Pick<Presentation, 'figure' | 'isChange' | 'isShare'>,
  figures: readonly string[],
  style: FigureStyle = {},
  beside?: Difference,
): (digits: string) => string {
  const all = beside === undefined ? figures : [...figures, ...figuresOf(beside)];
  const usual = figureForm(presentation, all, style);
  const least = beside && differenceForms(presentation, beside, style).places;
  const form =
    least === undefined ? usual : figureForm(presentation, all, style, Math.max(least, usual.places));
  const isShare = presentation.isShare === true && style.decimals !== 'all';
  return digits => (isShare && shareLimit(digits, form)) || form.write(form.round(digits));
}

/** `over 99.9 %` and `under 0.1 %`, for a share that only rounds to all or to nothing; undefined for others. */
function shareLimit(digits: string, { places, round, write }: FigureForm): string | undefined {
  if (!isNumber(digits)) return undefined;
  const rounded = round(digits);
  if (roundsTo('0', digits, rounded)) return `under ${write(roundDecimals(`1e-${places}`, places))}`;
  const most = places === 0 ? '99' : `99.${'9'.repeat(places)}`;
  return roundsTo('100', digits, rounded) && compareDigits(digits, '100') < 0
    ? `over ${write(most)}`
    : undefined;
}

/** Writes two figures and their difference as a sentence states them (`statedPlaces`). A requested number of decimals is kept. */
export function differenceTexts(
  presentation: Pick<Presentation, 'figure'>,
  figures: Difference,
  style: FigureStyle = {},
): Difference {
  const { value, change } = differenceForms(presentation, figures, style);
  const { before, now, difference } = figures;
  return {
    before: value.write(value.round(before)),
    now: value.write(value.round(now)),
    difference: change.write(change.round(difference)),
  };
}

/** The forms of two figures and of their difference; `places` is undefined for those that they usually have. */
function differenceForms({ figure }: Pick<Presentation, 'figure'>, figures: Difference, style: FigureStyle) {
  const all = figuresOf(figures);
  const formsWith = (places: number | undefined) => ({
    places,
    value: figureForm({ figure, isChange: false }, all, style, places),
    change: figureForm(changeOf({ figure, isChange: false }), all, style, places),
  });
  const usual = formsWith(undefined);
  if (style.decimals !== undefined) return usual;
  const round: RoundsDifference = ({ before, now, difference }, places) => {
    const { value, change } = formsWith(places);
    return { before: value.round(before), now: value.round(now), difference: change.round(difference) };
  };
  // Nobody reads thousandths of a cent.
  const agreement = figure === 'money' ? 'close' : 'exact';
  return formsWith(statedPlaces(figures, usual.value.places, round, agreement));
}

/** With `own` places, all figures have so many decimals, or as many more as a small one requires. */
function figureForm(
  { figure = 'number', isChange }: Pick<Presentation, 'figure' | 'isChange'>,
  figures: readonly string[],
  { locale = ENGLISH, decimals, unicode = true }: FigureStyle = {},
  own?: number,
): FigureForm {
  const signed = (digits: string, text: string) =>
    /[1-9]/.test(text) ? withSign(digits, text, { isChange, unicode }) : text;
  const number = (digits: string, unit = '') => signed(digits, localDigits(unsigned(digits), locale) + unit);
  const kind = kindOf(figure, figures);
  if (decimals === 'all') {
    const unit = ALL_DIGITS_UNIT[kind] ?? '';
    return { places: 0, round: digits => digits, write: digits => number(digits, unit) };
  }
  const isPercentChange = kind === 'percent' && isChange;
  const requested = isPercentChange && decimals !== undefined ? Math.min(decimals, MOST_OF_CHANGE) : decimals;
  const places = own ?? placesOf(kind, figures, requested);
  const visibly = isPercentChange ? roundPercentChange : roundVisibly;
  const rounded = decimals === undefined ? visibly : roundDecimals;
  const isDuration = kind === 'seconds' && decimals === undefined;
  const round = (digits: string) => {
    if (!isNumber(digits)) return digits;
    if (isDuration) return own === undefined ? roundDuration(digits) : roundVisibly(digits, own);
    return rounded(kind === 'ratio' ? timesHundred(digits) : digits, places);
  };
  const unit = { ratio: isChange ? ' pp' : ' %', percent: ' %', points: ' pp', seconds: ' s' };
  return {
    places,
    round,
    write: digits => {
      if (!isNumber(digits)) return digits;
      if (isDuration) return signed(digits, duration(unsigned(digits), locale, own !== undefined));
      const ownUnit = kind in unit ? unit[kind as keyof typeof unit] : '';
      const [whole = ''] = unsigned(digits).split('.');
      if (whole.length > MOST_WHOLE_DIGITS) return signed(digits, inPowers(whole, locale) + ownUnit);
      return number(digits, ownUnit);
    },
  };
}

/** Whether figures are shares, of which a change is in points: from 40 % to 44 % is 4 points, and not 10 %. */
export function areShares(
  { figure = 'number' }: Pick<Presentation, 'figure'>,
  figures: readonly string[],
): boolean {
  return ['ratio', 'percent'].includes(kindOf(figure, figures));
}

/** How all figures of a section are read: as percent only if all of them are shares, so that none is in another unit. */
export function inOneUnit<Shown extends Pick<Presentation, 'figure'>>(
  shown: Shown,
  figures: readonly string[],
): Shown {
  return shown.figure === 'ratio' && !areShares(shown, figures) ? { ...shown, figure: 'number' } : shown;
}

/** A ratio beyond 1 is no share, and percents of it would mislead. */
function kindOf(figure: FigureKind, figures: readonly string[]): FigureKind {
  const isShare = figures.every(digits => Math.abs(Number(digits)) <= 1);
  return figure === 'ratio' && !isShare ? 'number' : figure;
}

/** Decimals of a change in percent, at most: it has no more. */
const MOST_OF_CHANGE = 4;

/** Decimals of all figures of a column. A requested number is for columns that have some, and exact. */
function placesOf(kind: FigureKind, figures: readonly string[], decimals: number | undefined): number {
  const isWhole = figures.every(digits => !isNumber(digits) || decimalsIn(digits) === 0);
  const isFree = kind === 'count' || kind === 'number';
  const usual = (isFree && isWhole ? 0 : decimals) ?? PLACES[kind] ?? commonPlaces(figures);
  const shownDigits = kind === 'ratio' ? figures.map(timesHundred) : figures;
  return decimals === undefined ? visiblePlaces(shownDigits, usual) : usual;
}

/** More decimals than that would hide the others. */
const MOST_PLACES = 12;

/**
 * A style in which displayed figures agree closely with their displayed change, with more decimals where they are needed: not `3`,
 * before `3`, change `+1`. Of the many rows of a table, a few more are added at most, and only for changes that are not visible.
 */
export function agreeingStyle(
  { figure = 'number' }: Pick<Presentation, 'figure'>,
  compared: readonly Difference[],
  style: FigureStyle,
  isTable = false,
): FigureStyle {
  const { decimals } = style;
  if (decimals === 'all' || compared.length === 0) return style;
  const figures = compared.flatMap(({ now, before }) => [now, before]);
  const kind = kindOf(figure, figures);
  // Times of hours and minutes are not decimal.
  if (kind === 'seconds' && decimals === undefined) {
    const format = figuresFormat({ figure, isChange: false }, figures, style);
    const isAlike = compared.some(
      ({ now, before, difference }) => compareDigits(difference, '0') !== 0 && format(now) === format(before),
    );
    return isAlike ? agreeingStyle({ figure }, compared, { ...style, decimals: 0 }, isTable) : style;
  }
  const shown = (digits: string) => (kind === 'ratio' ? timesHundred(digits) : digits);
  const least = placesOf(kind, figures, decimals);
  const tried = placesBetween(least, least + (isTable ? MORE_PLACES : MOST_PLACES));
  const places = agreeingPlaces(
    compared,
    tried,
    isTable ? 'visible' : 'close',
    ({ before, now, difference }, own = least) => ({
      before: roundDecimals(shown(before), own),
      now: roundDecimals(shown(now), own),
      difference: roundDecimals(shown(difference), own),
    }),
  );
  return places === undefined || places === least ? style : { ...style, decimals: places };
}

/** A number that is grouped as in English, as people read it: with the marks of the locale and the minus sign. */
export function shownNumber(text: string, { locale, unicode = true }: FigureStyle): string {
  const sign = text.startsWith('-') ? (unicode ? MINUS : '-') : '';
  return sign + regrouped(text.replace(/^-/, ''), locale);
}

/** A change in percent: `−0.5 %`; of a change that is not zero at least one digit. */
export function percentChange(percent: string, style: FigureStyle = {}): string {
  return figuresFormat({ figure: 'percent', isChange: true }, [percent], style)(percent);
}

/** Units behind all digits; a ratio remains one. */
const ALL_DIGITS_UNIT: Partial<Record<NonNullable<Presentation['figure']>, string>> = {
  percent: ' %',
  points: ' pp',
  seconds: ' s',
};

const PLACES: Partial<Record<NonNullable<Presentation['figure']>, number>> = {
  money: 2,
  ratio: 1,
  percent: 1,
  points: 1,
  seconds: 0,
};

/** Enough decimals for all figures of a column: at most two from 1 up, else three significant digits. */
function commonPlaces(figures: readonly string[]): number {
  const numbers = figures.filter(isNumber);
  const format = digitsFormat(numbers);
  // Only tiny figures have more decimals than the others.
  const places = numbers.map(digits => decimalsIn(format(digits).replaceAll(',', '')));
  return places.length === 0 ? 0 : Math.min(...places);
}

/** Of a list whose largest figure is at least as large, a tiny one has more decimals than the others. */
const LARGE = 10;
/** More decimals than usual, at most, for all figures of a list, so that the smallest does not look like zero. */
const MORE_PLACES = 2;

/** Decimals with which none of some small figures looks like zero, as far as a few more than usual do. */
function visiblePlaces(figures: readonly string[], usual: number): number {
  const numbers = figures.filter(isNumber);
  if (numbers.some(digits => Math.abs(Number(digits)) >= LARGE)) return usual;
  const needed = numbers.map(digits => decimalsIn(roundVisibly(digits, usual)));
  const within = needed.filter(places => places <= usual + MORE_PLACES);
  return Math.max(usual, ...within);
}

function isNumber(text: string): boolean {
  return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,2})?$/.test(text);
}

/** Nobody reads more digits before the point. */
const MOST_WHOLE_DIGITS = 60;

/** `1.23E61`. */
function inPowers(whole: string, locale: Locale): string {
  const mantissa = roundDecimals(`${whole.slice(0, 1)}.${whole.slice(1)}`, 2);
  const isNext = mantissa === '10.00';
  return `${localDigits(isNext ? '1.00' : mantissa, locale)}E${whole.length - (isNext ? 0 : 1)}`;
}

function unsigned(digits: string): string {
  return digits.replace(/^-/, '');
}

function withSign(
  digits: string,
  text: string,
  { isChange, unicode }: { readonly isChange: boolean; readonly unicode: boolean },
): string {
  if (digits.startsWith('-') && compareDigits(digits, '0') !== 0) return (unicode ? MINUS : '-') + text;
  return isChange && compareDigits(digits, '0') > 0 ? `+${text}` : text;
}

/** Less than a minute is rounded to seconds, less than ten of them to a decimal, and from an hour on to minutes. */
function roundDuration(digits: string): string {
  const size = unsigned(digits);
  if (compareDigits(size, '59.5') < 0) return roundVisibly(digits, compareDigits(size, '10') < 0 ? 1 : 0);
  const seconds = roundDecimals(digits, 0);
  if (compareDigits(unsigned(seconds), '3600') < 0) return seconds;
  // From the seconds that are complete: rounded twice, 29.5 seconds would be a minute.
  const complete = BigInt(unsigned(seconds)) - (compareDigits(unsigned(seconds), size) > 0 ? 1n : 0n);
  const minutes = (complete + 30n) / 60n;
  return `${digits.startsWith('-') ? '-' : ''}${minutes * 60n}`;
}

/** `3 m 12 s`, `342 h 56 m`, or with seconds `342 h 56 m 4 s`. */
function duration(digits: string, locale: Locale, hasSeconds: boolean): string {
  const [whole = '0', fraction] = digits.split('.');
  const all = BigInt(whole);
  const seconds = (count: bigint) =>
    `${localDigits(fraction === undefined ? String(count) : `${count}.${fraction}`, locale)} s`;
  if (all < 60n) return seconds(all);
  const [hours, minutes] = [all / 3600n, (all / 60n) % 60n];
  if (hours === 0n) return `${minutes} m ${seconds(all % 60n)}`;
  return `${localDigits(String(hours), locale)} h ${minutes} m${hasSeconds ? ` ${seconds(all % 60n)}` : ''}`;
}
