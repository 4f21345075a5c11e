import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { FileError, UsageError } from '../../errors/index.ts';
import { sidecarPaths } from '../../export/output-path.ts';
import { rm, rmdir } from '../../files/disk.ts';
import { makeFolder } from '../../files/folders.ts';
import { Bucket } from '../../objects/bucket.ts';
import { MAX_KEY_BYTES, printS3Location, type S3Location } from '../../objects/s3-location.ts';

/** Uploads of this object that were begun so long ago belong to processes that were killed. */
const STRAY_MS = 24 * 3_600_000;

/** The name of the local file. A key can be longer than a file name, and contain other characters. */
const LOCAL_NAME = 'rows';

/** An object that is about to be written: a local file until it is sent, so that an interrupted export can be resumed. */
interface ObjectUpload {
  /** The local file. */
  readonly path: string;
  /** Checks the access to the object, before the work whose result it gets. Throws DestinationError. */
  check(): Promise<void>;
  /** Makes a file the object, with the manifest of the local file if there is one, which is removed. Throws DestinationError and FileError. */
  send(file: string): Promise<void>;
  close(): Promise<void>;
}

/** Throws FileError if there is no folder for the local file, and UsageError if the key of the manifest is too long. */
export async function openUpload(
  location: S3Location,
  {
    hasManifest,
    stateFolder: state,
    env,
    signal,
  }: {
    readonly hasManifest: boolean;
    readonly stateFolder: string | undefined;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly signal: AbortSignal;
  },
): Promise<ObjectUpload> {
  const { key } = location;
  const name = printS3Location(location);
  const manifestKey = sidecarPaths(key).manifest;
  const manifestBytes = Buffer.byteLength(manifestKey);
  if (hasManifest && manifestBytes > MAX_KEY_BYTES)
    throw new UsageError(
      `the key of the manifest has ${manifestBytes} bytes; at most ${MAX_KEY_BYTES} are allowed`,
      { code: 'invalid_value', reason: 'long_manifest_key' },
    );
  if (state === undefined)
    throw new FileError(`there is no folder for the rows of ${name} until they are complete`, {
      path: name,
      code: 'file_not_found',
    });
  const id = createHash('sha256')
    .update(JSON.stringify([name, location.endpoint]))
    .digest('hex')
    .slice(0, 16);
  const folder = join(state, 'uploads', id);
  await makeFolder(folder);
  const path = join(folder, LOCAL_NAME);
  const bucket = new Bucket({ ...location, key: '' }, { env, signal });
  return {
    path,
    async check() {
      await bucket.assertWritable(key);
      for (const upload of (await bucket.unfinishedUploads(key)) ?? [])
        if (upload.key === key && (upload.now?.getTime() ?? 0) - upload.begun.getTime() > STRAY_MS)
          await bucket.abortUpload(key, upload.id);
    },
    async send(file) {
      const { manifest } = sidecarPaths(path);
      try {
        await bucket.upload(file, key);
        if (hasManifest) await bucket.upload(manifest, manifestKey);
      } finally {
        // What can be resumed has another name.
        await rm(path, { force: true });
        await rm(manifest, { force: true });
      }
    },
    async close() {
      await rmdir(folder).catch(() => undefined);
      await bucket.close();
    },
  };
}
