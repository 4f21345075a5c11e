import { groupThousands } from './number.ts';
import { type FigureStyle, machineLocale, periodText, regrouped } from './presentation/index.ts';

/** Days from the first to the last; of a month `2026-03`. */
interface Days {
  readonly from: string;
  readonly to: string;
}

/** A figure with all its digits, as a program has them. */
interface Digits {
  readonly digits: string;
}

type Part = string | number | Days | Digits;

/** A sentence whose counts and days are written when it is known who reads it; text where it has none. */
export type Sentence = string | { readonly parts: readonly Part[] };

/** A sentence with counts, days and other sentences in it: sentence`no data for ${days}`. */
export function sentence(texts: TemplateStringsArray, ...values: readonly (Part | Sentence)[]): Sentence {
  const parts = texts.flatMap((text, at): readonly Part[] => {
    const value = values[at] ?? '';
    return [text, ...(typeof value === 'object' && 'parts' in value ? value.parts : [value])];
  });
  return { parts };
}

/** A single day in a sentence. */
export function oneDay(day: string): Days {
  return { from: day, to: day };
}

/** A count with its noun: `1 row`, `1,200 rows`. */
export function counted(count: number, what: string): Sentence {
  return sentence`${count} ${what}${count === 1 ? '' : 's'}`;
}

/** Sentences in one; undefined for none. */
export function joined(sentences: readonly Sentence[], separator = '; '): Sentence | undefined {
  const [first, ...others] = sentences;
  if (first === undefined) return undefined;
  return others.reduce((all, next) => sentence`${all}${separator}${next}`, first);
}

/** For people as their locale writes counts and days; without a style for programs, `1,200` and `2026-03-14 to 2026-03-20`. */
export function sentenceText(written: Sentence, style?: Pick<FigureStyle, 'locale'>): string {
  if (typeof written === 'string') return written;
  const daysText = (days: Days) =>
    style === undefined
      ? days.from === days.to
        ? days.from
        : `${days.from} to ${days.to}`
      : periodText(days, style);
  const digitsText = (digits: string) => regrouped(groupThousands(digits), style?.locale);
  return written.parts
    .map(part => {
      if (typeof part === 'string') return part;
      if (typeof part === 'number') return digitsText(String(part));
      return 'digits' in part ? digitsText(part.digits) : daysText(part);
    })
    .join('');
}

/** For who uses a machine, in its locale unless they chose one. */
export function sentenceFor(
  env: Parameters<typeof machineLocale>[0],
  written: Sentence,
  locale: FigureStyle['locale'] = machineLocale(env),
): string {
  return sentenceText(written, { locale });
}
