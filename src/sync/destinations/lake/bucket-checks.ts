import { GatectlError } from '../../../errors/index.ts';
import type { Bucket } from '../../../objects/bucket.ts';
import { formatBytes, groupDigits, pluralize } from '../../../terminal/numbers.ts';
import type { DestinationCheck } from '../checks.ts';
import { encryptionCheck, freeSpace, spaceCheck } from '../checks.ts';
import { bareHost, isThisMachine } from '../endpoint.ts';

/** Stores reject signatures whose time differs by 15 minutes from theirs. */
const CLOCK_WARNING_S = 120;
/** Responses say the time in whole seconds, and take a while. */
const CLOCK_EXACT_S = 5;
/** Requests for counting the objects, a thousand each. */
const MOST_PAGES = 10;

/** What `gatectl doctor` reports on a bucket, without an object that is written or removed. */
export async function bucketChecks(
  bucket: Bucket,
  { now, staging }: { readonly now: () => number; readonly staging: string },
): Promise<readonly DestinationCheck[]> {
  const { objects, bytes, isCut } = await countObjects(bucket);
  const { endpoint, region } = bucket;
  const store = endpoint ?? `AWS S3${region === undefined ? '' : `, region ${region}`}`;
  return [
    { check: 'store', found: store },
    encryptionOf(bucket),
    ...clockOf(bucket, now()),
    await rightsOf(bucket),
    await uploadsOf(bucket),
    {
      check: 'objects',
      found: `${isCut ? 'more than ' : ''}${groupDigits(objects)}, ${formatBytes(bytes)}`,
    },
    // Files are prepared in a local folder; the store itself has no limit, or reports none.
    spaceCheck(
      await freeSpace(staging),
      ` in ${staging}, where files are prepared`,
      'free some space, or set TMPDIR to a folder on another disk',
    ),
  ];
}

function encryptionOf({ endpoint }: Bucket): DestinationCheck {
  const tls = endpoint === undefined || endpoint.startsWith('https:') ? 'TLS' : undefined;
  const host = endpoint === undefined ? '' : bareHost(new URL(endpoint));
  return encryptionCheck(tls, isThisMachine(host), 'use an endpoint that starts with https://');
}

function clockOf({ date }: Bucket, now: number): DestinationCheck[] {
  if (date === undefined) return [];
  const seconds = Math.round((now - date.getTime()) / 1000);
  const distance = Math.abs(seconds);
  if (distance <= CLOCK_EXACT_S)
    return [{ check: 'clock', found: 'that of this machine and of the store agree' }];
  const found = `${pluralize(distance, 'second')} ${seconds > 0 ? 'ahead of' : 'behind'} that of the store`;
  return [
    {
      check: 'clock',
      found,
      ...(distance > CLOCK_WARNING_S && {
        advice: 'set the clock of this machine: timedatectl set-ntp true',
      }),
    },
  ];
}

async function rightsOf(bucket: Bucket): Promise<DestinationCheck> {
  try {
    await bucket.assertWritable('_gatectl/rights');
    return { check: 'rights', found: 'objects can be listed, read and written' };
  } catch (error) {
    if (!(error instanceof GatectlError)) throw error;
    return { check: 'rights', found: error.message, error };
  }
}

async function uploadsOf(bucket: Bucket): Promise<DestinationCheck> {
  const uploads = await bucket.unfinishedUploads('');
  if (uploads === undefined)
    return {
      check: 'uploads',
      found: 'unfinished uploads cannot be listed, so those of killed runs remain',
      advice: 'allow s3:ListBucketMultipartUploads, or add a lifecycle rule (AbortIncompleteMultipartUpload)',
    };
  if (uploads.length === 0) return { check: 'uploads', found: 'none is unfinished' };
  return {
    check: 'uploads',
    found: `${pluralize(uploads.length, 'unfinished upload')}; the next run removes those of killed runs`,
  };
}

async function countObjects(bucket: Bucket): Promise<{ objects: number; bytes: number; isCut: boolean }> {
  let [pages, objects, bytes] = [0, 0, 0];
  for await (const page of bucket.list('')) {
    if (pages === MOST_PAGES) return { objects, bytes, isCut: true };
    pages += 1;
    objects += page.objects.length;
    for (const object of page.objects) bytes += object.bytes;
  }
  return { objects, bytes, isCut: false };
}
