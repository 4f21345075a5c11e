import { Document, isMap, isSeq } from 'yaml';
import type { PartitionSize, SyncConfig } from './config.ts';
import { parseSyncConfig } from './config-file.ts';

/** What a new sync file says of its table. */
interface NewSync {
  readonly destination: string;
  readonly domains: SyncConfig['domains'];
  /** Undefined for a name made from that of the data set. */
  readonly table: string | undefined;
  readonly dataSet: string;
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
  readonly start: string;
  readonly partition: PartitionSize;
}

/** The text of a sync file with one table; `file` is its name. Throws UsageError for what no sync file may contain. */
export function newSyncFile(file: string, sync: NewSync): string {
  const document = new Document({
    destination: sync.destination,
    domains: sync.domains,
    tables: {
      [sync.table ?? tableNameOf(sync.dataSet)]: {
        data_set: sync.dataSet,
        dimensions: sync.dimensions,
        metrics: sync.metrics,
        start: sync.start,
        partition: sync.partition,
      },
    },
  });
  document.commentBefore = ` gatectl bda sync run ${file}`;
  const flow = (node: unknown): void => {
    if (isSeq(node)) node.flow = true;
    if (isMap(node)) for (const { value } of node.items) flow(value);
  };
  flow(document.contents);
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  parseSyncConfig(file, text);
  return text;
}

/** A valid name for the table of a data set. */
function tableNameOf(dataSet: string): string {
  const name = dataSet.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
  return (/^[a-z]/.test(name) ? name : `t_${name}`).slice(0, 63);
}
