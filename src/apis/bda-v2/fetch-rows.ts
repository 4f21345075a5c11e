import { InvalidResponseError } from '../../errors/index.ts';
import { saidIn } from '../../http/error-body.ts';
import type { Sender } from '../../http/sender.ts';
import { fieldOf, integerOf, isList, isRecord, type JsonRecord } from '../../json/index.ts';
import { type BdaV2Site, queryRequest } from './requests.ts';

/** One page of a query's rows, held whole. */
export interface PageOfRows {
  readonly rows: readonly JsonRecord[];
  /** Rows that match in all; undefined where the answer does not tell. */
  readonly total: number | undefined;
}

/** Asks a query once (spec, BDA v2 query response). Throws InvalidResponseError for an answer without rows. */
export async function fetchRows(sender: Sender, site: BdaV2Site, query: JsonRecord): Promise<PageOfRows> {
  const { body } = await sender.send(queryRequest(site, query));
  const rows = isRecord(body) ? fieldOf(body, 'rows') : undefined;
  if (!isRecord(body) || !isList(rows) || !rows.every(isRecord))
    throw new InvalidResponseError(`the answer of v2 has no rows in it${saidIn(body)}`, {
      code: 'unexpected_shape',
    });
  return { rows: rows.filter(isRecord), total: integerOf(fieldOf(body, 'total_rows')) };
}
