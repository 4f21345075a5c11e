import { InvalidResponseError } from '../../errors/index.ts';
import { saidIn } from '../../http/error-body.ts';
import type { AheadOptions, RowStream } from '../../http/gateway.ts';
import type { ErrorReader } from '../../http/request.ts';
import type { Sender } from '../../http/sender.ts';
import {
  digitsOf,
  fieldOf,
  integerOf,
  isJsonNumber,
  isList,
  isRecord,
  type Json,
  type JsonRecord,
} from '../../json/index.ts';
import { columnsOf, pageOf } from './query.ts';
import { type BdaV2Site, queryRequest, readError } from './requests.ts';

/** The rows of a query, page by page, for an export. */
interface QueryRows {
  readonly columns: readonly string[];
  readonly rowsName: string;
  readonly readError: ErrorReader;
  open(page: { readonly offset: number; readonly limit: number }, ahead?: AheadOptions): Promise<RowStream>;
  readonly hasTotal: true;
  /** Total number of matching rows, from the other fields of the response; undefined if it is not a count. */
  total(metadata: ReadonlyMap<string, string>): number | undefined;
}

/** With `paged`, pages set limit and offset of the query; without, the first request is the query, unchanged. */
export function queryRows(
  sender: Sender,
  site: BdaV2Site,
  query: JsonRecord,
  { paged }: { readonly paged: boolean },
): QueryRows {
  return {
    columns: columnsOf(query),
    rowsName: 'rows',
    readError,
    open: (page, ahead) => {
      const isFirst = page.offset === (integerOf(query.offset) ?? 0);
      return sender.stream(queryRequest(site, !paged && isFirst ? query : pageOf(query, page)), ahead);
    },
    hasTotal: true,
    total: metadata => countOf(metadata.get('total_rows')?.replace(/^"(.*)"$/, '$1')),
  };
}

/** From the digits of a JSON number, such as `6`, `6.0` or `6e0`. */
function countOf(digits: string | undefined): number | undefined {
  if (digits === undefined || !/^\d[\d.eE+-]*$/.test(digits)) return undefined;
  const count = Number(digits);
  return Number.isSafeInteger(count) ? count : undefined;
}

/** One page of rows. */
interface PageOfRows {
  readonly rows: readonly JsonRecord[];
  /** Total number of matching rows; undefined if the response has none. */
  readonly total: number | undefined;
}

/** Runs a query (spec, BDA v2 query response). Throws InvalidResponseError for a response without rows. */
export async function fetchRows(sender: Sender, site: BdaV2Site, query: JsonRecord): Promise<PageOfRows> {
  const { body } = await sender.send(queryRequest(site, query));
  const rows = isRecord(body) ? fieldOf(body, 'rows') : undefined;
  if (!isRecord(body) || !isList(rows) || !rows.every(isRecord))
    throw new InvalidResponseError(`no rows in the response of v2${saidIn(body)}`, {
      code: 'unexpected_shape',
    });
  return { rows: rows.filter(isRecord), total: totalOf(fieldOf(body, 'total_rows')) };
}

/** A number, or one in quotes. */
function totalOf(value: Json | undefined): number | undefined {
  return countOf(typeof value === 'string' ? value : isJsonNumber(value) ? digitsOf(value) : undefined);
}
