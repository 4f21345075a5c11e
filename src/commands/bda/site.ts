import type { BdaV2Site } from '../../families/bda/v2/requests.ts';
import type { Context } from '../context.ts';

/** How the account's gateway is asked for analytics. */
export async function bdaV2Site(context: Context): Promise<BdaV2Site> {
  const settings = await context.settings();
  return { prefix: settings.prefixBdaV2.value };
}
