/** Runs work in a transaction. */
type Transaction<Session> = (work: (session: Session) => Promise<void>) => Promise<void>;

interface Waiting<Item, Value> {
  readonly item: Item;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

/** A transaction of so many units of rows takes a few seconds. */
export const MOST_IN_GROUP = 32;

/**
 * Stores all items that wait for a transaction in one. DuckDB compresses rows in groups of 122,880: a group that ends with a transaction
 * is compressed, and again with the rows that follow.
 */
export class GroupCommit<Session, Item, Value> {
  readonly #transaction: Transaction<Session>;
  readonly #store: (session: Session, items: readonly Item[]) => Promise<readonly Value[]>;
  readonly #waiting: Waiting<Item, Value>[] = [];

  /** `store` resolves to a value for each item; it must have no effect elsewhere, because it runs again after a rollback. */
  constructor(
    transaction: Transaction<Session>,
    store: (session: Session, items: readonly Item[]) => Promise<readonly Value[]>,
  ) {
    this.#transaction = transaction;
    this.#store = store;
  }

  /** Resolves to the value of an item once it is committed. Throws its error; others in its transaction do not fail with it. */
  async store(item: Item): Promise<Value> {
    return await new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#waiting.length === 1) this.#commitNext();
    });
  }

  #commitNext(): void {
    let group: readonly Waiting<Item, Value>[] = [];
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

  /** Stores a group in a transaction, once it is its turn. */
  async #commit(groupOf: () => readonly Waiting<Item, Value>[]): Promise<void> {
    let group: readonly Waiting<Item, Value>[] = [];
    let values: readonly Value[] = [];
    await this.#transaction(async session => {
      group = groupOf();
      values = await this.#store(
        session,
        group.map(({ item }) => item),
      );
    });
    for (const [index, { resolve }] of group.entries()) resolve(values[index] as Value);
  }
}
