import type { BrandNames } from '../../contract/brand.ts';
import type { Account, Route } from '../http.ts';

export interface BdaState {
  readonly account: Account;
  readonly now: () => number;
  readonly seed: number;
  readonly brand: BrandNames;
}

export async function bdaRoutes(_state: BdaState): Promise<readonly Route[]> {
  return [];
}
