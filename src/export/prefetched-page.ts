import type { RowStream } from '../http/gateway.ts';
import type { Page } from './plan.ts';

/** A page that was asked for while the one before is still being written. Its bytes wait in the socket until they are read. */
export class PrefetchedPage {
  readonly page: Page;
  readonly #answer: Promise<RowStream>;

  constructor(page: Page, answer: Promise<RowStream>) {
    this.page = page;
    this.#answer = answer;
    // It is awaited when its turn comes; until then a failure must not count as unhandled.
    answer.catch(() => {});
  }

  is(page: Page): boolean {
    return this.page.offset === page.offset && this.page.limit === page.limit;
  }

  follows(page: Page): boolean {
    return this.page.offset === page.offset + page.limit;
  }

  /** Throws what asking threw. */
  take(): Promise<RowStream> {
    return this.#answer;
  }

  /** Ends an answer that nobody wants any more. */
  drop(): void {
    this.#answer.then(dropAnswer).catch(() => {});
  }
}

/** Cuts an answer's connection: a stream that was never begun would hold it open. */
async function dropAnswer({ body }: RowStream): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  await chunks.next();
  await chunks.return?.();
}
