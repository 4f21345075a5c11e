import type { StreamedAnswer } from '../../../gateway/gateway.ts';
import type { FaultReader } from '../../../gateway/request.ts';
import type { Sender } from '../../../gateway/sender.ts';
import type { JsonRecord } from '../../../json/index.ts';
import { columnsOf, pageOf } from './query.ts';
import { type BdaV2Site, queryRequest, readFault } from './requests.ts';

/** The rows of a query, to be asked for page by page; an export reads them. */
export interface QueryRows {
  readonly columns: readonly string[];
  readonly rowsName: string;
  readonly readFault: FaultReader;
  open(page: { readonly offset: number; readonly limit: number }): Promise<StreamedAnswer>;
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
    readFault,
    open: page => sender.stream(queryRequest(site, paged ? pageOf(query, page) : query)),
    total: metadata => countOf(metadata.get('total_rows')),
  };
}

function countOf(text: string | undefined): number | undefined {
  const count = text !== undefined && /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(count) ? count : undefined;
}
