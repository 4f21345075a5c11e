import { groupDigits, pluralize } from '../terminal/numbers.ts';
import { expectedRows, type FetchProgress, leavesRows, type Plan } from './plan.ts';
import { RowsSeen } from './rows-seen.ts';
import type { PageOfRows } from './transcode/transcoder.ts';

/** Counts that show whether the rows are complete and as requested. */
export interface ExportStats {
  /** Received rows. */
  readonly rows: number;
  /** Expected rows by the total of the last response; undefined without a total. */
  readonly expected: number | undefined;
  /** The totals of the first and the last response, and the last total that differs from the first. */
  readonly firstTotal: number | undefined;
  readonly lastTotal: number | undefined;
  readonly otherTotal: number | undefined;
  /** Whether the API documents a total but its responses have none, so that completeness is unknown. */
  readonly isUncounted: boolean;
  /** Duplicate rows; a lower bound if `sawAll` is false, because then not every row was compared. */
  readonly repeated: number;
  readonly sawAll: boolean;
  /** Requested columns, and how many rows lack them. */
  readonly missing: ReadonlyMap<string, number>;
  /** Fields that were not requested, and how many rows have them. */
  readonly extra: ReadonlyMap<string, number>;
  /** Rows beyond the requested ones, which were dropped, and whether reading stopped early. */
  readonly surplus: number;
  readonly isCut: boolean;
  /** Whether rows are, or may be, left out only because a default limit applied. */
  readonly hasMoreRows: boolean;
  /** Whether a page was the same as the one before it, so that reading stopped there. */
  readonly repeatsPage: boolean;
  /** Whether those fields are lost, because the format has no place for them. */
  readonly dropped: boolean;
}

/** Collects these counts, page by page. */
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

  /**
   * `hasTotal`: whether the API documents a total. `resume`: the counts of an earlier run, whose rows can no longer be compared.
   */
  constructor(
    plan: Plan,
    hasTotal: boolean,
    resume: { readonly reached: FetchProgress; readonly firstTotal: number | undefined } | undefined,
  ) {
    this.#plan = plan;
    this.#hasTotal = hasTotal;
    this.#firstTotal = resume?.firstTotal;
    this.#sawAll = (resume?.reached.rows ?? 0) === 0;
  }

  get firstTotal(): number | undefined {
    return this.#firstTotal;
  }

  /** Whether the page added last equals the page before it, or the beginning of it. */
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

  /** `repeatsPage`: whether the source omitted a page that was the same as the one before it. */
  stats({ rows, total }: FetchProgress, repeatsPage: boolean): ExportStats {
    return {
      rows,
      expected: expectedRows(this.#plan, total),
      firstTotal: this.#firstTotal,
      lastTotal: total,
      otherTotal: this.#otherTotal,
      isUncounted: this.#hasTotal && total === undefined && rows !== this.#plan.rowLimit,
      repeated: this.#repeated,
      sawAll: this.#sawAll,
      missing: this.#missing,
      extra: this.#extra,
      surplus: this.#surplus,
      isCut: this.#isCut,
      hasMoreRows: leavesRows(this.#plan, { rows, total }),
      repeatsPage,
      dropped: false,
    };
  }
}

/**
 * The stats of a document of several parts with so many rows in all; those of a single part unchanged. Of several, only what
 * contradicts the request in all of them: the rest is different for each part.
 */
export function mergedStats(parts: readonly (ExportStats | undefined)[], rows: number): ExportStats {
  const known = parts.filter(part => part !== undefined);
  const [first] = known;
  if (parts.length === 1 && first !== undefined) return first;
  const counts = (name: 'missing' | 'extra') => {
    const sum = new Map<string, number>();
    for (const part of known) addCounts(sum, part[name]);
    return sum;
  };
  return {
    rows,
    expected: rows,
    firstTotal: rows,
    lastTotal: rows,
    otherTotal: undefined,
    isUncounted: false,
    repeated: 0,
    sawAll: false,
    missing: new Map([...counts('missing')].filter(([, count]) => count === rows)),
    extra: counts('extra'),
    surplus: 0,
    isCut: false,
    hasMoreRows: false,
    repeatsPage: false,
    dropped: false,
  };
}

/** The warning about a server that returns its only page again. */
export const PAGE_REPEATED =
  'the gateway returned the same page twice, as if it ignored paging; stopped there';

/** Whether rows are missing, surplus or incomplete, which --strict rejects. */
export function hasWarnings(stats: ExportStats): boolean {
  const { rows, expected, otherTotal, isUncounted, repeated, surplus, missing, hasMoreRows } = stats;
  return (
    stats.dropped ||
    stats.repeatsPage ||
    isUncounted ||
    hasMoreRows ||
    (expected !== undefined && rows !== expected) ||
    otherTotal !== undefined ||
    repeated > 0 ||
    surplus > 0 ||
    missing.size > 0
  );
}

/** Whether the response contradicts the request: no rows although it announces some, or a requested column that no row has. */
export function isContradictory({ rows, expected, missing }: ExportStats): boolean {
  if (rows === 0) return expected !== undefined && expected > 0;
  return [...missing.values()].some(count => count === rows);
}

/** How complete rows are. */
interface Completeness {
  /** Whether these are all rows, or as many as the user limited them to. */
  readonly isComplete: boolean;
  /** Whether the rows contradict the request, so that they must not be used as a result. */
  readonly isContradictory: boolean;
  /** What is missing or wrong, one sentence each. */
  readonly flaws: readonly string[];
}

/** How complete the rows of several responses are together. */
export function completenessOf(...all: readonly ExportStats[]): Completeness {
  return {
    isComplete: !all.some(hasWarnings),
    isContradictory: all.some(isContradictory),
    flaws: [...new Set(all.flatMap(warningsOf))],
  };
}

/** The warnings about the rows, one sentence each. */
export function warningsOf(stats: ExportStats): string[] {
  const { rows, expected, firstTotal, otherTotal, isUncounted, repeated, sawAll, surplus, isCut, missing } =
    stats;
  const flaws: string[] = [];
  if (firstTotal !== undefined && otherTotal !== undefined) {
    const totals = `${groupDigits(firstTotal)} rows matched at first, ${groupDigits(otherTotal)} later`;
    flaws.push(`the data changed during the export: ${totals}; rows may be missing or duplicated`);
  }
  if (stats.repeatsPage) flaws.push(PAGE_REPEATED);
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
