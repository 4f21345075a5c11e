import type { Json, JsonRecord } from '../../json/index.ts';
import type { Chart } from '../chart/chart.ts';
import type { Conclusion } from '../conclusion.ts';
import type { Presentation } from '../presentation/column.ts';
import type { Sentence } from '../sentence.ts';
import type { Column } from '../view.ts';
import type { Verdict } from './headline.ts';

/** A report, independent of the format it is written in. */
export interface ReportDocument {
  readonly title: string;
  readonly subtitle: string | undefined;
  /** The figures to begin with; undefined for none. */
  readonly kpis: Kpis | undefined;
  /** Whether no row of any section is missing. */
  readonly isComplete: boolean;
  readonly sections: readonly DocumentSection[];
}

export type DocumentSection = TextSection | DataSection;

interface TextSection {
  readonly kind: 'text';
  readonly title: string | undefined;
  readonly markdown: string;
}

export interface Days {
  readonly from: string;
  readonly to: string;
}

/** A total, and how people read its metric. */
export interface StatedTotal {
  readonly conclusion: Conclusion;
  readonly presentation: Presentation;
}

/** A figure in each of the periods of time that rows have, in their order; undefined where a row has no figure. */
export interface FigureLine {
  readonly now: readonly (string | undefined)[];
  /** Empty without a comparison. */
  readonly before: readonly (string | undefined)[];
}

/** A total that a document begins with. */
export interface Kpi extends StatedTotal {
  readonly line: FigureLine | undefined;
  readonly verdict: Verdict | undefined;
}

/** The totals that a document begins with; all of them are of the same rows and days. */
export interface Kpis {
  /** The rows that they are of. */
  readonly scope: string;
  readonly days: Days | undefined;
  readonly before: Days | undefined;
  readonly figures: readonly [Kpi, ...Kpi[]];
}

/** Rows with what belongs to them. */
export interface DataSection {
  readonly kind: 'data';
  readonly title: string;
  /** The days: `2026-02-01 to 2026-02-28, compared with …`. */
  readonly period: string | undefined;
  readonly days: Days | undefined;
  /** The days that they are compared with. */
  readonly before: Days | undefined;
  /** The totals of the rows. */
  readonly totals: readonly StatedTotal[];
  /** The figures over time, by metric; none for rows of other dimensions. */
  readonly lines: ReadonlyMap<string, FigureLine>;
  /** What the rows mean, in words for programs. */
  readonly sentences: readonly string[];
  /** An explanation as people read it; empty for rows. */
  readonly explanation: readonly string[];
  /** What the rows prove, as JSON values; the sentences state it. */
  readonly conclusions: readonly JsonRecord[];
  /** What is wrong with the rows. */
  readonly warnings: readonly Sentence[];
  readonly chart: Chart | undefined;
  /** All rows. */
  readonly rows: readonly JsonRecord[];
  readonly columns: readonly Column[];
  /** The rows of the table in a page, with marks for people; none for no table. */
  readonly shown: readonly Json[];
  /** What the period of a label in a column lacks of its days; undefined where none lacks any. */
  readonly partOf?: ((column: string, label: string) => string | undefined) | undefined;
  readonly hasTable: boolean;
  /** What the section says where it has no rows. */
  readonly empty: string;
  /** How many rows there are, if the table does not have all. */
  readonly footnote: string | undefined;
  /** The same where the section does not have all rows. */
  readonly remainder: string | undefined;
  /** The query, so that it can be repeated. */
  readonly request: JsonRecord;
}
