import { pageOf, withTotalOrder } from '../../apis/bda-v2/query.ts';
import { InvalidResponseError, UsageError } from '../../errors/index.ts';
import { missingArgument } from '../../errors/usage.ts';
import type { RawResponse } from '../../http/gateway.ts';
import type { GatewayRequest } from '../../http/request.ts';
import {
  fieldOf,
  integerOf,
  isList,
  isRecord,
  type Json,
  type JsonRecord,
  parseJson,
  stringifyJson,
} from '../../json/index.ts';
import type { Context } from '../framework/context.ts';
import { showFailure, showJson } from './show.ts';

/** Rows per request, unless the query sets a limit. */
const PAGE_ROWS = 10_000;
/** Maximum size of the document. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Requests a v2 query page after page and writes one document of the same form with all rows. It is written after the last page
 * was received, so that the output is complete.
 */
export async function showAllPages(request: GatewayRequest, context: Context): Promise<void> {
  const query = queryIn(request);
  const limit = integerOf(query.limit) ?? PAGE_ROWS;
  const start = integerOf(query.offset) ?? 0;
  const sender = await context.gateway();
  const rows: string[] = [];
  let bytes = 0;
  for (;;) {
    const page = stringifyJson(pageOf(query, { offset: start + rows.length, limit }));
    const response = await sender.sendRaw({ ...request, body: page });
    if (response.error !== undefined) {
      await showFailure(response, response.error, context);
      throw response.error;
    }
    const { found, others } = rowsIn(response);
    for (const row of found) {
      const text = stringifyJson(row);
      bytes += text.length;
      rows.push(text);
    }
    if (bytes > MOST_BYTES)
      throw new UsageError('these are too many rows for one document', {
        code: 'output_too_large',
        hints: ['export them row by row: gatectl bda query --all --out FILE'],
      });
    const total = integerOf(others.total_rows);
    const isLast = total === undefined ? found.length < limit : start + rows.length >= total;
    if (!isLast && found.length > 0) continue;
    if (total !== undefined && start + rows.length !== total)
      context.log.warn(`${rows.length} rows came, and total_rows is ${total}`);
    return await show(rows, others, context);
  }
}

function queryIn({ body }: GatewayRequest): JsonRecord {
  const query = body === undefined ? undefined : parseJson(body);
  if (isRecord(query)) return withTotalOrder(query);
  throw missingArgument('no query given', 'give it with --input FILE, or as fields: -f data_set=pageview …');
}

function rowsIn({ text, request }: RawResponse): { found: readonly Json[]; others: JsonRecord } {
  const body = parseJson(text);
  const found = isRecord(body) ? fieldOf(body, 'rows') : undefined;
  if (!isRecord(body) || !isList(found))
    throw new InvalidResponseError('no rows in the response', { request, code: 'unexpected_shape' });
  const { rows: _, ...others } = body;
  return { found, others };
}

async function show(rows: readonly string[], others: JsonRecord, context: Context): Promise<void> {
  const members = Object.entries(others).map(
    ([name, value]) => `  ${stringifyJson(name)}: ${stringifyJson(value ?? null)}`,
  );
  const list = rows.length === 0 ? '[]' : `[\n    ${rows.join(',\n    ')}\n  ]`;
  const document = `{\n${[`  "rows": ${list}`, ...members].join(',\n')}\n}`;
  if (context.globals.flags.output === undefined && context.globals.jq === undefined)
    await context.out.printText(document);
  else await showJson(parseJson(document), context);
}
