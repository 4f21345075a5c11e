import type { OnLost } from '../../../sync/destinations/site-ledger.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';

/** The sites that a plan lacks, because their server in a cluster cannot be reached. */
export class LostSites {
  readonly #sites = new Map<string, Set<number>>();

  readonly onLost: OnLost = (_table, { id }, { message }) => {
    const sites = this.#sites.get(message) ?? new Set();
    this.#sites.set(message, sites.add(id));
  };

  warn({ log }: Pick<Context, 'log'>): void {
    for (const [message, sites] of this.#sites)
      log.warn(`${message}; the plan lacks ${pluralize(sites.size, 'site')}`);
  }
}
