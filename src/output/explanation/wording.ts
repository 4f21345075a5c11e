import { type Difference, statedPlaces } from '../agreeing-places.ts';
import { changePercentText, withPlus } from '../change-percent.ts';
import { decimalsIn, groupThousands, roundDecimals, roundVisibly } from '../number.ts';
import {
  differenceTexts,
  type FigureStyle,
  figuresFormat,
  labelInSentence,
  type Presentation,
  presentationOf,
  withUnit,
} from '../presentation/index.ts';
import { type Sentence, sentenceText } from '../sentence.ts';
import type { Figure } from './values.ts';

/** Changes in percent have a decimal. */
const PERCENT_DECIMALS = 1;

/** How sentences write names, numbers and days. */
export interface Wording {
  /** A column that a sentence begins with. */
  readonly subject: (column: string) => string;
  /** A column within a sentence. */
  readonly column: (column: string) => string;
  /** Figures of the metric that are read together, in their order. */
  readonly values: (figures: readonly Figure[]) => readonly string[];
  /** Two figures, and their difference with its sign. */
  readonly difference: (figures: Difference) => Difference;
  /** Differences of such figures, with their signs; `beside` others with no fewer decimals than these. */
  readonly changes: (figures: readonly Figure[], beside?: Difference) => readonly string[];
  /** Changes in percent, with their signs. */
  readonly percents: (percents: readonly Figure[]) => readonly string[];
  /** Shares in percent that are read together, with as many decimals as tell them apart. */
  readonly shares: (percents: readonly Figure[]) => readonly string[];
  readonly written: (sentence: Sentence) => string;
}

/** For programs: names as the API has them. */
export const PLAIN: Wording = {
  subject: column => column,
  column: column => column,
  values: figures => figures.map(figure => stated(figure)),
  difference: figures => {
    const { before, now, difference } = statedDifference(figures);
    return {
      before: groupThousands(before),
      now: groupThousands(now),
      difference: withPlus(difference, groupThousands(difference)),
    };
  },
  changes: (figures, beside) => {
    const places = beside && statedPlacesOf(beside);
    return figures.map(figure => withPlus(String(figure), stated(figure, places)));
  },
  percents: percents => percents.map(one => changePercentText(String(one), PERCENT_DECIMALS)),
  shares: percents => shareTexts(percents),
  written: sentence => sentenceText(sentence),
};

/** How people read the columns of an explanation. */
export interface ExplainedColumns {
  /** The metric with the unit that the gateway lists. */
  readonly shown: Presentation;
  /** What columns are called, by name, instead of their usual labels. */
  readonly labels?: ReadonlyMap<string, string> | undefined;
}

/** For people: labels, and figures, units and dates as tables have them. */
export function wordingOf(
  metric: string,
  { shown, labels = new Map() }: ExplainedColumns,
  style: FigureStyle,
): Wording {
  const labelOf = (column: string) =>
    labels.get(column) ?? (column === metric ? shown : presentationOf(column)).label;
  const texts = (figures: readonly Figure[], isChange: boolean, beside?: Difference) => {
    const digits = figures.map(String);
    const format = figuresFormat({ figure: shown.figure, isChange }, digits, style, beside);
    return digits.map(one => withUnit(format(one), shown));
  };
  return {
    subject: labelOf,
    column: column => labels.get(column) ?? labelInSentence(labelOf(column)),
    values: figures => texts(figures, false),
    difference: figures => {
      const { before, now, difference } = differenceTexts(shown, figures, style);
      return {
        before: withUnit(before, shown),
        now: withUnit(now, shown),
        difference: withUnit(difference, shown),
      };
    },
    changes: (figures, beside) => texts(figures, true, beside),
    percents: percents => percents.map(one => changePercentText(String(one), PERCENT_DECIMALS, style)),
    shares: percents => shareTexts(percents, style),
    written: sentence => sentenceText(sentence, style),
  };
}

const MOST_SHARE_DECIMALS = 4;

/** Shares in percent, with as many decimals as tell them apart. */
function shareTexts(percents: readonly Figure[], style: FigureStyle = {}): string[] {
  const digits = percents.map(String);
  const different = new Set(digits).size;
  let texts: string[] = [];
  for (let decimals = 0; decimals <= MOST_SHARE_DECIMALS && new Set(texts).size < different; decimals++) {
    const format = figuresFormat({ figure: 'percent', isChange: false, isShare: true }, [], {
      ...style,
      decimals,
    });
    texts = digits.map(one => (one === '0' || one === '100' ? `${one} %` : format(one)));
  }
  return texts;
}

/** A figure to compare. */
export function numeric(figure: Figure | string): number {
  return Number(String(figure));
}

/** Whether a figure is below zero, by its digits. */
export function isBelowZero(figure: Figure | string): boolean {
  return String(figure).startsWith('-');
}

/** With the decimals of figures beside it, or as many more as a small one requires. */
function stated(figure: Figure, places?: number): string {
  const digits = String(figure);
  return groupThousands(places === undefined ? statedDigits(digits) : roundVisibly(digits, places));
}

/** The digits with which a sentence states two figures and their difference, which is that of the stated figures. */
export function statedDifference(figures: Difference): Difference {
  return roundedDifference(figures, statedPlacesOf(figures));
}

function statedPlacesOf(figures: Difference): number | undefined {
  const usual = Math.max(...[figures.before, figures.now].map(digits => decimalsIn(statedDigits(digits))));
  return statedPlaces(figures, usual, roundedDifference);
}

function roundedDifference({ before, now, difference }: Difference, places: number | undefined): Difference {
  const round = (digits: string) =>
    places === undefined ? statedDigits(digits) : roundDecimals(digits, places);
  return { before: round(before), now: round(now), difference: round(difference) };
}

/** The digits with which a sentence states a figure: two decimals, or four digits of a small one. */
function statedDigits(digits: string): string {
  const size = Math.abs(Number(digits));
  if (!digits.includes('.')) return digits;
  return roundDecimals(digits, size >= 1 ? 2 : Math.min(10, 3 - Math.floor(Math.log10(size || 1))));
}
