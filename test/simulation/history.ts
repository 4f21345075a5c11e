import type { Script } from 'node:vm';
import type { LockMachine } from '../../src/files/lock.ts';
import type { DiskDefects } from './disk.ts';
import { Machine, type Process } from './machine.ts';
import { collected } from './network.ts';
import {
  type Bundler,
  KEY,
  type Planted,
  processTableOf,
  type Run,
  Slot,
  sleepIn,
  start,
} from './program.ts';
import { Deadlock, type Fault, World } from './world.ts';

/** Something that must hold in every history did not. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** What an operation does, and what must hold. */
export interface Operation {
  readonly name: string;
  /** About as many steps as it has where nothing goes wrong. */
  readonly steps: number;
  /** What all of its histories share; without faults. */
  readonly prepare?: (stage: Stage) => Promise<void>;
  readonly run: (stage: Stage) => Promise<void>;
}

/** A fault that is planted into the disk or into the program, which the simulator has to find. */
export interface Plant {
  readonly name: string;
  readonly operation: string;
  readonly disk?: DiskDefects;
  readonly source?: Planted;
}

/** What one history has been. */
export interface Outcome {
  readonly hash: string;
  readonly steps: number;
  readonly struck: readonly string[];
  readonly violation: string | undefined;
  readonly lines: readonly string[];
}

/** As many processes may run at once. */
const SLOTS = 3;

/** Where histories take place: the program, loaded once for each process that may run. */
export class Stage {
  machine: Machine;
  readonly #slots: readonly Slot[];

  constructor(slots: readonly Slot[], machine: Machine) {
    this.#slots = slots;
    this.machine = machine;
  }

  get world(): World {
    return this.machine.world;
  }

  get disk(): Machine['disk'] {
    return this.machine.disk;
  }

  /** A slot in which no process runs. */
  slot(): Slot {
    const free = this.#slots.find(({ isFree }) => isFree);
    if (free === undefined) throw new Error('no slot is free');
    return free;
  }

  /** Starts a command line. */
  start(args: readonly string[], input?: string): Run {
    return start(this.slot(), this.machine, args, input);
  }

  /** Runs a command line to its end; its exit code, or undefined where it was killed. */
  async command(args: readonly string[], input?: string): Promise<Run> {
    const run = this.start(args, input);
    await this.until(() => run.process.isDead);
    return run;
  }

  /** Runs something of the program, as a process that ends with it. */
  task(work: (program: Slot['program'], machine: LockMachine) => Promise<void>): Task {
    const slot = this.slot();
    const process = slot.start(this.machine);
    const { machine, world } = this;
    const task: Task = { process, error: undefined };
    const own: LockMachine = {
      platform: 'linux',
      now: () => Math.floor(world.now),
      sleep: ms => sleepIn(machine, process, ms),
      ...processTableOf(machine, process),
    };
    world.note(`${process.pid} starts`);
    work(slot.program, own)
      .catch(error => {
        task.error = error;
      })
      .then(() => {
        if (process.isDead) return;
        world.note(`${process.pid} ends ${task.error?.message ?? ''}`);
        process.kill();
      });
    return task;
  }

  /** Whether a call of the disk has failed. */
  get hasFailed(): boolean {
    return this.world.struck.some(each => /^(?:fail|full) /.test(each));
  }

  until(isSo: () => boolean): Promise<void> {
    return this.world.until(isSo);
  }

  /** Throws Violation unless something holds. */
  must = (holds: boolean, what: string): void => {
    if (!holds) throw new Violation(what);
  };
}

/** A process that is not a command line. */
export interface Task {
  readonly process: Process;
  /** What it ended with, if it failed. */
  error: Error | undefined;
}

/** Runs histories. */
export class Simulator {
  readonly #slots: readonly Slot[];
  readonly #gateway: Slot;
  readonly #defects: DiskDefects | undefined;
  readonly #prepared = new Set<Operation>();
  readonly #figures: { analytics: undefined; close(): Promise<void> };
  /** Answers of the analytics, which follow from the request alone and take longest. */
  readonly #answers = new Map<string, Awaited<ReturnType<Machine['answer']>>>();

  private constructor(script: Script, defects: DiskDefects | undefined) {
    this.#slots = Array.from({ length: SLOTS }, () => new Slot(script));
    this.#gateway = new Slot(script);
    this.#defects = defects;
    this.#figures = { analytics: undefined, async close() {} };
  }

  static async create(bundler: Bundler, plant?: Plant): Promise<Simulator> {
    return new Simulator(await bundler.script(plant?.source), plant?.disk);
  }

  /** Runs one history. */
  async run(
    operation: Operation,
    seed: number,
    faults: readonly Fault[],
    isTraced = false,
  ): Promise<Outcome> {
    if (!this.#prepared.has(operation)) {
      this.#prepared.add(operation);
      const { prepare = async () => {} } = operation;
      const { violation, lines } = await this.#run(prepare, 0, [], true);
      if (violation !== undefined) throw new Error(`${operation.name}: ${violation}\n${lines.join('\n')}`);
    }
    return await this.#run(stage => operation.run(stage), seed, faults, isTraced);
  }

  async #run(
    body: (stage: Stage) => Promise<void>,
    seed: number,
    faults: readonly Fault[],
    isTraced: boolean,
  ): Promise<Outcome> {
    const world = new World(seed, faults, isTraced);
    const machine = new Machine(world, request => this.#answer(handle, request), this.#defects);
    const gateway = this.#gateway.start(machine);
    const { brandNames, createRequestHandler, buildSite, SEED } = this.#gateway.program;
    const site = buildSite({ ...SEED, apiKey: KEY });
    const handle = createRequestHandler({
      site,
      account: { apiKey: KEY, domains: [...site.domains.values()].map(({ id, domain }) => ({ id, domain })) },
      sessionSecret: Buffer.alloc(32),
      seed: 1,
      now: () => world.now,
      rateNow: () => world.now,
      brand: brandNames(),
      brandWord: undefined,
      figures: this.#figures,
    });
    machine.running.delete(gateway);
    let violation: string | undefined;
    const { stackTraceLimit } = Error;
    const onStray = (error: unknown) => {
      violation ??= `nobody handled ${error}`;
    };
    process.on('unhandledRejection', onStray);
    // To note down a stack takes longer than the call that fails.
    Error.stackTraceLimit = 0;
    try {
      await body(new Stage(this.#slots, machine));
    } catch (error) {
      if (!(error instanceof Violation || error instanceof Deadlock)) throw error;
      violation = error.message;
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
      await new Promise(resolve => setImmediate(resolve));
      process.off('unhandledRejection', onStray);
    }
    for (const each of [...machine.running]) each.kill();
    await new Promise(resolve => setImmediate(resolve));
    const { hash, step, struck, lines = [] } = world;
    return { hash, steps: step, struck, violation, lines };
  }

  async #answer(
    handle: Machine['answer'],
    request: Parameters<Machine['answer']>[0],
  ): ReturnType<Machine['answer']> {
    if (!request.path.includes('/bda')) return await handle(request);
    const key = `${request.method} ${request.path}?${request.query} ${request.body}`;
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const answer = await handle(request);
    const body = await collected(answer.body);
    this.#answers.set(key, { ...answer, body });
    return { ...answer, body };
  }
}
