import {
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { FileHandle } from '../files/disk.ts';
import { fileError } from '../files/file-error.ts';

/** Files up to this size take one request, larger ones a multipart upload with parts of at least this size. */
export const PART_BYTES = 8 * 1024 * 1024;
const MOST_PARTS = 10_000;
/** Parts of one file in flight. */
const PARTS_IN_FLIGHT = 3;

/** A local file that is open, and its size. */
export interface OpenFile {
  readonly handle: FileHandle;
  /** As messages name it. */
  readonly path: string;
  readonly size: number;
}

/** The object that a file becomes, and how requests for it are sent. */
interface UploadTarget {
  readonly object: { readonly Bucket: string; readonly Key: string };
  readonly send: <Value>(
    request: (client: S3Client, options: { readonly abortSignal?: AbortSignal }) => Promise<Value>,
  ) => Promise<Value>;
  /** Frees the parts of an upload that is not to be completed. */
  readonly abort: (uploadId: string) => Promise<void>;
}

/**
 * Copies a file to an object in parts, which becomes visible when all of them are there; resolves to its ETag as the store sends it. After
 * a failure, no parts remain. Throws the errors of `send`, and FileError.
 */
export async function uploadInParts(
  { handle, path, size }: OpenFile,
  { object, send, abort }: UploadTarget,
): Promise<string | undefined> {
  const { UploadId } = await send((client, options) =>
    client.send(new CreateMultipartUploadCommand(object), options),
  );
  const partBytes = Math.max(PART_BYTES, Math.ceil(size / MOST_PARTS));
  const parts: CompletedPart[] = [];
  let next = 0;
  let hasFailed = false;
  const uploadNext = async () => {
    for (;;) {
      const index = next++;
      const from = index * partBytes;
      if (from >= size || hasFailed) return;
      const Body = await readPart(handle, path, from, Math.min(partBytes, size - from));
      const part = { ...object, UploadId, PartNumber: index + 1, Body };
      const { ETag } = await send((client, options) => client.send(new UploadPartCommand(part), options));
      parts[index] = { PartNumber: index + 1, ETag };
    }
  };
  try {
    const workers = Array.from({ length: PARTS_IN_FLIGHT }, () =>
      uploadNext().catch(error => {
        hasFailed = true;
        throw error;
      }),
    );
    const failed = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
    const complete = { ...object, UploadId, MultipartUpload: { Parts: parts } };
    const { ETag } = await send((client, options) =>
      client.send(new CompleteMultipartUploadCommand(complete), options),
    );
    return ETag;
  } catch (error) {
    if (UploadId !== undefined) await abort(UploadId).catch(() => undefined);
    throw error;
  }
}

/** Reads some bytes of a file. Throws FileError. */
export async function readPart(
  handle: FileHandle,
  path: string,
  from: number,
  length: number,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  try {
    for (let at = 0; at < length; ) {
      const { bytesRead } = await handle.read(bytes, at, length - at, from + at);
      if (bytesRead === 0) throw new Error(`${path} has become shorter`);
      at += bytesRead;
    }
  } catch (error) {
    throw fileError(path, error, 'read');
  }
  return bytes;
}
