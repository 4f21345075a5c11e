import { type GatewayRequest, requestInfo } from '../../../http/request.ts';
import { parseJson } from '../../../json/index.ts';
import { Redactor } from '../../../text/redactor.ts';
import type { Context } from '../../framework/context.ts';

/** Prints requests as they would go out, key hidden, and sends none. */
export async function printDryRun(
  requests: Iterable<GatewayRequest> | AsyncIterable<GatewayRequest>,
  context: Context,
): Promise<void> {
  const root = (await context.settings()).baseUrl.value;
  const baseUrl = new URL(root ?? 'https://gateway.invalid');
  const redactor = new Redactor();
  const rows = (async function* () {
    for await (const request of requests) {
      const { method, path } = requestInfo(request, baseUrl, redactor);
      yield { method, path, body: parseJson(request.body ?? 'null') };
    }
  })();
  await context.out.printRows(rows, { columns: [{ key: 'method' }, { key: 'path' }, { key: 'body' }] });
  context.log.note('nothing was sent');
}
