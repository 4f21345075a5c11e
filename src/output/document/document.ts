import type { Json, JsonRecord } from '../../json/index.ts';
import type { Chart } from '../chart/chart.ts';
import type { Column } from '../view.ts';

/** A report, independent of the format it is written in. */
export interface ReportDocument {
  readonly title: string;
  readonly subtitle: string | undefined;
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

/** Rows with what belongs to them. */
export interface DataSection {
  readonly kind: 'data';
  readonly title: string;
  /** The days: `2026-02-01 to 2026-02-28, compared with …`. */
  readonly period: string | undefined;
  /** What the rows mean, in words. */
  readonly sentences: readonly string[];
  /** What the rows prove, as JSON values; the sentences state it. */
  readonly conclusions: readonly JsonRecord[];
  /** What is wrong with the rows. */
  readonly warnings: readonly string[];
  readonly chart: Chart | undefined;
  /** All rows. */
  readonly rows: readonly JsonRecord[];
  readonly columns: readonly Column[];
  /** The rows of the table in a page, with marks for people; none for no table. */
  readonly shown: readonly Json[];
  readonly hasTable: boolean;
  /** How many rows there are, if the table does not have all. */
  readonly footnote: string | undefined;
  /** The query, so that it can be repeated. */
  readonly request: JsonRecord;
}
