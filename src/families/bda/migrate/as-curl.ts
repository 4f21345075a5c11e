import { BDA_V2_PREFIX, type Query } from '../../../contract/bda-v2.ts';
import { API_KEY_HEADER } from '../../../contract/key.ts';
import { shellQuote } from '../../../terminal/shell-quote.ts';
import { queryJson } from './query-json.ts';

/**
 * The `curl` command that runs the query, for a POSIX shell that holds the key in `GATECTL_API_KEY`.
 *
 * @param baseUrl the gateway root, which may carry a path
 * @param prefix where v2 lives below it
 */
export function asCurl(query: Query, baseUrl: string, prefix: string = BDA_V2_PREFIX): string {
  const url = `${baseUrl.replace(/\/+$/, '')}/${prefix.replace(/^\/+|\/+$/g, '')}/query`;
  return [
    `curl -sS -X POST ${shellQuote(url)}`,
    `-H "${API_KEY_HEADER}: $GATECTL_API_KEY"`,
    "-H 'Content-Type: application/json'",
    `--data-raw ${shellQuote(queryJson(query))}`,
  ].join(' \\\n  ');
}
