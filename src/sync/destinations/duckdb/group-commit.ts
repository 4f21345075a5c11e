/** Runs work in a transaction. */
type Transaction<Session> = (work: (session: Session) => Promise<void>) => Promise<void>;

interface Waiting<Session> {
  /** Does the work, and returns what resolves it after the commit. */
  readonly work: (session: Session) => Promise<() => void>;
  readonly reject: (error: unknown) => void;
}

/** A transaction of so many units of rows takes a few seconds. */
export const MOST_IN_GROUP = 32;

/**
 * Runs all work that waits for a transaction in one. DuckDB compresses rows in groups of 122,880: a group that ends with a transaction is
 * compressed, and again with the rows that follow.
 */
export class GroupCommit<Session> {
  readonly #transaction: Transaction<Session>;
  readonly #waiting: Waiting<Session>[] = [];

  constructor(transaction: Transaction<Session>) {
    this.#transaction = transaction;
  }

  /**
   * Resolves to the value of `work` once it is committed. Throws its error; other work in its transaction does not fail with it, but runs
   * again, so that it must have no effect elsewhere.
   */
  async run<Value>(work: (session: Session) => Promise<Value>): Promise<Value> {
    return await new Promise((resolve, reject) => {
      const once = async (session: Session) => {
        const value = await work(session);
        return () => resolve(value);
      };
      this.#waiting.push({ work: once, reject });
      if (this.#waiting.length === 1) this.#commitNext();
    });
  }

  #commitNext(): void {
    let group: readonly Waiting<Session>[] = [];
    const all = this.#commit(() => {
      group = this.#waiting.splice(0, MOST_IN_GROUP);
      if (this.#waiting.length > 0) this.#commitNext();
      return group;
    });
    all.catch(async error => {
      // It did not begin.
      if (group.length === 0) group = this.#waiting.splice(0);
      const [one] = group;
      if (group.length === 1) one?.reject(error);
      else for (const each of group) await this.#commit(() => [each]).catch(each.reject);
    });
  }

  /** Runs a group in a transaction, once it is its turn. */
  async #commit(groupOf: () => readonly Waiting<Session>[]): Promise<void> {
    const resolvers: (() => void)[] = [];
    await this.#transaction(async session => {
      for (const { work } of groupOf()) resolvers.push(await work(session));
    });
    for (const resolve of resolvers) resolve();
  }
}
