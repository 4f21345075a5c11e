import type { Route } from '../routing.ts';
import { type Analytics, type BdaState, createAnalytics } from './state.ts';
import { routesV1 } from './v1/routes.ts';
import { routesV2 } from './v2/routes.ts';

export { type Analytics, type BdaState, createAnalytics } from './state.ts';

/** The routes of BDA v1 and v2 over the same data, with saved reports and segments of their own. */
export function bdaRoutes(state: BdaState, analytics: Analytics = createAnalytics(state)): readonly Route[] {
  return [...routesV1(state, analytics), ...routesV2(state, analytics)];
}
