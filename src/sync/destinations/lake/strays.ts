import { shellQuote } from '../../../text/shell-words.ts';
import type { SyncTable } from '../../config.ts';
import type { Ledger } from '../../ledger.ts';
import type { Stray } from '../destination.ts';
import type { LakeStore } from './lake-store.ts';

/** What the readers of a folder take for a file of the table. */
const DATA_FILE = /\.parquet$/i;
const SITE = /^[^/]+\/domain_id=(\d+)\//;
const PARTITION = /^[^/]+\/domain_id=\d+\/(?:month|day)=([^/]+)\//;

/** The Parquet files in the folder of a table that are of no partition in the ledgers of its sites. Throws FileError. */
export async function strayFiles(
  store: LakeStore,
  { name, partition: size }: SyncTable,
  ledgerOf: (domainId: number) => Promise<Ledger>,
): Promise<readonly Stray[]> {
  const found: Stray[] = [];
  let site: { readonly id: string; readonly entries: Ledger } | undefined;
  for await (const key of store.files(name)) {
    if (!DATA_FILE.test(key)) continue;
    const [, id] = SITE.exec(key) ?? [];
    // The keys are in order, so that those of a site follow each other.
    if (id !== undefined && site?.id !== id) site = { id, entries: await ledgerOf(Number(id)) };
    const [, partition] = PARTITION.exec(key) ?? [];
    const isInPlace = key === `${name}/domain_id=${Number(id)}/${size}=${partition}/data.parquet`;
    if (isInPlace && partition !== undefined && site?.entries.has(partition) === true) continue;
    found.push({
      domainId: id === undefined ? undefined : Number(id),
      partition,
      problem: `${key} is not in the ledger`,
      removal: `${store.removeCommand} ${shellQuote(store.pathOf?.(key) ?? `${store.name}/${key}`)}`,
      isReplaceable: isInPlace,
    });
  }
  return found;
}
