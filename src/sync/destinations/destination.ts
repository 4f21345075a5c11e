import { pluralize } from '../../terminal/numbers.ts';
import type { TableSchema } from '../column-types.ts';
import type { SyncTable } from '../config.ts';
import type { Quarantine } from '../contracts/quarantine.ts';
import type { Encoding, Target } from '../encode/encoder.ts';
import type { Ledger, LedgerEntry, Superseded } from '../ledger.ts';
import type { SyncDomain } from '../plan.ts';
import type { DestinationCheck } from './checks.ts';

/** What happened to a partition. */
export type Replaced = 'added' | 'changed' | 'unchanged';

/** What replacing a partition did that had an entry `before`. */
export function outcomeOf(before: LedgerEntry | undefined, { sha256 }: LedgerEntry): Replaced {
  if (before === undefined) return 'added';
  return before.sha256 === sha256 ? 'unchanged' : 'changed';
}

/** A partition to write. */
export interface PartitionFile {
  readonly table: SyncTable;
  readonly domain: SyncDomain;
  /** Its rows in the encoding of the destination, in a file that the destination may move; undefined for no rows. */
  readonly path: string | undefined;
  /** The columns of the file, in order. */
  readonly columns: readonly string[];
  /** The JSON of its longest row, in bytes, if that is long. */
  readonly longestRow: number;
  readonly entry: LedgerEntry;
}

/** The rows of a partition that were in force at some time. */
export interface PartitionVersion {
  readonly partition: string;
  readonly domain: string | undefined;
  readonly domainId: number;
  readonly rows: number;
  /** RFC 3339 */
  readonly validFrom: string;
  /** RFC 3339; undefined while it is in force. */
  readonly validTo: string | undefined;
  /** Its file; undefined if that is no longer there. */
  readonly path: string | undefined;
}

/** How many of the latest runs a destination lists. */
export const RUNS_SHOWN = 30;

/** A summary of one run. */
export interface RunRecord {
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly partitions: number;
  readonly added: number;
  readonly changed: number;
  readonly rows: number;
  readonly requests: number;
  readonly failed: number;
  /** Sites with partitions that the gateway no longer listed. */
  readonly unlisted?: readonly string[];
}

/** What a table of a destination contains besides the partitions of its ledger. */
export interface Stray {
  /** Undefined where it is of no site. */
  readonly domainId: number | undefined;
  /** Undefined where it is of no partition. */
  readonly partition: string | undefined;
  /** What it is: `5 rows here, none in the ledger`. */
  readonly problem: string;
  /** The SQL, or the shell command, that removes it. */
  readonly removal: string;
  /** Whether a run that requests its partition replaces it. */
  readonly isReplaceable: boolean;
}

/** Rows of a table that are of no partition in the ledger, as a query counts them. */
export interface StrayRow {
  readonly id: string | null;
  readonly partition: string | null;
  readonly rows: string;
}

/** What stray rows are, with the SQL that removes them. */
export function strayOf({ id, partition, rows }: StrayRow, removal: string): Stray {
  return {
    domainId: id === null ? undefined : Number(id),
    partition: partition ?? undefined,
    problem: `${pluralize(Number(rows), 'row')} here, none in the ledger`,
    removal,
    isReplaceable: id !== null && partition !== null,
  };
}

/** Where the tables of a sync are stored. Methods throw FileError; those that write require `exclusively` or `lockSite`. */
export interface Destination extends Target {
  /** The form in which it takes the rows of a partition. */
  readonly encoding: Encoding;
  /** Whether it cannot store texts with the character NUL. */
  readonly rejectsNul?: boolean;
  /** How many partitions of a site it stores together where they are replaced at the same time; undefined for one after the other. */
  readonly partitionsAtOnce?: number;
  /**
   * Whether each stored partition has its own column types: then the earlier ones are requested again when a type becomes wider.
   * Otherwise `updateSchema` changes the types of what is stored.
   */
  readonly rewritesForTypes: boolean;
  /** A folder for files that are being prepared; in a folder of files, on the same file system. */
  readonly staging: string;
  /** Where rows are kept aside that may not replace their partition. */
  readonly quarantine: Quarantine;
  /** Checks that it can be used, and changes nothing. Throws UsageError for something else in its place. */
  check(): Promise<void>;
  /**
   * Of a file that no process can open while another one writes to it: runs `work`, which may call `exclusively`, while no other run uses
   * the file. `onWait` is called once before it waits for one. Everything that a run does with the file, `check` included, is in `work`.
   */
  reserve?<Value>(onWait: (holder: string) => void, work: () => Promise<Value>): Promise<Value>;
  /** Runs `work` while no other process writes to it. `onWait` is called once before it waits for one. */
  exclusively<Value>(onWait: (holder: string) => void, work: () => Promise<Value>): Promise<Value>;
  /**
   * Runs `work` while no other process writes to a site of a table; does nothing more within `exclusively`. One process runs one
   * `work` at a time for a site.
   */
  lockSite<Value>(table: string, domainId: number, work: () => Promise<Value>): Promise<Value>;
  ledger(table: string, domainId: number): Promise<Ledger>;
  /**
   * What the ledger said of partitions that a process was replacing when it was killed, as far as that is known. Undefined for a
   * destination that replaces rows and entry together.
   */
  unfinished?(table: string, domainId: number): Promise<ReadonlyMap<string, Partial<Superseded>>>;
  schema(table: string): Promise<TableSchema>;
  /**
   * Changes the column types of a table while no other process does: `change` gets the current ones, and returns undefined to leave
   * them. Resolves to those that are in force then.
   */
  updateSchema(table: string, change: (before: TableSchema) => TableSchema | undefined): Promise<TableSchema>;
  /** Replaces a partition, with its ledger entry: a concurrent reader gets either its old rows or its new ones. */
  replace(file: PartitionFile, before: LedgerEntry | undefined): Promise<Replaced>;
  /** Whether a stored partition matches its entry, as far as that can be told without reading it. */
  isIntact(table: string, domainId: number, entry: LedgerEntry): boolean;
  /** What is wrong with a partition that it holds; undefined if its data are those of the entry. Reads all of them. */
  problemWith(table: string, domainId: number, entry: LedgerEntry): Promise<string | undefined>;
  /** What a table contains besides the partitions of its ledger, which its readers count as well. */
  strays(table: SyncTable): Promise<readonly Stray[]>;
  /** The sites that it has a ledger of. */
  domainIds(table: string): Promise<readonly number[]>;
  /**
   * The rows of each partition of a table that were in force at a time, in milliseconds; partitions without rows are left out. Undefined
   * for a destination that does not store superseded rows.
   */
  versionsAt?(table: string, time: number): AsyncIterable<PartitionVersion>;
  /** Frees the memory used for a site of a table. */
  release(table: string, domainId: number): Promise<void>;
  addRun(run: RunRecord): Promise<void>;
  /** The latest runs, the last one first. */
  runs(): Promise<readonly RunRecord[]>;
  /** What `gatectl doctor` reports after `check`. Changes nothing. Throws what prevents the checks. */
  diagnose?(): Promise<readonly DestinationCheck[]>;
  /** Ends its connections. */
  close(): Promise<void>;
}
