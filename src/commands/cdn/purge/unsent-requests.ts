import { CurlPrinted } from '../../../errors/index.ts';
import type { GatewayRequest } from '../../../http/request.ts';
import type { Context } from '../../framework/context.ts';
import { printDryRun } from './dry-run.ts';

/**
 * Prints the requests of a purge and sends none: a list of them for --dry-run, a command of curl for each otherwise, with CurlPrinted thrown
 * at the end.
 */
export async function printUnsent(
  requests: AsyncIterable<GatewayRequest>,
  isDryRun: boolean,
  context: Context,
): Promise<void> {
  if (isDryRun) return await printDryRun(requests, context);
  const sender = await context.gateway();
  for await (const request of requests)
    await sender.send(request).catch(error => {
      if (!(error instanceof CurlPrinted)) throw error;
    });
  throw new CurlPrinted();
}
