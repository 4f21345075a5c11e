import { compareDigits, groupThousands, roundDecimals, roundPercentChange } from './number.ts';
import { type FigureStyle, percentChange, shownNumber } from './presentation/index.ts';

/**
 * A change in percent within a sentence, with its sign: `-0.5 %`. A change of which all `decimals` are zero is under one of the last.
 * Without a style it is for programs.
 */
export function changePercentText(percent: string, decimals: number, style?: FigureStyle): string {
  if (compareDigits(percent, '0') === 0)
    return `under ${shownNumber(roundDecimals(`1e-${decimals}`, decimals), style ?? {})} %`;
  if (style === undefined) return `${withPlus(percent, groupThousands(roundPercentChange(percent, 1)))} %`;
  // Requested decimals are for the metric.
  return percentChange(percent, style.decimals === 'all' ? style : { ...style, decimals: undefined });
}

/** The size of a change, as a text without its sign. */
export function unsigned(change: string): string {
  return change.replace(/^[-+\u2212]/, '');
}

/** A text with the plus sign of a change above zero; the minus sign is one of the digits. */
export function withPlus(change: string, text: string): string {
  return compareDigits(change, '0') > 0 ? `+${text}` : text;
}
