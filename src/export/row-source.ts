import type { AheadOptions, RowStream } from '../http/gateway.ts';
import type { ErrorReader } from '../http/request.ts';
import type { Page } from './plan.ts';

/** Rows that an API returns page by page. */
export interface RowSource {
  /** The requested columns, in order; empty if the request names none. */
  readonly columns: readonly string[];
  /** The member of the response that contains the rows; undefined if the API does not document it. */
  readonly rowsName?: string;
  readonly readError: ErrorReader;
  /** Whether the API documents a total. */
  readonly hasTotal: boolean;
  /**
   * Requests a page. Throws the gateway's typed errors, after its retries. A request `ahead` of its turn is not retried, and
   * throws NoCapacityError if the server accepts no more requests.
   */
  open(page: Page, ahead?: AheadOptions): Promise<RowStream>;
  /** Total number of matching rows, from the JSON text of the members next to the rows. */
  total(metadata: ReadonlyMap<string, string>): number | undefined;
}
