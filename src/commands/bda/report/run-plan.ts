import { isFilledStructure, isPresent, wholeNumberOf } from '../../../apis/bda/fields.ts';
import { UsageError } from '../../../errors/index.ts';
import type { Plan } from '../../../export/plan.ts';
import type { JsonRecord } from '../../../json/index.ts';
import type { RowFlags } from '../rows/row-flags.ts';

/** Rows at once where nothing is said: the API insists on a number. */
const ROWS_DEFAULT = 100;
/** Rows per request when all rows are fetched. The API states no maximum. */
export const PAGE_DEFAULT = 10_000;

/** Which rows are asked for: what the flags say, else what the request says. Throws UsageError for counts that are none. */
export function planOf(body: JsonRecord, flags: RowFlags, all: boolean): Plan {
  const start = flags.offset ?? countIn(body, 'StartItem', 0) ?? 0;
  const rows = asksForAll(body) ? undefined : countIn(body, 'MaxItems', 1);
  if (all) return allRows(start, flags, rows);
  const limit = flags.limit ?? rows;
  if (limit === undefined) return { start, pageSize: ROWS_DEFAULT, single: true, endsByItself: true };
  return { start, pageSize: limit, single: true };
}

/** All rows from `start`; `rows` is the page size of the request. */
export function allRows(
  start: number,
  { pageSize, concurrency }: Pick<RowFlags, 'pageSize' | 'concurrency'>,
  rows?: number,
): Plan {
  return { start, pageSize: pageSize ?? rows ?? PAGE_DEFAULT, pagesInFlight: concurrency };
}

/** Whether a request for columns asks for all rows: the API requires a page size of saved reports alone. */
export function asksForAll(body: JsonRecord): boolean {
  const isInline = [body.DimensionColumns, body.MetricColumns].some(isFilledStructure);
  return isInline && isPresent(body.MaxItems) && wholeNumberOf(body.MaxItems) === 0;
}

function countIn(body: JsonRecord, field: string, min: number): number | undefined {
  const value = body[field];
  if (!isPresent(value)) return undefined;
  const count = wholeNumberOf(value);
  if (count !== undefined && count >= min) return count;
  throw new UsageError(`${field} in the request must be a whole number from ${min}`, {
    code: 'invalid_input',
  });
}
