import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync, readFileSync } from 'node:fs';
import type { Server } from 'node:net';
import type { LockMachine } from '../../src/files/lock.ts';

/** The processes of one history, which take their steps in its order. */
export class Stage {
  readonly #actors = new Map<string, Actor>();

  /** Starts a process, in place of one that ended, with work that stops at each gate. */
  start(name: string, work: () => Promise<unknown>): Actor {
    const actor = new Actor(name);
    this.#actors.set(name, actor);
    void current.run(actor, () => actor.run(work));
    return actor;
  }

  /** The process of this name that was started last. */
  actor(name: string): Actor | undefined {
    return this.#actors.get(name);
  }

  get actors(): readonly Actor[] {
    return [...this.#actors.values()];
  }

  /** A machine on which the id of a process that was killed has gone to another one. */
  machine(name: string): LockMachine {
    const identity = { host: 'desk.example.com', boot: 'boot-1', pidNamespace: 'pid:[1]' };
    return {
      platform: process.platform,
      identify: () => ({ ...identity, pid: 100 + Number(name), startTime: 'its own' }),
      find: pid => {
        const isRunning = this.#actors.get(String(pid - 100))?.isKilled === false;
        return { startTime: isRunning ? 'its own' : 'that of another process' };
      },
      now: () => 0,
      sleep: () => gate('wait'),
    };
  }
}

const current = new AsyncLocalStorage<Actor>();

/** Stops the process that calls this until the history names the step. Does nothing outside of processes. */
export async function gate(step: string): Promise<void> {
  await current.getStore()?.stopAt(step);
}

/** The process that calls this. */
export function currentActor(): Actor | undefined {
  return current.getStore();
}

/** How work ended. */
export const ENDED = 'ended';

/** A process: work that stops at each gate. */
export class Actor {
  readonly name: string;
  readonly sockets = new Set<Server>();
  isKilled = false;
  /** What its work threw. */
  error: unknown;
  #step: string | undefined;
  #onStep: (step: string) => void = () => {};
  #goOn: () => void = () => {};

  constructor(name: string) {
    this.name = name;
  }

  async run(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.error = error;
    }
    this.#arrive(ENDED);
  }

  async stopAt(step: string): Promise<void> {
    const goesOn = new Promise<void>(resolve => {
      this.#goOn = resolve;
    });
    this.#arrive(step);
    await goesOn;
  }

  /** The step that it is about to take, or {@link ENDED}. */
  next(): Promise<string> {
    if (this.#step !== undefined) return Promise.resolve(this.#step);
    return new Promise(resolve => {
      this.#onStep = resolve;
    });
  }

  /** Takes the step at which it stopped, and resolves to the next one. */
  async go(): Promise<string> {
    this.#step = undefined;
    this.#goOn();
    return await this.next();
  }

  /** Takes no more steps; the kernel closes its sockets. */
  async kill(): Promise<void> {
    this.isKilled = true;
    await Promise.all([...this.sockets].map(server => new Promise(resolve => server.close(resolve))));
  }

  #arrive(step: string): void {
    this.#step = step;
    this.#onStep(step);
  }
}

/** A step of a history: which process takes it, its name, and what it found or did. */
export interface Step {
  readonly who: string;
  readonly what: string;
  readonly values: readonly number[];
  readonly text: string;
}

/** The histories of a model: those that are kept, or those in the file that MODEL_TRACES names. */
export function historiesOf(model: string): readonly { readonly title: string; readonly steps: Step[] }[] {
  const path = process.env.MODEL_TRACES ?? new URL('traces.json', import.meta.url);
  if (!existsSync(path)) throw new Error(`${path} is missing`);
  const all: readonly string[] = JSON.parse(readFileSync(path, 'utf8'))[model];
  return all.map((history, index) => ({
    title: `${index + 1}`,
    steps: history.split('; ').map(text => {
      const [who = '', what = '', ...values] = text.split(' ');
      return { who, what, values: values.map(Number), text };
    }),
  }));
}
