import type { LedgerEntry } from '../../ledger.ts';
import type { LakeStore } from './lake-store.ts';

/** The folder of superseded files in a lake, outside of those of its tables. */
const HISTORY = '_history';

/** A version of a partition that was superseded. */
interface SupersededVersion {
  readonly partition: string;
  /** The name of the site. */
  readonly domain?: string | undefined;
  readonly rows: number;
  /** When it was first written, RFC 3339; it was valid until the next version. */
  readonly validFrom: string;
  /** The key of its file; null for no rows. */
  readonly path: string | null;
  /** Whether its file was no longer that of the ledger, so that it could not be stored. */
  readonly isLost?: boolean;
}

/** When the content of an entry was first written. */
export function validFromOf({ validFrom, fetchedAt }: LedgerEntry): string {
  return validFrom ?? fetchedAt;
}

/**
 * Stores a version of a partition that is about to be replaced. Its file gets a second name, `_history/pages/domain_id=7/month=2026-03/
 * valid_from=20260314T120000000Z/data.parquet`, and then a line in the record. A process that is killed in between leaves a file
 * that the next one replaces, or a line for a version that is still in force, which readers ignore. Throws FileError.
 */
export async function storeVersion(
  store: LakeStore,
  { record, file, isIntact }: { readonly record: string; readonly file: string; readonly isIntact: boolean },
  before: LedgerEntry,
): Promise<void> {
  const validFrom = validFromOf(before);
  const { partition, domain, rows, sha256 } = before;
  const [folder, name] = [file.slice(0, file.lastIndexOf('/')), file.slice(file.lastIndexOf('/') + 1)];
  const path = `${HISTORY}/${folder}/valid_from=${validFrom.replace(/[-:.]/g, '')}/${name}`;
  const isStored = sha256 !== null && isIntact && store.copy !== undefined;
  if (isStored) await store.copy?.(file, path);
  const version: SupersededVersion = {
    partition,
    domain,
    rows,
    validFrom,
    path: isStored ? path : null,
    ...(sha256 !== null && !isStored && { isLost: true }),
  };
  await store.appendLine(record, version);
}

/** The superseded versions in the text of a record, the latest line of each. A line that a killed process did not finish is ignored. */
export function readVersions(text: string): readonly SupersededVersion[] {
  const versions = new Map<string, SupersededVersion>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    try {
      const version = JSON.parse(line) as SupersededVersion;
      versions.set(`${version.partition} ${version.validFrom}`, version);
    } catch {}
  }
  return [...versions.values()];
}

/** Of each partition, the version that was in force at a time, in milliseconds, and when the next one followed. None for no rows. */
export function versionsInForce(
  versions: readonly SupersededVersion[],
  time: number,
): readonly { readonly version: SupersededVersion; readonly validTo: string | undefined }[] {
  const byPartition = new Map<string, SupersededVersion[]>();
  for (const version of versions)
    byPartition.set(version.partition, [...(byPartition.get(version.partition) ?? []), version]);
  return [...byPartition]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, all]) => {
      const sorted = all.toSorted((one, other) => (one.validFrom < other.validFrom ? -1 : 1));
      const at = sorted.findLastIndex(({ validFrom }) => Date.parse(validFrom) <= time);
      const version = sorted[at];
      if (version === undefined || (version.path === null && version.isLost !== true)) return [];
      return [{ version, validTo: sorted[at + 1]?.validFrom }];
    });
}
