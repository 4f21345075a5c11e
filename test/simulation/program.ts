import * as crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as net from 'node:net';
import * as os from 'node:os';
import { resolve } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import * as timersPromises from 'node:timers/promises';
import { Script } from 'node:vm';
import { context } from 'esbuild';
import { patched } from '../../patches/plugin.js';
import { diskCalls } from './disk-calls.ts';
import type { Machine, Process } from './machine.ts';
import { transportOf } from './network.ts';
import type * as Program from './program-entry.ts';
import { socketCalls } from './sockets.ts';

const ROOT = resolve('.');
/** Packages that no simulated operation loads. */
const UNUSED = [
  '@aws-sdk/*',
  '@clickhouse/*',
  '@duckdb/*',
  '@modelcontextprotocol/*',
  '@napi-rs/*',
  '@resvg/*',
  'bullmq',
  'echarts',
  'ioredis',
  'pg',
  'node-sqlite3-wasm',
  'pg-boss',
  'undici',
  'zod',
];

/** Changes of the text of modules of src, by their paths, for planted faults. Each must change the text. */
export type Planted = Readonly<Record<string, (text: string) => string>>;

/**
 * The command line, bundled so that it can be loaded several times in one process, each with a disk, a network and a time of its own;
 * once as it is, and with each planted fault.
 */
export class Bundler {
  #planted: Planted = {};
  readonly #context = context({
    entryPoints: ['test/simulation/program-entry.ts'],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    external: ['simulated:*', ...UNUSED],
    // The scripts of `node:vm` cannot.
    supported: { 'dynamic-import': false },
    logLevel: 'error',
    plugins: [
      {
        name: 'simulated',
        setup: ({ onLoad, onResolve }) => {
          onResolve({ filter: /^virtual:/ }, ({ path }) => ({ path, namespace: 'unused' }));
          onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: 'module.exports = {};' }));
          onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
            const name = path.slice(ROOT.length + 1).replaceAll('\\', '/');
            return { contents: sourceOf(name, readFileSync(path, 'utf8'), this.#planted), loader: 'ts' };
          });
          onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, ({ path }) => {
            const contents = patched(path, readFileSync(path, 'utf8'));
            return contents === undefined ? undefined : { contents };
          });
        },
      },
    ],
  });

  async script(planted: Planted = {}): Promise<Script> {
    this.#planted = planted;
    const { outputFiles = [] } = await (await this.#context).rebuild();
    const text = outputFiles.map(file => file.text).join('');
    return new Script(`(${['require', 'module', ...GLOBALS].join()}) => {${text}\n}`, {
      filename: 'gatectl',
    });
  }

  async close(): Promise<void> {
    await (await this.#context).dispose();
  }
}

/** What a process has of its own. */
const GLOBALS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate'] as const;

function sourceOf(name: string, text: string, planted: Planted): string {
  if (name === 'src/files/disk.ts') {
    const names = [...text.matchAll(/^ {2}(\w+),$/gm)].map(([, call]) => call);
    return `export const { ${names.join(', ')} } = require('simulated:disk');`;
  }
  if (name === 'src/http/transport.ts') return "export const { Transport } = require('simulated:transport');";
  const changed = planted[name]?.(text) ?? text;
  if (name in planted && changed === text) throw new Error(`nothing was planted in ${name}`);
  const state = STATE[name];
  return state === undefined ? changed : `${changed}\nrequire('simulated:state').push(${state});`;
}

/** What modules of src remember of a process, which is forgotten when it ends. */
const STATE: Readonly<Record<string, string>> = {
  'src/files/lock.ts': 'pathsInUse, ownIds',
  'src/export/parquet/column-kernel.ts': '{ clear: () => { latest = Promise.resolve(); } }',
};

/** Where one process at a time runs: the program, loaded once, so that it is compiled once. */
export class Slot {
  readonly program: typeof Program;
  /** What the program remembers of a process. */
  readonly #state: { clear(): void }[] = [];
  #machine: Machine | undefined;
  #process: Process | undefined;

  constructor(script: Script) {
    const module = { exports: {} as typeof Program };
    const now = () => this.machine;
    const current = () => this.process;
    const timers = timerCalls(now, current);
    const nodes = createRequire(resolve('package.json'));
    const own: Record<string, unknown> = {
      'simulated:disk': diskCalls(now, current),
      'simulated:state': this.#state,
      'simulated:transport': { Transport: transportOf(now, current) },
      'node:net': { ...net, ...socketCalls(now, current) },
      'node:crypto': { ...crypto, ...randomCalls(now) },
      'node:os': { ...os, hostname: () => 'simulated', userInfo: () => ({ username: 'user' }) },
      'node:timers/promises': {
        // Of the embedded gateway, which is no part of the machine.
        ...timersPromises,
        setTimeout: (ms: number, value: unknown) => new Promise(r => timers.setTimeout(() => r(value), ms)),
      },
    };
    const load = (name: string) => own[name] ?? nodes(name);
    const run = script.runInThisContext() as (...given: unknown[]) => void;
    run(load, module, ...GLOBALS.map(name => timers[name]));
    this.program = module.exports;
  }

  get machine(): Machine {
    return this.#machine ?? unstarted();
  }

  get process(): Process {
    return this.#process ?? unstarted();
  }

  get isFree(): boolean {
    return this.#process === undefined || this.#process.isDead;
  }

  /** Starts a process of a machine. The one before must be dead. */
  start(machine: Machine): Process {
    for (const each of this.#state) each.clear();
    this.#machine = machine;
    this.#process = machine.start();
    return this.#process;
  }
}

function unstarted(): never {
  throw new Error('nothing was started');
}

/** A command line that runs, or ran. */
export interface Run {
  readonly process: Process;
  readonly args: readonly string[];
  /** Undefined while it runs, and of one that was killed. */
  code: number | undefined;
  readonly stdout: () => string;
  readonly stderr: () => string;
}

class Sink extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** The key of all command lines. */
export const KEY = 'sandbox-key-0000-not-a-secret';

/** Starts a command line in a slot. */
export function start(slot: Slot, machine: Machine, args: readonly string[], input?: string): Run {
  const { world } = machine;
  const process = slot.start(machine);
  world.note(`${process.pid} starts ${args.slice(0, 3).join(' ')}`);
  const [stdout, stderr] = [new Sink(), new Sink()];
  const run: Run = { process, args, code: undefined, stdout: () => stdout.text, stderr: () => stderr.text };
  slot.program
    .main(args, {
      stdin: input === undefined ? new PassThrough().end() : Readable.from([Buffer.from(input)]),
      stdout,
      stderr,
      mayBeTerminal: false,
      writeSync: chunk => Buffer.from(chunk),
      openPager: async () => undefined,
      env: {
        HOME: '/home/user',
        GATECTL_BASE_URL: 'http://127.0.0.1:8080',
        GATECTL_API_KEY: KEY,
        GATECTL_DOMAIN: 'example.com',
      },
      platform: 'linux',
      homedir: '/home/user',
      cwd: '/data',
      self: { pid: process.pid, uid: 1000, ...processTableOf(machine, process) },
      runtime: { node: '20.20.0', arch: 'x64' },
      now: () => Math.floor(world.now),
      random: world.random,
      sleep: (ms, signal) => sleepIn(machine, process, ms, signal),
      onUncaughtException: () => () => {},
      onSignal: () => () => {},
    })
    .then(code => {
      if (process.isDead) return;
      world.note(`${process.pid} exits ${code}${code === 0 ? '' : `: ${stderr.text.trim()}`}`);
      run.code = code;
      process.kill();
    });
  return run;
}

/** The processes of a machine, as one of them sees them. */
export function processTableOf(machine: Machine, process: Process) {
  return {
    identify: () => ({
      pid: process.pid,
      host: 'simulated',
      boot: `boot ${process.boot}`,
      pidNamespace: 'pid:[1]',
      startTime: process.startTime,
    }),
    find: (pid: number) => [...machine.running].find(each => each.pid === pid),
  };
}

/** Waits, as a process. */
export function sleepIn(machine: Machine, process: Process, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    machine.world.after(ms, process, resolve);
  });
}

