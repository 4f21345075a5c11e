/** Runs one piece of work after the other. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after all that was given before, whatever became of that. */
  async run<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return await turn;
  }
}
