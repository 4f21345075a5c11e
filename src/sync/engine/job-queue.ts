import type { Queue } from 'bullmq';
import { NetworkError } from '../../errors/index.ts';
import { type EngineConnection, isConnectionLost, queueError } from './connect.ts';
import { within } from './within.ts';

/** How long an operation is usually tried again while the engine cannot be reached: a server that restarts takes less. */
const PATIENCE_MS = 60_000;
/** How long to wait for the end of a connection, in milliseconds. */
const CLOSE_TIMEOUT_MS = 2000;
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [100, 5000];

export interface QueueClock {
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A queue of BullMQ whose operations outlast a lost connection. */
export class JobQueue<Data> {
  readonly #connection: EngineConnection;
  readonly #name: string;
  readonly #clock: QueueClock;
  readonly #patienceMs: number;
  #queue: Queue<Data>;
  #isReady = false;

  /** `patienceMs` is for how long an operation is tried again. */
  constructor(connection: EngineConnection, name: string, clock: QueueClock, patienceMs = PATIENCE_MS) {
    this.#connection = connection;
    this.#patienceMs = patienceMs;
    this.#name = name;
    this.#clock = clock;
    this.#queue = this.#open();
  }

  #open(): Queue<Data> {
    const { bullmq, backend, connection } = this.#connection;
    const options = { connection: connection as object, skipMetasUpdate: true };
    const queue = (backend === undefined
      ? new bullmq.Queue(this.#name, options)
      : new bullmq.Queue(this.#name, options, backend)) as unknown as Queue<Data>;
    // Failures reach the callers of `run`.
    queue.on('error', () => {});
    return queue;
  }

  /** Does something with the queue, again while the engine cannot be reached: it must be idempotent. Throws NetworkError. */
  async run<Value>(work: (queue: Queue<Data>) => Promise<Value>): Promise<Value> {
    const end = this.#clock.now() + this.#patienceMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, 2 * pause))
      try {
        return await within(this.#clock, end - this.#clock.now(), this.#whenReady(work));
      } catch (error) {
        if (error instanceof NetworkError) throw error;
        if (!isConnectionLost(error) || this.#clock.now() + pause > end)
          throw queueError(this.#connection.engine, error);
        await this.#clock.sleep(pause);
      }
  }

  async #whenReady<Value>(work: (queue: Queue<Data>) => Promise<Value>): Promise<Value> {
    const queue = this.#queue;
    try {
      await queue.waitUntilReady();
      this.#isReady = true;
    } catch (error) {
      // BullMQ's object remembers that its first connection failed, and never tries another one.
      if (!this.#isReady && queue === this.#queue) {
        this.#queue = this.#open();
        queue.close().catch(() => {});
      }
      throw error;
    }
    return await work(queue);
  }

  /** How many workers are connected; undefined where the engine does not tell. */
  async workers(): Promise<number | undefined> {
    return await this.#queue.getWorkersCount().catch(() => undefined);
  }

  /** Ends the connection of this queue. */
  async close(): Promise<void> {
    await within(this.#clock, CLOSE_TIMEOUT_MS, this.#queue.close()).catch(() => {});
    this.#queue.disconnect().catch(() => {});
  }
}
