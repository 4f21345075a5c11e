import type { JsonRecord } from '../../json/index.ts';
import type { PurgeFacts } from '../../operations/purge/purge-counts.ts';
import type { LoggedWrite } from '../../operations/writes/write-log.ts';
import type { Context } from './context.ts';
import { gatewayName, lockMachine } from './lock-machine.ts';

/** A purge in the log. */
export type LoggedPurge = JsonRecord &
  Omit<PurgeFacts, 'domain' | 'finishedAt'> & {
    readonly id: string;
    readonly domain?: string;
    readonly finishedAt?: string;
  };

/** The purges of this gateway in the log, the latest first. Throws FileError. */
export async function loggedPurges(context: Context, domain?: string): Promise<readonly LoggedPurge[]> {
  const { purges } = await checkedLog(context);
  const gateway = await gatewayName(context);
  return purges.filter(
    (record): record is LoggedPurge =>
      record.gateway === gateway && (domain === undefined || record.domain === domain),
  );
}

/**
 * The writes to this gateway in the log since a time (milliseconds), the latest first, as `gatectl log` lists them; and whether the log is as
 * it was written. Throws FileError.
 */
export async function loggedWrites(
  context: Context,
  since = Number.NEGATIVE_INFINITY,
): Promise<{ readonly writes: readonly JsonRecord[]; readonly isIntact: boolean }> {
  const { writes, faults } = await checkedLog(context);
  const gateway = await gatewayName(context);
  const own = writes.filter(
    ({ record }) => record.gateway === gateway && Date.parse(String(record.time)) >= since,
  );
  return { writes: own.reverse().map(shown), isIntact: faults.length === 0 };
}

function shown({
  seq,
  record: { id: _, event: __, gateway: ___, pid: ____, ...record },
  outcome,
  error,
}: LoggedWrite): JsonRecord {
  return { seq, ...record, outcome, ...(error !== undefined && { error }) };
}

/** The log of this user and machine, of every gateway. Throws FileError. */
export async function checkedLog(context: Context) {
  const { readWriteLog } = await import('../../operations/writes/write-log.ts');
  return await readWriteLog(await logFolder(context));
}

/** The folder of the log; undefined where there is none for state. */
export async function logFolder(context: Context): Promise<string | undefined> {
  const { writeLogFolder } = await import('../../operations/writes/write-log.ts');
  return writeLogFolder(lockMachine(context));
}
