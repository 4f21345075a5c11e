import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { withAttempts } from '../errors/attempts.ts';
import { type FileHandle, open } from '../files/disk.ts';
import { fileError } from '../files/file-error.ts';
import { type OpenFile, PART_BYTES, readPart, uploadInParts } from './multipart-upload.ts';
import { S3Connection } from './s3-connection.ts';
import {
  notStoredError,
  partialListingError,
  type S3Call,
  s3Error,
  s3Status,
  webPageError,
} from './s3-errors.ts';
import { printS3Location, type S3Location } from './s3-location.ts';

/** Attempts to read an object to its end, as many as a request has. */
const BODY_ATTEMPTS = 6;

interface BucketOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

interface SendOptions {
  /** Also after an interruption, whose signal stops other requests. */
  readonly always?: boolean;
}

/** An object in a listing. */
interface ListedObject {
  /** Relative to the location. */
  readonly key: string;
  readonly bytes: number;
  readonly etag: string;
  readonly modified: Date;
}

/** An upload in parts that was not completed. */
interface UnfinishedUpload {
  /** Relative to the location. */
  readonly key: string;
  readonly id: string;
  readonly begun: Date;
  /** The clock of the store when it was listed. */
  readonly now: Date | undefined;
}

/** A page of a listing, with the clock of the store when it was made. */
interface ListedPage {
  readonly objects: readonly ListedObject[];
  readonly now: Date | undefined;
}

/**
 * The objects below a location of S3 or a store with its API. Keys are relative to the location. An object is visible only when it is
 * complete. Methods throw DestinationError, FileError for local files, and the signal's reason.
 */
export class Bucket {
  /** `s3://bucket/prefix` */
  readonly name: string;
  readonly #location: S3Location;
  readonly #signal: AbortSignal;
  readonly #env: NodeJS.ProcessEnv;
  readonly #connection: S3Connection;

  /** Throws UsageError for an endpoint that is not valid. */
  constructor(location: S3Location, { env, signal }: BucketOptions) {
    this.#location = location;
    this.#env = env;
    this.#signal = signal;
    this.name = printS3Location(location);
    this.#connection = new S3Connection(location, env);
  }

  /** The URL of a store that is not AWS; known after the first request. */
  get endpoint(): string | undefined {
    return this.#connection.endpoint;
  }

  /** The region of the requests; known after the first request. */
  get region(): string | undefined {
    return this.#connection.region;
  }

  /** The store's clock in its latest response; undefined if it sends none. */
  get date(): Date | undefined {
    return this.#connection.date;
  }

