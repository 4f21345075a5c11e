import { PassThrough, Readable, Writable } from 'node:stream';
import { main } from '../../src/cli/entry.ts';
import type { Signal } from '../../src/errors/index.ts';
import type { Io } from '../../src/terminal/io.ts';

export interface InProcess {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface InProcessOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Used instead of `input`. */
  readonly stdin?: Readable;
  readonly cwd?: string;
  readonly homedir?: string;
  /** Width of the terminal; without it, stdout and stderr are no terminal. */
  readonly columns?: number;
  /** Lines of the terminal; without it, output is never paged. */
  readonly rows?: number;
  /** Takes the place of a program that pages. */
  readonly openPager?: Io['openPager'];
  /** Used instead of collecting stdout. */
  readonly stdout?: Writable;
  /** Used instead of collecting stderr. */
  readonly stderr?: Writable;
  /** Time of the stopped clock, in milliseconds since the epoch. */
  readonly now?: number;
  /** A moving clock, used instead of `now`. */
  readonly clock?: () => number;
  /** Waits for a pause, used instead of real time. */
  readonly sleep?: Io['sleep'];
  /** An uncaught error, thrown before the command starts. */
  readonly strayError?: Error;
  /** Receives a function that sends a signal. */
  readonly onSignals?: (send: (signal: Signal) => void) => void;
}

/** The time of tests that depend on one. */
export const NOON = Date.UTC(2026, 2, 14, 12);

class Sink extends Writable {
  text = '';
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  readonly rows: number | undefined;

  constructor({ columns, rows }: Pick<InProcessOptions, 'columns' | 'rows'>) {
    super();
    this.isTTY = columns !== undefined;
    this.columns = columns;
    this.rows = rows;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** Runs a command line in this process, without a terminal unless `columns` is given, and collects its output. */
export async function run(args: readonly string[], options: InProcessOptions = {}): Promise<InProcess> {
  const stdout = new Sink(options);
  const stderr = new Sink(options);
  const listeners = new Set<(signal: Signal) => void>();
  const io: Io = {
    stdin:
      options.stdin ??
      (options.input === undefined ? new PassThrough().end() : Readable.from([Buffer.from(options.input)])),
    stdout: options.stdout ?? stdout,
    stderr: options.stderr ?? stderr,
    mayBeTerminal: true,
    writeSync: chunk => Buffer.from(chunk),
    openPager:
      options.openPager ??
      (async words => {
        throw new Error(`an unexpected pager: ${words.join(' ')}`);
      }),
    // The clock of a test is that of the embedded gateway, too.
    env: { GATECTL_SANDBOX_CLOCK: 'now', ...options.env },
    platform: 'linux',
    homedir: options.homedir,
    cwd: options.cwd ?? '/',
    self: {
      pid: process.pid,
      uid: process.geteuid?.(),
      identify: () => ({
        pid: process.pid,
        host: 'test',
        boot: 'this boot',
        pidNamespace: undefined,
        startTime: '1',
      }),
      find: pid => (pid === process.pid ? { startTime: '1' } : undefined),
    },
    runtime: { node: '20.20.0', arch: 'x64' },
    now: options.clock ?? (() => options.now ?? NOON),
    random: () => 0,
    ...(options.sleep !== undefined && { sleep: options.sleep }),
    onUncaughtException(listener) {
      if (options.strayError !== undefined) listener(options.strayError);
      return () => {};
    },
    onSignal(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  options.onSignals?.(signal => {
    for (const listener of [...listeners]) listener(signal);
  });
  const code = await main(args, io);
  return { code, stdout: stdout.text, stderr: stderr.text };
}
