import { groupDigits, pluralize } from '../terminal/numbers.ts';
import { expectedRows, leavesRows, type Plan, type Reached } from './plan.ts';
import { RowsSeen } from './rows-seen.ts';
import type { PageOfRows } from './transcode/transcoder.ts';

/** What a reader of the rows should know about them. */
export interface ExportStats {
  /** Rows that came. */
  readonly rows: number;
  /** Rows that should have come by the last answer's total; undefined where there was none. */
  readonly expected: number | undefined;
  /** The totals of the first and the last answer, and the last one that was not the first. */
  readonly firstTotal: number | undefined;
  readonly lastTotal: number | undefined;
  readonly otherTotal: number | undefined;
  /** Whether the API documents a total and its responses had none: nothing shows whether all rows came. */
  readonly isUncounted: boolean;
  /** Rows that were there before; there may be more where `sawAll` is false, since then not every row was compared. */
  readonly repeated: number;
  readonly sawAll: boolean;
  /** Columns asked for, and how many rows lacked them. */
  readonly missing: ReadonlyMap<string, number>;
  /** Fields that nobody asked for, and how many rows had them. */
  readonly extra: ReadonlyMap<string, number>;
  /** Rows beyond those requested that came and were dropped, and whether more would have come. */
  readonly surplus: number;
  readonly isCut: boolean;
  /** Whether rows stay behind, or may, only because nobody said how many to bring. */
  readonly hasMoreRows: boolean;
  /** Whether those fields are lost, because the format has no place for them. */
  readonly dropped: boolean;
}

/** Collects, page by page, what is odd about the rows. */
export class ExportAudit {
  readonly #plan: Plan;
  readonly #hasTotal: boolean;
  readonly #missing = new Map<string, number>();
  readonly #extra = new Map<string, number>();
  readonly #seen = new RowsSeen();
  #repeated = 0;
  #surplus = 0;
  #isCut = false;
  #sawAll: boolean;
  #repeatsPage = false;
  #firstTotal: number | undefined;
  #otherTotal: number | undefined;

  /** `hasTotal`: whether the API documents a total. With `resume`, what an earlier run found: its rows are not there to be compared. */
  constructor(
    plan: Plan,
    hasTotal: boolean,
    resume: { readonly reached: Reached; readonly firstTotal: number | undefined } | undefined,
  ) {
    this.#plan = plan;
    this.#hasTotal = hasTotal;
    this.#firstTotal = resume?.firstTotal;
    this.#sawAll = (resume?.reached.rows ?? 0) === 0;
  }

  get firstTotal(): number | undefined {
    return this.#firstTotal;
  }

  /** Whether the page added last is the one before it again, or the beginning of it. */
  get repeatsPage(): boolean {
    return this.#repeatsPage;
  }

  add(page: PageOfRows, total: number | undefined): void {
    this.#firstTotal ??= total;
    if (total !== this.#firstTotal) this.#otherTotal = total ?? this.#otherTotal;
    this.#surplus += page.surplus;
    this.#isCut ||= page.isCut;
    this.#repeatsPage = this.#seen.repeatsPage(page.fingerprints);
    this.#repeated += this.#seen.add(page.fingerprints);
    this.#sawAll &&= this.#seen.isWhole && page.fingerprints.length === 2 * page.rows;
    addCounts(this.#missing, page.missing);
    addCounts(this.#extra, page.extra);
  }

  stats({ rows, total }: Reached): ExportStats {
    return {
      rows,
      expected: expectedRows(this.#plan, total),
      firstTotal: this.#firstTotal,
      lastTotal: total,
      otherTotal: this.#otherTotal,
      isUncounted: this.#hasTotal && total === undefined && rows !== this.#plan.wanted,
      repeated: this.#repeated,
      sawAll: this.#sawAll,
      missing: this.#missing,
      extra: this.#extra,
      surplus: this.#surplus,
      isCut: this.#isCut,
      hasMoreRows: leavesRows(this.#plan, { rows, total }),
      dropped: false,
    };
  }
}

/** Whether rows are missing or too many, or lack something: not what a strict reader wants. */
export function hasWarnings(stats: ExportStats): boolean {
  const { rows, expected, otherTotal, isUncounted, repeated, surplus, missing, hasMoreRows, dropped } = stats;
  return (
    dropped ||
    isUncounted ||
    hasMoreRows ||
    (expected !== undefined && rows !== expected) ||
    otherTotal !== undefined ||
    repeated > 0 ||
    surplus > 0 ||
    missing.size > 0
  );
}

/** Whether the response contradicts the request: it lacks all rows that it announces, or a requested column altogether. */
export function isContradictory({ rows, expected, missing }: ExportStats): boolean {
  if (rows === 0) return expected !== undefined && expected > 0;
  return [...missing.values()].some(count => count === rows);
}

/** The flaws as sentences. */
export function warningsOf(stats: ExportStats): string[] {
  const { rows, expected, firstTotal, otherTotal, isUncounted, repeated, sawAll, surplus, isCut, missing } =
    stats;
  const flaws: string[] = [];
  if (firstTotal !== undefined && otherTotal !== undefined) {
    const totals = `${groupDigits(firstTotal)} rows matched at first, ${groupDigits(otherTotal)} later`;
    flaws.push(`the data changed during the export: ${totals}; rows may be missing or duplicated`);
  }
  if (isUncounted) flaws.push('the response has no total, so rows may be missing');
  if (expected !== undefined && rows !== expected)
    flaws.push(`received ${pluralize(rows, 'row')}, expected ${groupDigits(expected)}`);
  if (repeated > 0) {
    const duplicates = `${sawAll ? '' : 'at least '}${pluralize(repeated, 'duplicate row')}`;
    flaws.push(`${duplicates}; as many others may be missing`);
  }
  if (surplus > 0) {
    const least = isCut ? 'at least ' : '';
    flaws.push(`dropped ${least}${pluralize(surplus, 'row')} beyond the requested ones`);
  }
  for (const [column, count] of missing)
    flaws.push(
      `the column ${column} is missing in ${count === rows && rows > 1 ? 'every row' : pluralize(count, 'row')}`,
    );
  return flaws;
}

function addCounts(counts: Map<string, number>, more: ReadonlyMap<string, number>): void {
  for (const [name, count] of more) counts.set(name, (counts.get(name) ?? 0) + count);
}
