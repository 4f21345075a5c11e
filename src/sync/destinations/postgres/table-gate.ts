/** Lets writers of a table work at the same time, and a change of its columns alone: it waits for them, and they wait for it. */
export class TableGate {
  #writers = 0;
  #change: Promise<unknown> | undefined;
  #onFree: (() => void) | undefined;

  async shared<Value>(work: () => Promise<Value>): Promise<Value> {
    while (this.#change !== undefined) await this.#change;
    this.#writers += 1;
    try {
      return await work();
    } finally {
      this.#writers -= 1;
      if (this.#writers === 0) this.#onFree?.();
    }
  }

  async alone<Value>(work: () => Promise<Value>): Promise<Value> {
    while (this.#change !== undefined) await this.#change;
    const done = this.#whenFree().then(work);
    this.#change = done.catch(() => undefined);
    try {
      return await done;
    } finally {
      this.#change = undefined;
    }
  }

  async #whenFree(): Promise<void> {
    if (this.#writers === 0) return;
    await new Promise<void>(resolve => {
      this.#onFree = resolve;
    });
    this.#onFree = undefined;
  }
}
