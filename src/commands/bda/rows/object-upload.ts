import { createHash } from 'node:crypto';
import { rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { stateFolder } from '../../../config/platform.ts';
import { FileError } from '../../../errors/index.ts';
import { sidecarPaths } from '../../../export/output-path.ts';
import { makeFolder } from '../../../files/folders.ts';
import { Bucket } from '../../../objects/bucket.ts';
import { printS3Location, type S3Location } from '../../../objects/s3-location.ts';
import type { Context } from '../../framework/context.ts';

/** Uploads of this object that were begun so long ago belong to processes that were killed. */
const STRAY_MS = 24 * 3_600_000;

/** An object that is about to be written: a local file until it is complete, so that an interrupted export can be resumed. */
export interface ObjectUpload {
  /** The local file. */
  readonly path: string;
  /** Checks the access to the object, before the work whose result it gets. Throws DestinationError. */
  check(): Promise<void>;
  /** Makes the file the object, with its manifest if there is one, and removes both. Throws DestinationError and FileError. */
  send(hasManifest: boolean): Promise<void>;
  close(): Promise<void>;
}

/** Throws FileError if there is no folder for the local file. */
export async function openUpload(location: S3Location, context: Context): Promise<ObjectUpload> {
  const { io, signal, log } = context;
  const name = printS3Location(location);
  const state = stateFolder(io);
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
  const path = join(folder, basename(location.key));
  const prefix = dirname(location.key);
  const bucket = new Bucket({ ...location, key: prefix === '.' ? '' : prefix }, { env: io.env, signal });
  const key = basename(location.key);
  return {
    path,
    async check() {
      await bucket.assertWritable(key);
      for (const upload of (await bucket.unfinishedUploads(key)) ?? [])
        if (upload.key === key && (upload.now?.getTime() ?? 0) - upload.begun.getTime() > STRAY_MS)
          await bucket.abortUpload(key, upload.id);
    },
    async send(hasManifest) {
      const { manifest } = sidecarPaths(path);
      try {
        await bucket.upload(path, key);
        if (hasManifest) await bucket.upload(manifest, basename(manifest));
      } catch (error) {
        log.warn(`the rows are complete in ${path}, but not in ${name}`);
        throw error;
      }
      await rm(path, { force: true });
      await rm(manifest, { force: true });
      await rmdir(folder).catch(() => undefined);
    },
    close: () => bucket.close(),
  };
}
