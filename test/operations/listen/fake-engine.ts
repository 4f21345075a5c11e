import type { EngineConnection } from '../../../src/sync/engine/connect.ts';

interface FakeJob {
  readonly id: string;
  data: unknown;
  attemptsMade: number;
}

interface FakeState {
  readonly jobs: Map<string, FakeJob>;
  /** The first is taken next. */
  waiting: string[];
  /** The tokens of those that are taken. */
  readonly locks: Map<string, string>;
}

/** A server of BullMQ in memory, with what queues of events use of it. */
export class FakeEngine {
  readonly #queues = new Map<string, FakeState>();
  readonly #workers = new Set<{ wake(): void }>();
  #tokens = 0;
  /** Whether every operation fails as one on a lost connection. */
  isAway = false;
  readonly connection: EngineConnection;

  constructor() {
    const bullmq = {
      Queue: this.#queueClass(),
      Worker: this.#workerClass(),
      WaitingError: class extends Error {},
    };
    this.connection = {
      ...{ bullmq, connection: {}, backend: undefined, skewMs: 0, isDurable: true },
      engine: { kind: 'redis', name: 'redis://queue.example.com' },
      close: async () => {},
    } as unknown as EngineConnection;
  }

  state(name: string): FakeState {
    if (this.isAway) throw new Error('Connection is closed.');
    const found = this.#queues.get(name) ?? { jobs: new Map(), waiting: [], locks: new Map() };
    this.#queues.set(name, found);
    return found;
  }

  /** Removes all that is stored. */
  empty(): void {
    this.#queues.clear();
  }

  /** Gives a job that is taken to somebody else. */
  steal(name: string, id: string): void {
    this.state(name).locks.set(id, 'of another listener');
  }

  #job(name: string, id: string) {
    const job = this.state(name).jobs.get(id);
    if (job === undefined) return undefined;
    const owned = (token: string) => {
      if (this.state(name).locks.get(id) !== token) throw new Error(`Missing lock for job ${id}`);
      this.state(name).locks.delete(id);
    };
    return {
      ...job,
      updateData: async (data: unknown) => {
        this.state(name);
        job.data = data;
      },
      extendLock: async (token: string) => (this.state(name).locks.get(id) === token ? 1 : 0),
      moveToCompleted: async (_: unknown, token: string) => owned(token),
      moveToWait: async (token: string) => {
        owned(token);
        this.state(name).waiting.unshift(id);
        for (const worker of this.#workers) worker.wake();
      },
    };
  }

  #queueClass() {
    const engine = this;
    return class {
      readonly #name: string;
      constructor(name: string) {
        this.#name = name;
      }
      on() {}
      async waitUntilReady() {}
      async add(_: string, data: unknown, { jobId: id }: { jobId: string }) {
        const { jobs, waiting } = engine.state(this.#name);
        if (jobs.has(id)) return;
        jobs.set(id, { id, data, attemptsMade: 0 });
        waiting.push(id);
        for (const worker of engine.#workers) worker.wake();
      }
      async getJob(id: string) {
        return engine.#job(this.#name, id);
      }
      async getJobs(_: unknown, from: number, to: number) {
        const ids = engine.state(this.#name).waiting.slice(from, to + 1);
        return ids.map(id => engine.#job(this.#name, id));
      }
      async getJobCounts() {
        const { waiting, locks } = engine.state(this.#name);
        return { waiting: waiting.length, active: locks.size };
      }
      async close() {}
      async disconnect() {}
    };
  }

  #workerClass() {
    const engine = this;
    type Process = (job: unknown, token: string, lost: AbortSignal) => Promise<void>;
    return class {
      readonly #name: string;
      readonly #process: Process | undefined;
      readonly #lost = new AbortController();
      readonly #token = `token ${engine.#tokens++}`;
      #inHand: Promise<void> = Promise.resolve();
      #isClosing = false;
      #isBusy = false;
      constructor(name: string, process: Process | undefined) {
        this.#name = name;
        this.#process = process;
      }
      on() {}
      async waitUntilReady() {}
      async startStalledCheckTimer() {}
      async getNextJob(token: string) {
        const { waiting, locks } = engine.state(this.#name);
        const id = waiting.shift();
        if (id === undefined) return undefined;
        locks.set(id, token);
        return engine.#job(this.#name, id);
      }
      async run() {
        engine.#workers.add(this);
        this.wake();
      }
      wake() {
        if (this.#isClosing || this.#isBusy) return;
        this.#isBusy = true;
        this.#inHand = this.#next().finally(() => {
          this.#isBusy = false;
        });
      }
      async #next() {
        const job = await this.getNextJob(this.#token);
        // It throws an error that BullMQ expects.
        if (job !== undefined) await this.#process?.(job, this.#token, this.#lost.signal).catch(() => {});
      }
      async close() {
        this.#isClosing = true;
        engine.#workers.delete(this);
        await this.#inHand;
      }
      async disconnect() {}
    };
  }
}
