import { agreeingPlaces, type Difference } from '../agreeing-places.ts';
import {
  compareDigits,
  decimalsIn,
  digitsFormat,
  roundDecimals,
  roundVisibly,
  timesHundred,
} from '../number.ts';
import type { Presentation } from './column.ts';
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
 * like zero, and no digit before the decimals is lost. Texts that are not numbers do not change.
 */
export function figuresFormat(
  presentation: Pick<Presentation, 'figure' | 'isChange'>,
  figures: readonly string[],
  style: FigureStyle = {},
): (digits: string) => string {
  const { round, write } = figureForm(presentation, figures, style);
  return digits => write(round(digits));
}

/**
 * Writes two figures and their difference with as many decimals as it takes for the shown figures to differ by the shown difference. A
 * requested number of decimals is kept.
 */
export function differenceTexts(
  { figure }: Pick<Presentation, 'figure'>,
  figures: Difference,
  style: FigureStyle = {},
): Difference {
  const all = [figures.before, figures.now, figures.difference];
  const formsWith = (places: number | undefined) => ({
    value: figureForm({ figure, isChange: false }, all, style, places),
    change: figureForm({ figure, isChange: true }, all, style, places),
  });
  const roundedWith = (places: number | undefined): Difference => {
    const { value, change } = formsWith(places);
    const { before, now, difference } = figures;
    return { before: value.round(before), now: value.round(now), difference: change.round(difference) };
  };
  const usual = formsWith(undefined).value.places;
  const places = style.decimals === undefined ? agreeingPlaces(figures, usual, roundedWith) : undefined;
  const { value, change } = formsWith(places);
  const { before, now, difference } = roundedWith(places);
  return { before: value.write(before), now: value.write(now), difference: change.write(difference) };
}

/** With `own` places, all figures have so many decimals, whatever their size. */
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
  const places = own ?? placesOf(kind, figures, decimals);
  const rounded = decimals === undefined && own === undefined ? roundVisibly : roundDecimals;
  const isDuration = kind === 'seconds' && decimals === undefined;
  const round = (digits: string) => {
    if (!isNumber(digits)) return digits;
    if (isDuration) return own === undefined ? roundDuration(digits) : roundDecimals(digits, own);
    return rounded(kind === 'ratio' ? timesHundred(digits) : digits, places);
  };
  const unit = { ratio: isChange ? ' pp' : ' %', percent: ' %', points: ' pp', seconds: ' s' };
  return {
    places,
    round,
    write: digits => {
      if (!isNumber(digits)) return digits;
      if (isDuration) return signed(digits, duration(unsigned(digits), locale, own !== undefined));
      return number(digits, kind in unit ? unit[kind as keyof typeof unit] : '');
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

/** A ratio beyond 1 is no share, and percents of it would mislead. */
function kindOf(figure: FigureKind, figures: readonly string[]): FigureKind {
  const isShare = figures.every(digits => Math.abs(Number(digits)) <= 1);
  return figure === 'ratio' && !isShare ? 'number' : figure;
}

/** Decimals of all figures of a column. A requested number is for columns that have some, and exact. */
function placesOf(kind: FigureKind, figures: readonly string[], decimals: number | undefined): number {
  const isWhole = figures.every(digits => !isNumber(digits) || decimalsIn(digits) === 0);
  const isFree = kind === 'count' || kind === 'number';
  const usual = (isFree && isWhole ? 0 : decimals) ?? PLACES[kind] ?? commonPlaces(figures);
  const shownDigits = kind === 'ratio' ? figures.map(timesHundred) : figures;
  return decimals === undefined ? visiblePlaces(shownDigits, usual) : usual;
}

/** A figure, the one before and their difference, with all digits. */
interface ComparedDigits {
  readonly value: string;
  readonly before: string;
  readonly difference: string;
}

/** From so many units of the last place on, a change may differ by one of them from the rounded figures. */
const VISIBLE_UNITS = 10n;
/** More decimals than that would hide the others. */
const MOST_PLACES = 12;

/**
 * A style in which displayed figures agree with their displayed change, with more decimals where they are needed: not `3`, before `3`,
 * change `+1`. Of the many rows of a table, a few more are added at most, and only for figures that look equal and are not, or for a
 * change that looks like none.
 */
export function agreeingStyle(
  { figure = 'number' }: Pick<Presentation, 'figure'>,
  compared: readonly ComparedDigits[],
  style: FigureStyle,
  isTable = false,
): FigureStyle {
  const { decimals } = style;
  if (decimals === 'all' || compared.length === 0) return style;
  const figures = compared.flatMap(({ value, before }) => [value, before]);
  const kind = kindOf(figure, figures);
  // Times of hours and minutes are not decimal.
  if (kind === 'seconds' && decimals === undefined) {
    const format = figuresFormat({ figure, isChange: false }, figures, style);
    const isAlike = compared.some(one => isChanged(one) && format(one.value) === format(one.before));
    return isAlike ? agreeingStyle({ figure }, compared, { ...style, decimals: 0 }, isTable) : style;
  }
  const digits = compared.map(({ value, before, difference }) =>
    [value, before, difference].map(one => (kind === 'ratio' ? timesHundred(one) : one)),
  );
  const agreeAt = (places: number) =>
    digits.every(([value = '', before = '', difference = '']) =>
      agree({ value, before, difference }, places, isTable),
    );
  const least = placesOf(kind, figures, decimals);
  for (let places = least; places <= least + (isTable ? MORE_PLACES : MOST_PLACES); places += 1)
    if (agreeAt(places)) return places === least ? style : { ...style, decimals: places };
  return style;
}

function isChanged({ difference }: ComparedDigits): boolean {
  return compareDigits(difference, '0') !== 0;
}

/** Whether rounded figures agree with their rounded difference. */
function agree({ value, before, difference }: ComparedDigits, places: number, isTable: boolean): boolean {
  if (![value, before, difference].every(isNumber)) return true;
  const units = (digits: string) => BigInt(roundDecimals(digits, places).replace('.', ''));
  const [shown, change] = [units(value) - units(before), units(difference)];
  if (compareDigits(difference, '0') !== 0 && (shown === 0n || change === 0n)) return false;
  if (isTable) return true;
  const size = change < 0n ? -change : change;
  const gap = shown - change;
  return gap === 0n || (size >= VISIBLE_UNITS && gap >= -1n && gap <= 1n);
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
  const minutes = (BigInt(unsigned(seconds)) + 30n) / 60n;
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
