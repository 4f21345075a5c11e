/** A file that takes its name only when it is complete. Every method throws FileError; after one, call `discard` or `keep`. */
export interface WritableFile {
  readonly path: string;
  /** Bytes written so far. */
  readonly position: number;
  /** False for a device or pipe: what was written there is out. */
  readonly canTakeBack: boolean;
  /** Throws BrokenPipeError when the reader of a pipe went away. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** Takes back what was written after `position`. */
  truncate(position: number): Promise<void>;
  /** Brings all bytes that are written to the disk, where there is one; more may be written meanwhile. */
  sync(): Promise<void>;
  /** Brings all bytes to the disk, then replaces the file at `path` in one step. */
  commit(): Promise<void>;
  /** Closes and removes what was written. */
  discard(): Promise<void>;
  /** Closes and leaves the unfinished file where it is, to be continued with `partial`. */
  keep(): Promise<void>;
}
