import type { AheadOptions, RowStream } from '../../http/gateway.ts';
import type { ErrorReader } from '../../http/request.ts';
import type { Sender } from '../../http/sender.ts';
import type { JsonRecord } from '../../json/index.ts';
import { columnsOf, pageOf } from './query.ts';
import { type BdaV2Site, queryRequest, readError } from './requests.ts';

/** The rows of a query, to be asked for page by page; an export reads them. */
export interface QueryRows {
  readonly columns: readonly string[];
  readonly rowsName: string;
  readonly readError: ErrorReader;
  open(page: { readonly offset: number; readonly limit: number }, ahead?: AheadOptions): Promise<RowStream>;
  readonly hasTotal: true;
  /** How many rows match in all, from what stands beside the rows; undefined where that is no count. */
  total(metadata: ReadonlyMap<string, string>): number | undefined;
}

/** With `paged`, pages set the query's limit and offset; without it, the query is asked once, as it is. */
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
