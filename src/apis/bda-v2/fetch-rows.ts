import { InvalidResponseError } from '../../errors/index.ts';
import { saidIn } from '../../http/error-body.ts';
import type { Sender } from '../../http/sender.ts';
import { fieldOf, integerOf, isList, isRecord, type JsonRecord } from '../../json/index.ts';
import { type BdaV2Site, queryRequest } from './requests.ts';

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
