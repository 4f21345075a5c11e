import type { LedgerEntry, Superseded } from '../../ledger.ts';
import type { DestinationCheck } from '../checks.ts';
import type { NamedLocks } from '../run-locks.ts';

/** The folder of gatectl's own files in a lake. */
export const OWN = '_gatectl';
/** Relative to the lake. */
export const STAGING = `${OWN}/staging`;

/** What is stored under a key. */
export interface StoredFile {
  readonly bytes: number;
  /** Changes with the content; undefined where the store has no such thing. */
  readonly etag?: string | undefined;
}

/** The ledger of one site in one table. */
export interface LedgerLog {
  readonly entries: ReadonlyMap<string, LedgerEntry>;
  /** What the entries said of partitions whose files are being replaced; an earlier version did not write it. */
  readonly replacing?: ReadonlyMap<string, Partial<Superseded>>;
  /** Notes that the file of a partition is about to be replaced: until its entry follows, what the file contains is unknown. */
  beginReplacing(before: Partial<Superseded> & { readonly partition: string }): Promise<void>;
  set(entry: LedgerEntry): Promise<void>;
  /** Writes what `set` has not written yet. */
  flush(): Promise<void>;
}

/**
 * The files of a lake: a local folder, or a bucket. Keys are relative, with slashes; a file is replaced atomically, and visible only
 * when it is complete. Methods throw FileError.
 */
export interface LakeStore {
  /** As messages name it. */
  readonly name: string;
  /** How messages call it, when it cannot be used: `an empty folder, or one that does not exist`. */
  readonly emptyPlace: string;
  /** A local folder for files that are being prepared. */
  readonly staging: string;
  /** Checks that it can be reached; changes nothing. */
  check(): Promise<void>;
  /** What `gatectl doctor` reports. */
  diagnose?(): Promise<readonly DestinationCheck[]>;
  /** The name of anything on the top level, other than `own`. */
  foreignName(own: string): Promise<string | undefined>;
  /** The text of a small file; undefined if there is none. */
  read(key: string): Promise<string | undefined>;
  write(key: string, text: string): Promise<void>;
  /** Appends a line of JSON. */
  appendLine(key: string, line: object): Promise<void>;
  /** The names of the files of a folder, in order. */
  names(folder: string): Promise<readonly string[]>;
  /** The keys of all files below a folder; those of the same folder follow each other. */
  files(folder: string): AsyncIterable<string>;
  /** The shell command that removes a file, which follows it. */
  readonly removeCommand: string;
  /** Called before `find` is used for the site of a table, whose files are below `folder`. */
  prepare(folder: string): Promise<void>;
  /** What is stored under a key of a prepared site. */
  find(key: string): StoredFile | undefined;
  /** Frees what `prepare` needed. */
  release(folder: string): void;
  /** Moves a local file to a key. */
  put(path: string, key: string): Promise<StoredFile>;
  remove(key: string): Promise<void>;
  /** Stores a file under another key too, in place of what is there; undefined where superseded files are not stored. */
  copy?(from: string, to: string): Promise<void>;
  /** The path of a file; undefined in a bucket. */
  pathOf?(key: string): string;
  /** The SHA-256 of a file, in hexadecimal. */
  sha256(key: string): Promise<string>;
  ledger(key: string): Promise<LedgerLog>;
  readonly locks: NamedLocks;
  /** Called when a process begins to write, alone or to some sites. */
  begin(isExclusive: boolean): Promise<void>;
  /** Called when a process that wrote alone has ended. */
  end(): Promise<void>;
  close(): Promise<void>;
}
