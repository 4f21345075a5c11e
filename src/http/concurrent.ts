/** Maximum number of concurrent tasks. */
interface Concurrency {
  /** The configured maximum; undefined to adapt to the server. */
  readonly most: number | undefined;
  /** How many requests the server currently accepts; it may change with every response. */
  readonly capacity: () => number;
}

/**
 * Runs a task for each item, in order, as many at once as `concurrency` allows. After a rejection, no more are started; the
 * others finish, and then the first rejection is thrown.
 */
export async function forEachConcurrently<Item>(
  items: AsyncIterable<Item>,
  task: (item: Item) => Promise<void>,
  concurrency: Concurrency,
): Promise<void> {
  const source = items[Symbol.asyncIterator]();
  let failure: { readonly error: unknown } | undefined;
  let isOver = false;
  let running = 0;
  let finish: () => void = () => {};
  const finished = new Promise<void>(resolve => {
    finish = resolve;
  });

  const work = async (): Promise<void> => {
    try {
      while (!isOver && running <= allowed(concurrency)) {
        const next = await source.next();
        if (next.done) isOver = true;
        if (next.done || isOver) return;
        addWorkers();
        await task(next.value);
      }
    } catch (error) {
      isOver = true;
      failure ??= { error };
    } finally {
      running -= 1;
      if (running === 0) finish();
    }
  };
  const addWorkers = (): void => {
    while (!isOver && running < allowed(concurrency)) {
      running += 1;
      work();
    }
  };

  addWorkers();
  await finished;
  await source.return?.();
  if (failure !== undefined) throw failure.error;
}

/**
 * The results of a task for each item, in the order of the items, as many at once as `concurrency` allows. Results that wait for
 * an earlier one are bounded too. After a rejection, no more are started, and it is thrown in its place.
 */
export async function* mapConcurrently<Item, Result>(
  items: Iterable<Item>,
  task: (item: Item) => Promise<Result>,
  concurrency: Concurrency,
): AsyncGenerator<Result> {
  const source = items[Symbol.iterator]();
  const results: Promise<Result>[] = [];
  let running = 0;
  let isOver = false;

  const start = (item: Item): Promise<Result> => {
    running += 1;
    const result = task(item);
    result
      .catch(() => {
        isOver = true;
      })
      .finally(() => {
        running -= 1;
        fill();
      });
    return result;
  };
  const fill = (): void => {
    const most = allowed(concurrency);
    while (!isOver && running < most && results.length < 2 * most) {
      const next = source.next();
      if (next.done) isOver = true;
      else results.push(start(next.value));
    }
  };

  try {
    for (;;) {
      fill();
      const first = results[0];
      if (first === undefined) return;
      const result = await first;
      results.shift();
      yield result;
    }
  } finally {
    isOver = true;
  }
}

function allowed({ most, capacity }: Concurrency): number {
  return Math.max(1, Math.min(most ?? Number.POSITIVE_INFINITY, capacity()));
}
