import { isFilledStructure, isPresent, wholeNumberOf } from '../../../apis/bda/fields.ts';
import { UsageError } from '../../../errors/index.ts';
import type { Plan } from '../../../export/plan.ts';
import type { JsonRecord } from '../../../json/index.ts';
import type { RowFlags } from '../rows/row-flags.ts';

/** Default limit; the API requires one. */
const ROWS_DEFAULT = 100;
/** Rows per request when all rows are fetched. The API states no maximum. */
export const PAGE_DEFAULT = 10_000;

/** Limit, offset and paging from the flags, or else from the request. Throws UsageError for an invalid count. */
export function planOf(body: JsonRecord, flags: RowFlags, all: boolean): Plan {
  const start = flags.offset ?? countIn(body, 'StartItem', 0) ?? 0;
  const rows = requestsAllRows(body) ? undefined : countIn(body, 'MaxItems', 1);
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

/** Whether a request for columns requests all rows: only saved reports require a page size. */
export function requestsAllRows(body: JsonRecord): boolean {
  const isInline = [body.DimensionColumns, body.MetricColumns].some(isFilledStructure);
  return isInline && isPresent(body.MaxItems) && wholeNumberOf(body.MaxItems) === 0;
}

function countIn(body: JsonRecord, field: string, min: number): number | undefined {
  const value = body[field];
  if (!isPresent(value)) return undefined;
  const count = wholeNumberOf(value);
  if (count !== undefined && count >= min) return count;
  throw new UsageError(`${field} in the request must be an integer from ${min}`, {
    code: 'invalid_input',
  });
}