function timerCalls(machine: () => Machine, current: () => Process) {
  interface Timer {
    isOver: boolean;
    ref(): Timer;
    unref(): Timer;
    hasRef(): boolean;
    refresh(): Timer;
  }
  const timer = (): Timer => {
    const made: Timer = {
      isOver: false,
      ref: () => made,
      unref: () => made,
      hasRef: () => true,
      refresh: () => made,
    };
    return made;
  };
  const clear = (given: Timer | undefined) => {
    if (given !== undefined) given.isOver = true;
  };
  const setTimeout = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): Timer => {
    const made = timer();
    const process = current();
    machine().world.after(
      ms,
      {
        get isDead() {
          return process.isDead || made.isOver;
        },
      },
      () => run(...args),
    );
    return made;
  };
  const setInterval = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): Timer => {
    const made = timer();
    const process = current();
    const { world } = machine();
    const owner = {
      get isDead() {
        return process.isDead || made.isOver;
      },
    };
    const again = () => {
      world.after(ms, owner, () => {
        run(...args);
        again();
      });
    };
    again();
    return made;
  };
  return {
    setTimeout,
    setInterval,
    clearTimeout: clear,
    clearInterval: clear,
    setImmediate: (run: (...args: unknown[]) => void, ...args: unknown[]) => setTimeout(run, 0, ...args),
  };
}

/** What is random in names and ids. */
function randomCalls(machine: () => Machine) {
  const randomBytes = (length: number) =>
    Buffer.from(Array.from({ length }, () => machine().world.below(256)));
  return {
    randomBytes,
    randomInt: (from: number, to?: number) =>
      (to === undefined ? 0 : from) + machine().world.below(to === undefined ? from : to - from),
    randomUUID: () =>
      randomBytes(16)
        .toString('hex')
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  };
}
