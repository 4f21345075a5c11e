import type { LockMachine } from '../../../files/lock.ts';
import type { Session } from './session.ts';
import { lockKey } from './sql.ts';

/** How often a lock is tried that another process holds, in milliseconds. */
const POLL_MS = 500;

/** Advisory locks of a schema; the server keeps those of each database apart. They end with the session, or the transaction, that holds them. */
export class SchemaLocks {
  readonly #name: string;
  readonly #schema: string;
  readonly #machine: Pick<LockMachine, 'sleep'>;
  readonly #signal: AbortSignal;

  /** `name` is the destination, as messages name it. */
  constructor(name: string, schema: string, machine: Pick<LockMachine, 'sleep'>, signal: AbortSignal) {
    this.#name = name;
    this.#schema = schema;
    this.#machine = machine;
    this.#signal = signal;
  }

  /** Locks for the rest of a transaction. Waits in the server: for what others hold for a moment only. */
  async lockInTransaction(session: Session, ...parts: readonly (string | number)[]): Promise<void> {
    await session.query('SELECT pg_advisory_xact_lock($1)', [this.#key(parts)]);
  }

  /**
   * Locks until the session ends; with `isShared`, at the same time as others that share it. Tries again and again: a session that waits
   * in the server would keep it from removing old rows. `onWait` is called once, with the holder.
   */
  async lock(
    session: Session,
    parts: readonly (string | number)[],
    { isShared = false, onWait = () => {} }: { isShared?: boolean; onWait?: (holder: string) => void } = {},
  ): Promise<void> {
    const key = this.#key(parts);
    let isWaiting = false;
    for (;;) {
      const [row] = await session.query(
        `SELECT ${isShared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock'}(${key}) AS locked`,
      );
      if (row?.locked === true) return;
      if (!isWaiting) onWait(await this.#holderOf(session, key));
      isWaiting = true;
      await this.#machine.sleep(POLL_MS);
      this.#signal.throwIfAborted();
    }
  }

  async #holderOf(session: Session, key: string): Promise<string> {
    const [row] = await session.query(
      `SELECT a.application_name AS name, to_char(a.backend_start, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS since
       FROM pg_locks l JOIN pg_stat_activity a USING (pid)
       WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
         AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND (l.classid::bigint << 32) | l.objid::bigint = $1 LIMIT 1`,
      [key],
    );
    const [, who] = /^gatectl (pid .*)$/.exec(String(row?.name)) ?? [];
    return `${this.#name} is locked by ${who === undefined ? 'another process' : `${who} since ${row?.since}`}`;
  }

  #key(parts: readonly (string | number)[]): string {
    return lockKey(this.#schema, ...parts);
  }
}
