import { FileError, UsageError } from '../../../errors/index.ts';
import { type LockMachine, withLock, withLockInTurn } from '../../../files/lock.ts';

/** How long a run waits for processes that read the file, in milliseconds. */
const READERS_MS = 60_000;
/** How often it tries to open the file meanwhile. */
const READERS_POLL_MS = 500;
/** How long a command that reads waits for a run. */
const READ_MS = 5_000;

/**
 * The lock of a DuckDB file among processes of gatectl, `FILE.lock`. DuckDB's own lock fails at once, so a run takes this one before it
 * opens the file at all, and holds it until it has closed the file. Commands that read take it only to find out whether a run has the
 * file open: between runs, any number of them can.
 */
export class FileLock {
  readonly #path: string;
  readonly #name: string;
  readonly #machine: LockMachine;

  /** `name` is the file as the user named it. */
  constructor(path: string, name: string, machine: LockMachine) {
    this.#path = path;
    this.#name = name;
    this.#machine = machine;
  }

  /** Runs `work` while no other run uses the file. `onWait` is called once before it waits for one. Throws LockedError and FileError. */
  async hold<Value>(onWait: (holder: string) => void, work: () => Promise<Value>): Promise<Value> {
    const options = { machine: this.#machine, displayPath: this.#name, onWait };
    return await withLockInTurn(this.#path, options, work);
  }

  /** Opens the file to write; requires `hold`. Waits a minute for processes that read it. Throws the errors of `open`. */
  async openToWrite<Value>(onWait: (holder: string) => void, open: () => Promise<Value>): Promise<Value> {
    for (let left = READERS_MS; ; left -= READERS_POLL_MS) {
      try {
        return await open();
      } catch (error) {
        if (!isInUse(error) || left <= 0) throw error;
        if (left === READERS_MS) onWait(error.message);
        await this.#machine.sleep(READERS_POLL_MS);
      }
    }
  }

  /**
   * Opens the file to read, outside of `hold`. Waits a few seconds for a run that has it open. Throws LockedError if the run takes longer,
   * and the errors of `open`, such as that for a file that another program has open.
   */
  async openToRead<Value>(open: () => Promise<Value>): Promise<Value> {
    try {
      return await open();
    } catch (inUse) {
      if (!isInUse(inUse)) throw inUse;
      let isBegun = false;
      const once = () => {
        isBegun = true;
        return open();
      };
      const options = { machine: this.#machine, displayPath: this.#name, wait: READ_MS };
      return await withLock(this.#path, options, once).catch(error => {
        // In a folder that cannot be written, no run has the file open.
        throw !isBegun && error instanceof FileError ? inUse : error;
      });
    }
  }
}

function isInUse(error: unknown): error is UsageError {
  return error instanceof UsageError && error.code === 'locked';
}
