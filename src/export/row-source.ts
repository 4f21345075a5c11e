import type { AheadOptions, RowStream } from '../http/gateway.ts';
import type { ErrorReader } from '../http/request.ts';
import type { Page } from './plan.ts';

/** Rows that an API hands out page by page. A family makes one. */
export interface RowSource {
  /** The columns asked for, in order; empty where the request names none. */
  readonly columns: readonly string[];
  /** The member of the answer that holds the rows; undefined where the API does not document it. */
  readonly rowsName?: string;
  readonly readError: ErrorReader;
  /** Whether the API documents a total. */
  readonly hasTotal: boolean;
  /**
   * Requests a page. Throws the gateway's typed errors, after its retries; `ahead` of its turn there are none, and it throws
   * NoCapacityError where the server does not bear one more request.
   */
  open(page: Page, ahead?: AheadOptions): Promise<RowStream>;
  /** How many rows match in all, from the JSON texts that stand beside the rows. */
  total(metadata: ReadonlyMap<string, string>): number | undefined;
}
