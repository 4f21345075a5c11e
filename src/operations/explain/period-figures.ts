import type { Decimal } from 'decimal.js';
import { rowNumber } from '../../analysis/column-roles.ts';
import { EXACT_ZERO, exactFigure } from '../../analysis/exact-change.ts';
import type { MetricKind } from '../../analysis/metric-kinds.ts';
import type { DayRange } from '../../apis/bda/days.ts';
import { withDays, withQueryFields, withTotalOrder } from '../../apis/bda-v2/query.ts';
import { queryRows } from '../../apis/bda-v2/query-rows.ts';
import type { BdaV2Site } from '../../apis/bda-v2/requests.ts';
import { InvalidResponseError, UsageError } from '../../errors/index.ts';
import { hasWarnings, isContradictory, warningsOf } from '../../export/export-audit.ts';
import type { Sender } from '../../http/sender.ts';
import { fieldOf, isList, type Json, type JsonRecord, stringifyJson, textOf } from '../../json/index.ts';
import { sentence } from '../../output/sentence.ts';
import { groupDigits } from '../../terminal/numbers.ts';
import { QUERY_LIMIT_MAX } from '../../wire/bda-v2.ts';
import { collectRows, recordsOf } from '../rows/collect-rows.ts';
import type { RowWork } from '../rows/row-progress.ts';

/** The figure of a value in one period, and its weight if the metric is a ratio; without a figure, it was not measured. */
export interface Figure {
  readonly figure: Decimal | undefined;
  readonly weight: Decimal | undefined;
}

/** The figures of all values of a dimension in one period, by the JSON text of the value. */
export type FiguresByValue = ReadonlyMap<string, { readonly value: Json } & Figure>;

/** A value of a dimension that a query is limited to. */
export interface Slice {
  readonly dimension: string;
  readonly value: Json;
}

/** More values make no explanation that a person reads. */
const MAX_VALUES = 100_000;

/** What requesting figures takes. */
export interface FigureWork extends RowWork {
  readonly gateway: Sender;
  readonly site: BdaV2Site;
  readonly warn: (text: string) => void;
}

/** Requests the figures of periods, and counts the requests. */
export class PeriodFigures {
  /** Requests sent so far. */
  requests = 0;
  /** Whether rows may be missing in a response. */
  isIncomplete = false;
  /** Whether a response contradicts its request: no rows although it announces some. */
  isContradictory = false;
  readonly #query: JsonRecord;
  readonly #metric: string;
  readonly #kind: MetricKind;
  readonly #work: FigureWork;

  constructor(query: JsonRecord, metric: string, kind: MetricKind, work: FigureWork) {
    this.#query = query;
    this.#metric = metric;
    this.#kind = kind;
    this.#work = work;
  }

  /** The figures by value of a dimension. Throws UsageError for too many values. */
  async by(dimension: string, days: DayRange, slice?: Slice): Promise<FiguresByValue> {
    const { gateway, site, report } = this.#work;
    const query = withTotalOrder(this.#queryFor([dimension], days, slice));
    const source = queryRows(gateway, site, query, { paged: true });
    const { rows, stats } = await collectRows(
      {
        source: {
          ...source,
          open: (page, ahead) => {
            this.requests += 1;
            return source.open(page, ahead);
          },
        },
        plan: { start: 0, pageSize: QUERY_LIMIT_MAX, pagesInFlight: 1 },
      },
      this.#work,
      count => {
        if (count > MAX_VALUES)
          throw new UsageError(`${dimension} has more than ${groupDigits(MAX_VALUES)} values`, {
            code: 'output_too_large',
          });
      },
    );
    this.isIncomplete ||= hasWarnings(stats);
    this.isContradictory ||= isContradictory(stats);
    for (const flaw of warningsOf(stats))
      report({ kind: 'warning', text: sentence`by ${dimension}, ${days}: ${flaw}` });
    const figures = new Map<string, { value: Json } & Figure>();
    for (const row of recordsOf(rows)) {
      const value = columnIn(row, dimension);
      const key = stringifyJson(value);
      const own = this.#figureOf(row);
      const known = figures.get(key);
      figures.set(key, known === undefined ? { value, ...own } : { value, ...added(known, own) });
    }
    return figures;
  }

  #queryFor(dimensions: readonly string[], days: DayRange, slice: Slice | undefined): JsonRecord {
    const filters = isList(this.#query.filters) ? this.#query.filters : [];
    const own = slice && [{ column: slice.dimension, operator: 'in', values: [slice.value] }];
    return withDays(
      withQueryFields(
        this.#query,
        new Map<string, Json>([
          ['dimensions', [...dimensions]],
          ['metrics', this.#columns()],
          ...(own === undefined ? [] : [['filters', [...filters, ...own]] as const]),
        ]),
      ),
      days,
    );
  }

  #columns(): string[] {
    const kind = this.#kind;
    return kind.kind === 'additive' ? [this.#metric] : [kind.numerator ?? this.#metric, kind.weight];
  }

  #figureOf(row: JsonRecord): Figure {
    const kind = this.#kind;
    if (kind.kind === 'additive') return { figure: numberIn(row, this.#metric), weight: undefined };
    const weight = numberIn(row, kind.weight);
    const own = numberIn(row, kind.numerator ?? this.#metric);
    if (weight === undefined) return { figure: undefined, weight };
    if (kind.numerator !== undefined) return { figure: own, weight };
    // A ratio of nothing has no value, and adds nothing.
    return { figure: weight.isZero() ? EXACT_ZERO : own?.times(weight), weight };
  }
}

function added(a: Figure, b: Figure): Figure {
  return {
    figure: b.figure && a.figure?.plus(b.figure),
    weight: b.weight && a.weight?.plus(b.weight),
  };
}

/** Throws InvalidResponseError for a row without the column: a missing figure is not zero. */
function columnIn(row: JsonRecord, column: string): Json {
  const value = fieldOf(row, column);
  if (value !== undefined) return value;
  throw new InvalidResponseError(`the response has a row without the column ${column}`, {
    code: 'unexpected_shape',
  });
}

/** Undefined for null, which is no figure. */
function numberIn(row: JsonRecord, column: string): Decimal | undefined {
  const value = columnIn(row, column);
  if (value === null) return undefined;
  const digits = rowNumber(value);
  const figure = digits === undefined ? undefined : exactFigure(digits);
  if (figure !== undefined) return figure;
  throw new InvalidResponseError(`the value '${textOf(value)}' of ${column} is not a number`, {
    code: 'unexpected_shape',
  });
}
