import type { LockMachine } from '../../../files/lock.ts';
import { Bucket, type BucketOptions } from '../../../objects/bucket.ts';
import { parseS3Url } from '../../../objects/s3-location.ts';
import type { SyncTable } from '../../config.ts';
import { BucketStore } from './bucket-store.ts';
import { Lake } from './lake.ts';

/** A lake in a bucket; sends nothing yet. Throws UsageError for an invalid URL. */
export function openBucketLake(
  url: string,
  tables: readonly SyncTable[],
  machine: LockMachine,
  options: BucketOptions,
): Lake {
  return new Lake(new BucketStore(new Bucket(parseS3Url(url), options), machine), tables);
}
