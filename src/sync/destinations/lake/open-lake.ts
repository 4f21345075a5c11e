import type { LockMachine } from '../../../files/lock.ts';
import type { SyncTable } from '../../config.ts';
import { FolderStore } from './folder-store.ts';
import { Lake, STAGING } from './lake.ts';

/** A lake in a local folder; `name` is the folder as the user named it. */
export function openLake(
  name: string,
  folder: string,
  tables: readonly SyncTable[],
  machine: LockMachine,
): Lake {
  return new Lake(new FolderStore(name, folder, STAGING, machine), tables);
}
