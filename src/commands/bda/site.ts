import type { BdaV1Site } from '../../apis/bda-v1/requests.ts';
import type { BdaV2Site } from '../../apis/bda-v2/requests.ts';
import type { Context } from '../framework/context.ts';

/** Where BDA v2 is, for its requests. */
export async function bdaV2Site(context: Context): Promise<BdaV2Site> {
  const settings = await context.settings();
  return { prefix: settings.prefixBdaV2.value };
}

/** Where BDA v1 is, for its requests. */
export async function bdaV1Site(context: Context): Promise<BdaV1Site> {
  const settings = await context.settings();
  return { prefix: settings.prefixBdaV1.value };
}
