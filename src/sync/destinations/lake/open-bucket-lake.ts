import type { LockMachine } from '../../../files/lock.ts';
import { Bucket, type BucketOptions } from '../../../objects/bucket.ts';
import { parseS3Url } from '../../../objects/s3-location.ts';
import type { SyncTable } from '../../config.ts';
import { requireEncryption } from '../encryption.ts';
import { BucketStore } from './bucket-store.ts';
import { Lake } from './lake.ts';

/** A lake in a bucket; sends nothing yet. Throws UsageError for an invalid URL. */
export function openBucketLake(
  url: string,
  tables: readonly SyncTable[],
  machine: LockMachine,
  { allowsPlain, ...options }: BucketOptions & { readonly allowsPlain: boolean },
): Lake {
  const location = parseS3Url(url);
  const endpoint = location.endpoint === undefined ? undefined : new URL(location.endpoint);
  // An endpoint of the environment or of a profile of AWS is the user's own choice.
  if (endpoint?.protocol === 'http:')
    requireEncryption(endpoint.hostname.replace(/^\[(.*)\]$/, '$1'), endpoint.host, allowsPlain, 's3');
  return new Lake(new BucketStore(new Bucket(location, options), machine), tables);
}
