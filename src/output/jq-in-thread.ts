import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type JqEnd, JqError } from './jq.ts';

/** What the thread is told. */
export interface JqOrder {
  readonly jsonText: string;
  readonly expression: string;
}

/** What the thread tells. */
export type JqAnswer = { readonly text: string } | { readonly problem: string; readonly end: JqEnd };

/** jq in a thread of its own, so that an expression that never ends can be ended. */
export class JqThread {
  readonly #limitMs: number;
  readonly #patienceMs: number;
  #worker: Promise<Worker> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** `limitMs` is how long an expression may take, `patienceMs` how long it waits for those before it. */
  constructor(limitMs: number, patienceMs: number) {
    this.#limitMs = limitMs;
    this.#patienceMs = patienceMs;
  }

  /** Filters a JSON text as `runJq` does, after those before it. Throws JqError, also for an expression that takes or waits too long. */
  async run(jsonText: string, expression: string): Promise<string> {
    const order = { jsonText, expression };
    let isLate = false;
    return await new Promise<string>((resolve, reject) => {
      const late = setTimeout(() => {
        isLate = true;
        reject(new JqError(`it waits for more than ${this.#patienceMs / 1000} s`, { end: 'queue' }));
      }, this.#patienceMs);
      this.#last = this.#last.then(async () => {
        clearTimeout(late);
        if (!isLate) await this.#run(order).then(resolve, reject);
      });
    });
  }

  async #run(order: JqOrder): Promise<string> {
    this.#worker ??= started();
    const worker = await this.#worker;
    const ended = new AbortController();
    const limit = setTimeout(() => ended.abort(), this.#limitMs);
    try {
      worker.postMessage(order);
      const [answer] = (await once(worker, 'message', { signal: ended.signal })) as [JqAnswer];
      if ('text' in answer) return answer.text;
      throw new JqError(answer.problem, { end: answer.end });
    } catch (error) {
      if (error instanceof JqError) throw error;
      this.#worker = undefined;
      await worker.terminate();
      if (!ended.signal.aborted) throw new JqError('it failed', { cause: error });
      throw new JqError(`it takes more than ${this.#limitMs / 1000} s`, { end: 'time', cause: error });
    } finally {
      clearTimeout(limit);
    }
  }
}

/** A thread that is ready, and does not keep the process alive. */
async function started(): Promise<Worker> {
  const { default: script, readJq } = await import('virtual:jq-thread');
  const worker = new Worker(script, { eval: true, workerData: readJq(), env: {}, execArgv: [] });
  worker.unref();
  // What waits for an answer is told by `once`.
  worker.on('error', () => {});
  // Loading takes no time of an expression.
  await once(worker, 'message');
  return worker;
}
