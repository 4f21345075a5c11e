import type { Json, JsonNumber, JsonRecord } from '../../json/index.ts';
import { type Completeness, completenessJson } from '../conclusion.ts';
import { type Sentence, sentenceText } from '../sentence.ts';

/** All digits of a figure. */
export type Figure = number | JsonNumber;

/** A period of a comparison: `days` is how many `of` its days count, `value` the metric over all of them, `compared` what is compared. */
interface ComparedPeriod {
  readonly from: string;
  readonly to: string;
  readonly days: number;
  readonly of: number;
  readonly value: Figure;
  readonly compared: Figure;
}

/** How a metric changed, and whether it usually changes as much. */
export interface MetricChange {
  readonly kind: 'metric_change';
  readonly metric: string;
  readonly now: ComparedPeriod;
  readonly before: ComparedPeriod;
  /** `day`: the figures are compared per day, because the periods count different numbers of days. */
  readonly basis: 'period' | 'day';
  readonly difference: Figure;
  /** With a decimal; null if the figure before is not above zero. */
  readonly percent: Figure | null;
  /**
   * `unknown` where too few periods before have figures, or no range holds most of their changes; `incomparable` where the figures lack something (`withheld`); `judged` where
   * an alert has judged the change by another model.
   */
  readonly verdict: 'unchanged' | 'usual' | 'unusual' | 'unknown' | 'incomparable' | 'judged';
  /** The values of a dimension that the figures are a sum of, where others have no figure or they do not add up to the metric by day. */
  readonly scope: { readonly dimension: string; readonly values: number; readonly of: number } | null;
  /** Why the change is not judged: what the figures lack, in brief. */
  readonly withheld: Sentence | null;
  readonly usual: { readonly unit: 'percent' | 'figure'; readonly from: Figure; readonly to: Figure } | null;
  /** How many earlier changes are known. */
  readonly earlier: number;
  /** How many of these are equal, where that are most, but too few for any other change to be unusual. */
  readonly equal?: number;
  /** What else to know about the figures, in words for programs. */
  readonly remarks: readonly string[];
  readonly completeness: Completeness;
}

/** What one value of a dimension adds to a change; `share` is in percent of all rises, or of all falls. */
export interface Contributor {
  readonly value: Json;
  readonly contribution: Figure;
  readonly share: Figure;
  readonly status: string;
}

/** All values that contribute in one direction. */
export interface Side {
  readonly values: number;
  readonly total: Figure;
  readonly largest: Contributor | null;
  /** The other values that contribute as much. */
  readonly tied: readonly Json[];
}

/**
 * - `offset`: rises and falls are of similar size
 * - `broad`: most values changed alike, in proportion to their size
 * - `led`: some contributed more than their size
 */
export type ChangePattern = 'none' | 'offset' | 'broad' | 'led';

/** How the values of a dimension make up a change. */
export interface Contributors {
  readonly kind: 'contributors';
  readonly dimension: string;
  /** The value of another dimension that these are limited to. */
  readonly within: { readonly dimension: string; readonly value: Json } | null;
  readonly pattern: ChangePattern;
  readonly values: number;
  /** Other values, of which a period has rows without a figure. */
  readonly unmeasured: number;
  /** Whether the values add up to the metric by day, where that is known. */
  readonly adds_up: boolean;
  readonly rises: Side;
  readonly falls: Side;
  /** Undefined for a sum. */
  readonly ratio: RatioCause | undefined;
}

/** The share of the weights that a value has, in percent. */
export interface WeightShare {
  readonly weight: string;
  readonly value: Json;
  readonly before: Figure;
  readonly now: Figure;
}

/**
 * Whether a ratio changed because its values did (performance), or because their shares did (mix). `offset`: they work against each
 * other, and neither is most of what both add.
 */
export interface RatioCause {
  readonly kind: 'ratio_cause';
  readonly dimension: string;
  readonly within: Contributors['within'];
  readonly mix: Figure;
  readonly rate: Figure;
  readonly cause: 'mix' | 'performance' | 'both' | 'offset' | 'none';
  /** Of the value whose share adds most to the mix in its direction; null where nothing is known to be mostly mix. */
  readonly share: WeightShare | null;
  /** How many values have a ratio in both periods, and how many of these rose and fell. */
  readonly compared: number;
  readonly rose: number;
  readonly fell: number;
}

/** What else to know about figures: periods with other days of the week, and days without rows that count as zero. */
export type Remark =
  | { readonly kind: 'weekdays_differ' }
  | { readonly kind: 'zero_days'; readonly days: number; readonly before: number };

/** What figures say about a change, as values that are JSON: text is made of them by `explanationText` only. */
export interface ChangeConclusions {
  readonly change: MetricChange;
  readonly remarks: readonly Remark[];
  /** The dimension that explains most first. */
  readonly dimensions: readonly Contributors[];
  readonly within: Contributors | undefined;
}

/** The conclusions in a list. */
export function explanationJson({ change, dimensions, within }: ChangeConclusions): JsonRecord[] {
  const json = {
    ...change,
    withheld: change.withheld && sentenceText(change.withheld),
    completeness: completenessJson(change.completeness),
  };
  const all = [...dimensions, ...(within === undefined ? [] : [within])];
  const causes = all.flatMap(({ ratio }) => ratio ?? []);
  const contributors = all.map(({ ratio: _, ...own }) => own);
  return [json, ...causes, ...contributors] as unknown as JsonRecord[];
}
