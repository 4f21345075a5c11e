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

export interface FigureStyle {
  readonly locale?: Locale | undefined;
  /** Decimals of every number; `all` for all digits; undefined for those of the kind. */
  readonly decimals?: number | 'all' | undefined;
  /** False if the output cannot display the minus sign. */
  readonly unicode?: boolean;
}

/**
 * Formats the figures of a column, which get equally many decimals so that they can be compared. A figure that is not zero never looks
 * like zero, and no digit before the decimals is lost. Texts that are not numbers do not change.
 */
export function figuresFormat(
  { figure = 'number', isChange }: Pick<Presentation, 'figure' | 'isChange'>,
  figures: readonly string[],
  { locale = ENGLISH, decimals, unicode = true }: FigureStyle = {},
): (digits: string) => string {
  const signed = (digits: string, text: string) =>
    /[1-9]/.test(text) ? withSign(digits, text, { isChange, unicode }) : text;
  const number = (digits: string, unit = '') => signed(digits, localDigits(unsigned(digits), locale) + unit);
  // A ratio beyond 1 is no share, and percents of it would mislead.
  const isShare = figure === 'ratio' && figures.every(digits => Math.abs(Number(digits)) <= 1);
  const kind = figure === 'ratio' && !isShare ? 'number' : figure;
  if (decimals === 'all') {
    const unit = kind === 'percent' ? ' %' : kind === 'seconds' ? ' s' : '';
    return digits => number(digits, unit);
  }
  // A requested number of decimals is for columns that have some, and exact.
  const isWhole = figures.every(digits => !isNumber(digits) || decimalsIn(digits) === 0);
  const isFree = kind === 'count' || kind === 'number';
  const usual = (isFree && isWhole ? 0 : decimals) ?? PLACES[kind] ?? commonPlaces(figures);
  const shownDigits = kind === 'ratio' ? figures.map(timesHundred) : figures;
  const places = decimals === undefined ? visiblePlaces(shownDigits, usual) : usual;
  const round = decimals === undefined ? roundVisibly : roundDecimals;
  return digits => {
    if (!isNumber(digits)) return digits;
    switch (kind) {
      case 'ratio':
        return number(round(timesHundred(digits), places), isChange ? ' pp' : ' %');
      case 'percent':
        return number(round(digits, places), ' %');
      case 'seconds':
        return decimals === undefined
          ? signed(digits, duration(unsigned(digits), locale))
          : number(round(digits, places), ' s');
      default:
        return number(round(digits, places));
    }
  };
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

const PLACES: Partial<Record<NonNullable<Presentation['figure']>, number>> = {
  money: 2,
  ratio: 1,
  percent: 1,
  seconds: 0,
};

/** Enough decimals for all figures of a column: at most two from 1 up, else three significant digits. */
function commonPlaces(figures: readonly string[]): number {
  const format = digitsFormat(figures.filter(isNumber));
  return figures.reduce((most, digits) => Math.max(most, decimalsIn(format(digits).replaceAll(',', ''))), 0);
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

/** `3 m 12 s`, `342 h 56 m`; less than a minute in seconds, and less than ten of them with a decimal. */
function duration(digits: string, locale: Locale): string {
  if (compareDigits(digits, '59.5') < 0)
    return `${localDigits(roundVisibly(digits, compareDigits(digits, '10') < 0 ? 1 : 0), locale)} s`;
  const seconds = BigInt(roundDecimals(digits, 0));
  if (seconds < 3600n) return `${seconds / 60n} m ${seconds % 60n} s`;
  const minutes = (seconds + 30n) / 60n;
  return `${localDigits(String(minutes / 60n), locale)} h ${minutes % 60n} m`;
}
