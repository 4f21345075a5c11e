import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { JqError } from './jq.ts';

/** What the thread is told. */
export interface JqOrder {
  readonly jsonText: string;
  readonly expression: string;
}

/** What the thread tells. */
export type JqAnswer = { readonly text: string } | { readonly problem: string };

/** jq in a thread of its own, so that an expression that never ends can be ended. */
export class JqThread {
  readonly #limitMs: number;
  #worker: Promise<Worker> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** `limitMs` is how long an expression may take. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Filters a JSON text as `runJq` does, after those before it. Throws JqError, also for an expression that takes too long. */
  async run(jsonText: string, expression: string): Promise<string> {
    const result = this.#last.then(() => this.#run({ jsonText, expression }));
    this.#last = result.catch(() => {});
    return await result;
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
      throw new JqError(answer.problem);
    } catch (error) {
      if (error instanceof JqError) throw error;
      this.#worker = undefined;
      await worker.terminate();
      const problem = ended.signal.aborted ? `it takes more than ${this.#limitMs / 1000} s` : 'it failed';
      throw new JqError(problem, { cause: error });
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
