import type { Route } from '../routing.ts';
import { type BdaState, createAnalytics } from './state.ts';
import { routesV1 } from './v1/routes.ts';
import { routesV2 } from './v2/routes.ts';

export type { BdaState } from './state.ts';

/** The routes of BDA v1 and v2 over the same data, which is generated for the first query. */
export async function bdaRoutes(state: BdaState): Promise<readonly Route[]> {
  const analytics = createAnalytics(state);
  return [...routesV1(state, analytics), ...routesV2(state, analytics)];
}
