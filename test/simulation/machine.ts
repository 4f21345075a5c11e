import type { SandboxReply, SandboxRequest } from '../../src/sandbox/routing.ts';
import { Disk, type DiskDefects } from './disk.ts';
import type { Exchange } from './network.ts';
import type { World } from './world.ts';

/** A process of the simulated machine. */
export class Process {
  isDead = false;
  readonly files = new Map<number, unknown>();
  readonly pid: number;
  readonly boot: number;
  /** The kernel's clock when it started. */
  readonly startTime: string;
  readonly #onDeath: () => void;
  #nextFile = 20;

  constructor(pid: number, boot: number, startTime: string, onDeath: () => void) {
    this.pid = pid;
    this.boot = boot;
    this.startTime = startTime;
    this.#onDeath = onDeath;
  }

  addFile(open: unknown): number {
    const fd = this.#nextFile++;
    this.files.set(fd, open);
    return fd;
  }

  /** Ends it at once: nothing that it does from now on has an effect. */
  kill(): void {
    if (this.isDead) return;
    this.isDead = true;
    this.#onDeath();
  }
}

/** The machine of one history: its disk, its processes, and the gateway that they reach. */
export class Machine {
  readonly world: World;
  readonly disk: Disk;
  /** All that arrived at the gateway. */
  readonly exchanges: Exchange[] = [];
  readonly answer: (request: SandboxRequest) => Promise<SandboxReply>;
  /** Answers in place of the gateway, where it is defined for a request. */
  respond: (request: SandboxRequest) => SandboxReply | undefined = () => undefined;
  /** Called when the gateway has carried a request out. */
  onExchange: (exchange: Exchange) => void = () => {};
  /** How often the power failed. */
  boots = 0;
  readonly running = new Set<Process>();
  #nextPid = 4000;

  constructor(world: World, answer: Machine['answer'], defects?: DiskDefects) {
    this.world = world;
    this.answer = answer;
    this.disk = new Disk(world, defects);
  }

  start(onDeath: () => void = () => {}): Process {
    this.disk.isFull = false;
    const pid = this.#nextPid++;
    const process: Process = new Process(pid, this.boots, String(this.world.now), () => {
      this.running.delete(process);
      onDeath();
    });
    this.running.add(process);
    return process;
  }

  /** Ends all processes, and leaves of the disk what may be left. */
  cutPower(): void {
    for (const process of [...this.running]) process.kill();
    this.boots += 1;
    this.disk.cut();
  }
}
