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

/** All of the process that gatectl uses. Tests pass their own. */
export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** False if stdout is certainly not a terminal. Creating the stdout stream, to read its `isTTY`, takes 2 ms. */
  readonly mayBeTerminal: boolean;
  /** Writes to stdout without a stream, as much as it accepts without blocking, and returns the rest. */
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
  /** Undefined if the user has none. */
  readonly homedir: string | undefined;
  readonly cwd: string;
  /** Identifies this process in lock files, and its user as the owner of files in shared folders. */
  readonly self: {
    readonly pid: number;
    /** Undefined on systems without user ids. */
    readonly uid: number | undefined;
  } & ProcessTable;
  readonly runtime: {
    /** Without a `v`: `20.18.1`. */
    readonly node: string;
    readonly arch: string;
    /** Stores compiled code in a folder from here on, and loads it from there. Unset in the single-file executable on Node 20. */
    readonly enableCompileCache?: (folder: string) => void;
    /** The program's own files: their folder, and what its `gatectl.cjs` contains in this build only. */
    readonly bundle?: { readonly folder: string; readonly build: string } | undefined;
  };
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** As `Clock.sleep`; by default in real time. */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Calls `listener` on the first SIGINT or SIGTERM; a second one terminates the process. Returns a function that unsubscribes. */
  readonly onSignal: (listener: (signal: Signal) => void) => () => void;
  /** Calls `listener` on the first uncaught exception instead of ending the process. Returns a function that unsubscribes. */
  readonly onUncaughtException: (listener: (error: unknown) => void) => () => void;
}

/** The columns of a terminal, which some terminals of CI report as 0; undefined where nothing is reported. */
export function columnsOf({ columns }: Pick<Output, 'columns'>): number | undefined {
  return columns === 0 ? DEFAULT_COLUMNS : columns;
}

/** The columns of a terminal that does not report them. */
export const DEFAULT_COLUMNS = 80;

/** Whether stdout is a terminal. */
export function isOnTerminal(io: Pick<Io, 'stdout' | 'mayBeTerminal'>): boolean {
  return io.mayBeTerminal && io.stdout.isTTY === true;
}

/** Whether prompts are possible: stdin and stderr are terminals. */
export function isInteractive(io: Pick<Io, 'stdin' | 'stderr'>): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true;
}