  /** `s3://bucket/prefix/key` */
  nameOf(key: string): string {
    return printS3Location({ bucket: this.#location.bucket, key: this.#key(key) });
  }

  /** The text of an object; undefined if there is none. */
  async read(key: string): Promise<string | undefined> {
    const response = await this.#open(key);
    if (response === undefined) return undefined;
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.#body(key, response)) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  }

  /** The bytes of an object. Throws DestinationError if there is none, too. */
  async *bytes(key: string): AsyncGenerator<Uint8Array> {
    const response = await this.#open(key);
    if (response === undefined)
      throw s3Error({ $metadata: { httpStatusCode: 404 } }, this.#asked('read', key));
    yield* this.#body(key, response);
  }

  async #open(
    key: string,
    rest: { readonly Range?: string; readonly IfMatch?: string } = {},
  ): Promise<GetObjectCommandOutput | undefined> {
    return await this.#converting('read', key, async () => {
      try {
        const command = new GetObjectCommand({ ...this.#object(key), ...rest });
        const response = await this.#connection.send(client =>
          client.send(command, { abortSignal: this.#signal }),
        );
        if (isWebPage(response)) throw webPageError(this.#asked('read', key));
        return response;
      } catch (error) {
        if (s3Status(error) === 404 && (error as Error).name !== 'NoSuchBucket') return undefined;
        throw error;
      }
    });
  }

  /** The bytes of a response; where the connection is lost, the rest is requested. */
  async *#body(key: string, first: GetObjectCommandOutput): AsyncGenerator<Uint8Array> {
    let response = first;
    let at = 0;
    for (let attempt = 1; ; attempt++) {
      try {
        for await (const chunk of response.Body as unknown as AsyncIterable<Uint8Array>) {
          at += chunk.length;
          yield chunk;
        }
        return;
      } catch (error) {
        const { ETag } = first;
        const canResume = attempt < BODY_ATTEMPTS && ETag !== undefined && !this.#signal.aborted;
        const rest = canResume
          ? await this.#open(key, { Range: `bytes=${at}-`, IfMatch: ETag }).catch(() => undefined)
          : undefined;
        // A store that ignores the range sends all of it again.
        if (!rest?.ContentRange?.startsWith(`bytes ${at}-`)) throw this.#error(error, 'read', key);
        response = rest;
      }
    }
  }

  /** Writes a small object; resolves to its ETag. With `always`, after an interruption, too. */
  async write(key: string, body: string | Uint8Array, options: SendOptions = {}): Promise<string> {
    const Body = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    const command = new PutObjectCommand({ ...this.#object(key), Body });
    const { ETag } = await this.#send('write', key, (client, sent) => client.send(command, sent), options);
    return bareEtag(ETag) || (await this.#etagOf(key));
  }

  /** Copies a local file to an object, in one request or in parts. */
  async upload(path: string, key: string): Promise<{ readonly bytes: number; readonly etag: string }> {
    let handle: FileHandle;
    try {
      handle = await open(path, 'r');
    } catch (error) {
      throw fileError(path, error, 'read');
    }
    try {
      const { size } = await handle.stat();
      if (size <= PART_BYTES)
        return { bytes: size, etag: await this.write(key, await readPart(handle, path, 0, size)) };
      // A lost response to the last request makes a repetition fail, although the object is complete.
      const again = (error: unknown) =>
        (error as { cause?: Error }).cause?.message.startsWith('NoSuchUpload') === true;
      const upload = () => this.#uploadParts({ handle, path, size }, key);
      return { bytes: size, etag: await withAttempts({ attempts: 3, again }, upload) };
    } finally {
      await handle.close();
    }
  }

  async #uploadParts(file: OpenFile, key: string): Promise<string> {
    const etag = await uploadInParts(file, {
      object: this.#object(key),
      send: request => this.#send('write', key, request),
      abort: id => this.abortUpload(key, id),
    });
    return bareEtag(etag) || (await this.#etagOf(key));
  }

  /** The ETag of an object that was just written. */
  async #etagOf(key: string): Promise<string> {
    const command = new HeadObjectCommand(this.#object(key));
    const { ETag } = await this.#converting('read', key, async () => {
      const head = this.#connection.send(client => client.send(command, { abortSignal: this.#signal }));
      return await head.catch(error => {
        throw s3Status(error) === 404 ? notStoredError(this.#asked('write', key)) : error;
      });
    });
    return bareEtag(ETag);
  }

  /** Removes an object, if there is one. With `always`, after an interruption, too. */
  async remove(key: string, options: SendOptions = {}): Promise<void> {
    const command = new DeleteObjectCommand(this.#object(key));
    await this.#send('delete', key, (client, sent) => client.send(command, sent), options);
  }

  /** The objects whose keys start with a prefix, in order, a thousand at a time. */
  async *list(prefix: string): AsyncGenerator<ListedPage> {
    let token: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        ...this.#below(prefix),
        ...(token && { ContinuationToken: token }),
      });
      const {
        Contents = [],
        NextContinuationToken,
        IsTruncated,
      } = await this.#send('list', prefix, (client, options) => client.send(command, options));
      yield {
        now: this.date,
        objects: Contents.map(({ Key = '', Size = 0, ETag, LastModified = new Date(0) }) => ({
          key: this.#relative(Key),
          bytes: Size,
          etag: bareEtag(ETag),
          modified: LastModified,
        })),
      };
      if (IsTruncated && (NextContinuationToken ?? token) === token)
        throw partialListingError(this.#asked('list', prefix));
      token = IsTruncated ? NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  /** The names directly below a prefix that ends with a slash, or at the top; folders end with a slash. At most a thousand. */
  async names(prefix: string): Promise<readonly string[]> {
    const command = new ListObjectsV2Command({ ...this.#below(prefix), Delimiter: '/', MaxKeys: 1_000 });
    const { Contents = [], CommonPrefixes = [] } = await this.#send('list', prefix, (client, options) =>
      client.send(command, options),
    );
    const keys = [...Contents.map(({ Key }) => Key), ...CommonPrefixes.map(({ Prefix }) => Prefix)];
    return keys.flatMap(key => (key === undefined ? [] : [this.#relative(key).slice(prefix.length)])).sort();
  }

  /**
   * Uploads that were begun and not completed, of objects whose keys start with a prefix. Undefined where the store cannot list them,
   * or the user may not.
   */
  async unfinishedUploads(prefix: string): Promise<readonly UnfinishedUpload[] | undefined> {
    const found: UnfinishedUpload[] = [];
    let markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {};
    while (markers !== undefined) {
      const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({
        ...this.#below(prefix),
        ...markers,
      });
      const page = await this.#connection
        .send(client => client.send(command, { abortSignal: this.#signal }))
        .catch(error => {
          const status = s3Status(error);
          if (status === 501 || status === 405 || status === 403) return undefined;
          throw this.#error(error, 'list', prefix);
        });
      if (page === undefined) return undefined;
      for (const { Key, UploadId, Initiated } of page.Uploads ?? [])
        if (Key !== undefined && UploadId !== undefined)
          found.push({
            key: this.#relative(Key),
            id: UploadId,
            begun: Initiated ?? new Date(0),
            now: this.date,
          });
      // A store without markers would send the same page again.
      const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
      const hasMore: boolean =
        IsTruncated === true &&
        (KeyMarker ?? markers.KeyMarker) !== undefined &&
        (KeyMarker !== markers.KeyMarker || UploadIdMarker !== markers.UploadIdMarker);
      markers = hasMore ? { KeyMarker, UploadIdMarker } : undefined;
    }
    return found;
  }

  /** Frees the parts of an upload that is not to be completed. */
  async abortUpload(key: string, id: string): Promise<void> {
    const command = new AbortMultipartUploadCommand({ ...this.#object(key), UploadId: id });
    // Also after an interruption, whose signal would stop this request, too.
    await this.#connection
      .send(client => client.send(command))
      .catch(error => {
        // It is gone already, or the store cannot remove parts.
        if (![404, 405, 501].includes(s3Status(error) ?? 0)) throw this.#error(error, 'abort', key);
      });
  }

  /** Checks that an object can be written, and leaves none. */
  async assertWritable(key: string): Promise<void> {
    const { UploadId } = await this.#send('write', key, (client, options) =>
      client.send(new CreateMultipartUploadCommand(this.#object(key)), options),
    );
    if (UploadId !== undefined) await this.abortUpload(key, UploadId);
  }

  /** Ends the connections. */
  async close(): Promise<void> {
    await this.#connection.close();
  }

  #key(key: string): string {
    const { key: prefix } = this.#location;
    return prefix === '' || key === '' ? prefix + key : `${prefix}/${key}`;
  }

  #relative(key: string): string {
    const { key: prefix } = this.#location;
    return prefix === '' ? key : key.slice(prefix.length + 1);
  }

  #object(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#location.bucket, Key: this.#key(key) };
  }

  #below(prefix: string): { readonly Bucket: string; readonly Prefix: string } {
    const { bucket, key } = this.#location;
    return { Bucket: bucket, Prefix: key === '' ? prefix : `${key}/${prefix}` };
  }

  async #send<Value>(
    verb: S3Call['verb'],
    key: string,
    send: (client: S3Client, options: { readonly abortSignal?: AbortSignal }) => Promise<Value>,
    options: SendOptions = {},
  ): Promise<Value> {
    const sent = options.always ? {} : { abortSignal: this.#signal };
    return await this.#converting(
      verb,
      key,
      () => this.#connection.send(client => send(client, sent)),
      options,
    );
  }

  async #converting<Value>(
    verb: S3Call['verb'],
    key: string,
    work: () => Promise<Value>,
    { always = false }: SendOptions = {},
  ): Promise<Value> {
    const signal = always ? undefined : this.#signal;
    try {
      signal?.throwIfAborted();
      return await work();
    } catch (error) {
      throw signal === undefined ? s3Error(error, this.#asked(verb, key)) : this.#error(error, verb, key);
    }
  }

  /** The signal's reason, or an error of gatectl. */
  #error(error: unknown, verb: S3Call['verb'], key: string): unknown {
    return this.#signal.aborted ? this.#signal.reason : s3Error(error, this.#asked(verb, key));
  }

  #asked(verb: S3Call['verb'], key: string): S3Call {
    return {
      verb,
      what: this.nameOf(key),
      bucket: this.#location.bucket,
      endpoint: this.endpoint,
      profile: this.#env.AWS_PROFILE || undefined,
    };
  }
}

/** Whether a proxy or a network's login page responded: a store sends an ETag. */
function isWebPage({ ContentType, ETag }: GetObjectCommandOutput): boolean {
  return ETag === undefined && ContentType?.startsWith('text/html') === true;
}

function bareEtag(etag: string | undefined): string {
  return etag?.replace(/^(?:W\/)?"(.*)"$/, '$1') ?? '';
}
