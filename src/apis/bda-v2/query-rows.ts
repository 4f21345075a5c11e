import { InvalidResponseError } from '../../errors/index.ts';
import { saidIn } from '../../http/error-body.ts';
import type { AheadOptions, RowStream } from '../../http/gateway.ts';
import type { ErrorReader } from '../../http/request.ts';
import type { Sender } from '../../http/sender.ts';
import { fieldOf, integerOf, isList, isRecord, type JsonRecord } from '../../json/index.ts';
import { columnsOf, pageOf } from './query.ts';
import { type BdaV2Site, queryRequest, readError } from './requests.ts';

/** The rows of a query, page by page, for an export. */
export interface QueryRows {
  readonly columns: readonly string[];
  readonly rowsName: string;
  readonly readError: ErrorReader;
  open(page: { readonly offset: number; readonly limit: number }, ahead?: AheadOptions): Promise<RowStream>;
  readonly hasTotal: true;
  /** Total number of matching rows, from the other fields of the response; undefined if it is not a count. */
  total(metadata: ReadonlyMap<string, string>): number | undefined;
}

/** With `paged`, pages set limit and offset of the query; without, the query is sent once, unchanged. */
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
    open: (page, ahead) => sender.stream(queryRequest(site, paged ? pageOf(query, page) : query), ahead),
    hasTotal: true,
    total: metadata => countOf(metadata.get('total_rows')),
  };
}

/** From a JSON text: a number, or one in quotes. */
function countOf(text: string | undefined): number | undefined {
  const digits = /^("?)(\d+)\1$/.exec(text ?? '')?.[2];
  const count = digits === undefined ? Number.NaN : Number(digits);
  return Number.isSafeInteger(count) ? count : undefined;
}

/** One page of rows. */
export interface PageOfRows {
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
  return { rows: rows.filter(isRecord), total: integerOf(fieldOf(body, 'total_rows')) };
}
