import type { Readable, Writable } from 'node:stream';
import type { Signal } from '../errors/index.ts';
import type { ProcessTable } from '../files/process-identity.ts';

/** A stream that may be a terminal. */
export type Input = Readable & { readonly isTTY?: boolean };
export type Output = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** A program that shows text a screen at a time. */
export interface OpenPager {
  /** Throws BrokenPipeError when the pager has quit. */
  write(text: string): Promise<void>;
  /** Resolves when the pager ends. */
  readonly ended: Promise<void>;
  /** Ends its input and waits until it ends; Ctrl-C no longer reaches the pager alone. */
  close(): Promise<void>;
}

/** Everything of the process that gatectl touches. Tests hand in their own. */
export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** False where stdout is no terminal for sure. Making the stream to ask it takes Node 2 ms. */
  readonly mayBeTerminal: boolean;
  /** Writes to stdout what it takes at once, without a stream, and returns the rest. */
  readonly writeSync: (chunk: string | Uint8Array) => Uint8Array;
  /**
   * Starts a pager on the terminal, without a shell. While it runs, Ctrl-C does not end this process, and SIGTERM ends the
   * pager too. Undefined where the program can't be started.
   */
  readonly openPager: (
    words: readonly [string, ...string[]],
    env: Readonly<Record<string, string | undefined>>,
  ) => Promise<OpenPager | undefined>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Undefined where the user has none. */
  readonly homedir: string | undefined;
  readonly cwd: string;
  /** This process among others, for lock files and for folders that others can write too. */
  readonly self: {
    readonly pid: number;
    /** The user it runs as; undefined on systems without user numbers. */
    readonly uid: number | undefined;
  } & ProcessTable;
  /** What gatectl runs on. */
  readonly runtime: {
    /** Without a `v`: `20.18.1`. */
    readonly node: string;
    readonly arch: string;
    /** Stores compiled code in a folder from here on, and loads it from there. Unset in the single-file executable on Node 20. */
    readonly enableCompileCache?: (folder: string) => void;
  };
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Calls `listener` on the first SIGINT or SIGTERM; a second one ends the process as usual. Returns the way to stop listening. */
  readonly onSignal: (listener: (signal: Signal) => void) => () => void;
  /** Hears of the first error that was thrown where nobody catches it, and that would end the process. Returns how to stop. */
  readonly onUncaughtException: (listener: (error: unknown) => void) => () => void;
}

/** Whether stdout is a terminal. */
export function isOnTerminal(io: Pick<Io, 'stdout' | 'mayBeTerminal'>): boolean {
  return io.mayBeTerminal && io.stdout.isTTY === true;
}

/** True when a person can be asked something: both ends of the conversation are terminals. */
export function isInteractive(io: Pick<Io, 'stdin' | 'stderr'>): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true;
}
