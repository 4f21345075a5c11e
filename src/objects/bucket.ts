import { readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { rootCertificates } from 'node:tls';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { fileError } from '../files/file-error.ts';
import { type S3Call, s3Error, s3RegionOf, s3Status } from './s3-errors.ts';
import { checkedEndpoint, printS3Location, type S3Location } from './s3-location.ts';

/** Files up to this size take one request, larger ones a multipart upload with parts of at least this size. */
const PART_BYTES = 8 * 1024 * 1024;
const MOST_PARTS = 10_000;
/** Parts of one file in flight. */
const PARTS_IN_FLIGHT = 3;
/** Requests are tried this often, unless AWS_MAX_ATTEMPTS says otherwise. */
const MAX_ATTEMPTS = 6;
const CONNECT_MS = 10_000;
/** A connection that carries nothing for so long is given up. */
const IDLE_MS = 60_000;
const SOCKETS = 16;
/** Where neither URL, environment nor profile names a region: AWS then answers with that of the bucket, other stores ignore it. */
const ANY_REGION = 'us-east-1';

export interface BucketOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

interface SendOptions {
  /** Also after an interruption, whose signal stops other requests. */
  readonly always?: boolean;
}

/** An object in a listing. */
export interface ListedObject {
  /** Relative to the location. */
  readonly key: string;
  readonly bytes: number;
  readonly etag: string;
  readonly modified: Date;
}

/** An upload in parts that was not completed. */
export interface UnfinishedUpload {
  /** Relative to the location. */
  readonly key: string;
  readonly id: string;
  readonly begun: Date;
  /** The clock of the store when it was listed. */
  readonly now: Date | undefined;
}

/** A page of a listing, with the clock of the store when it was made. */
export interface ListedPage {
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
  #opened: Promise<S3Client> | undefined;
  #endpoint: string | undefined;
  #region: string | undefined;
  /** The store's clock in the latest response. */
  #date: Date | undefined;

  constructor(location: S3Location, { env, signal }: BucketOptions) {
    this.#location = location;
    this.#env = env;
    this.#signal = signal;
    this.name = printS3Location(location);
    this.#region = location.region ?? (env.AWS_REGION || env.AWS_DEFAULT_REGION || undefined);
    const endpoint = location.endpoint ?? (env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL || undefined);
    this.#endpoint = endpoint === undefined ? undefined : checkedEndpoint(endpoint);
  }

  /** The URL of a store that is not AWS; known after the first request. */
  get endpoint(): string | undefined {
    return this.#endpoint;
  }

  /** The region of the requests; known after the first request. */
  get region(): string | undefined {
    return this.#region;
  }

  /** The store's clock in its latest response; undefined if it sends none. */
  get date(): Date | undefined {
    return this.#date;
  }

  /** `s3://bucket/prefix/key` */
  nameOf(key: string): string {
    return printS3Location({ bucket: this.#location.bucket, key: this.#key(key) });
  }

  /** The text of an object; undefined if there is none. */
  async read(key: string): Promise<string | undefined> {
    const body = await this.#open(key);
    if (body === undefined) return undefined;
    return await this.#converting('read', key, async () => await body.transformToString());
  }

  /** The bytes of an object; undefined if there is none. */
  async *bytes(key: string): AsyncGenerator<Uint8Array> {
    const body = await this.#open(key);
    if (body === undefined) throw s3Error({ $metadata: { httpStatusCode: 404 } }, this.#asked('read', key));
    try {
      yield* body as unknown as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw this.#error(error, 'read', key);
    }
  }

  async #open(key: string) {
    return await this.#converting('read', key, async () => {
      try {
        const command = new GetObjectCommand(this.#object(key));
        return (await this.#inRegion(client => client.send(command, { abortSignal: this.#signal }))).Body;
      } catch (error) {
        if (s3Status(error) === 404 && (error as Error).name !== 'NoSuchBucket') return undefined;
        throw error;
      }
    });
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
      for (let attempt = 1; ; attempt++) {
        const etag = await this.#uploadParts(handle, path, key, size).catch(error => {
          // A lost response to the last request makes a repetition fail, although the object is complete.
          if ((error as { cause?: Error }).cause?.message.startsWith('NoSuchUpload') && attempt < 3)
            return undefined;
          throw error;
        });
        if (etag !== undefined) return { bytes: size, etag };
      }
    } finally {
      await handle.close();
    }
  }

  async #uploadParts(handle: FileHandle, path: string, key: string, size: number): Promise<string> {
    const object = this.#object(key);
    const { UploadId } = await this.#send('write', key, (client, options) =>
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
        const { ETag } = await this.#send('write', key, (client, options) =>
          client.send(new UploadPartCommand(part), options),
        );
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
      const { ETag } = await this.#send('write', key, (client, options) =>
        client.send(new CompleteMultipartUploadCommand(complete), options),
      );
      return bareEtag(ETag) || (await this.#etagOf(key));
    } catch (error) {
      if (UploadId !== undefined) await this.abortUpload(key, UploadId).catch(() => undefined);
      throw error;
    }
  }

  async #etagOf(key: string): Promise<string> {
    return bareEtag(
      (
        await this.#send('read', key, (client, options) =>
          client.send(new HeadObjectCommand(this.#object(key)), options),
        )
      ).ETag,
    );
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
        now: this.#date,
        objects: Contents.map(({ Key = '', Size = 0, ETag, LastModified = new Date(0) }) => ({
          key: this.#relative(Key),
          bytes: Size,
          etag: bareEtag(ETag),
          modified: LastModified,
        })),
      };
      token = IsTruncated ? NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  /** The names directly below a prefix that ends with a slash, or at the top; folders end with a slash. At most `most`. */
  async names(prefix: string, most = 1_000): Promise<readonly string[]> {
    const command = new ListObjectsV2Command({ ...this.#below(prefix), Delimiter: '/', MaxKeys: most });
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
      const page = await this.#inRegion(client => client.send(command, { abortSignal: this.#signal })).catch(
        error => {
          const status = s3Status(error);
          if (status === 501 || status === 405 || status === 403) return undefined;
          throw this.#error(error, 'list', prefix);
        },
      );
      if (page === undefined) return undefined;
      for (const { Key, UploadId, Initiated } of page.Uploads ?? [])
        if (Key !== undefined && UploadId !== undefined)
          found.push({
            key: this.#relative(Key),
            id: UploadId,
            begun: Initiated ?? new Date(0),
            now: this.#date,
          });
      markers = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : undefined;
    }
    return found;
  }

  /** Frees the parts of an upload that is not to be completed. */
  async abortUpload(key: string, id: string): Promise<void> {
    const command = new AbortMultipartUploadCommand({ ...this.#object(key), UploadId: id });
    // Also after an interruption, whose signal would stop this request, too.
    await this.#inRegion(client => client.send(command)).catch(error => {
      // It is gone already, or the store cannot remove parts.
      if (![404, 405, 501].includes(s3Status(error) ?? 0)) throw this.#error(error, 'delete', key);
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
    const client = await this.#opened?.catch(() => undefined);
    this.#opened = undefined;
    client?.destroy();
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
    { always = false }: SendOptions = {},
  ): Promise<Value> {
    const sent = always ? {} : { abortSignal: this.#signal };
    const signal = always ? undefined : this.#signal;
    return await this.#converting(verb, key, () => this.#inRegion(client => send(client, sent)), signal);
  }

  async #converting<Value>(
    verb: S3Call['verb'],
    key: string,
    work: () => Promise<Value>,
    signal: AbortSignal | undefined = this.#signal,
  ): Promise<Value> {
    try {
      signal?.throwIfAborted();
      return await work();
    } catch (error) {
      throw signal?.aborted ? signal.reason : s3Error(error, this.#asked(verb, key));
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
      endpoint: this.#endpoint,
      profile: this.#env.AWS_PROFILE || undefined,
    };
  }

  /** Sends a request; once more if the store names another region for the bucket. */
  async #inRegion<Value>(send: (client: S3Client) => Promise<Value>): Promise<Value> {
    this.#opened ??= this.#connect();
    const client = await this.#opened;
    try {
      return await send(client);
    } catch (error) {
      const region = s3RegionOf(error);
      if (region === undefined || region === this.#region) throw error;
      this.#region = region;
      this.#opened = this.#connect();
      client.destroy();
      return await send(await this.#opened);
    }
  }

  async #connect(): Promise<S3Client> {
    let client = this.#client();
    const region = await client.config.region().catch(() => undefined);
    if (region === undefined) {
      this.#region = ANY_REGION;
      client = this.#client();
    } else this.#region = region;
    const { config } = client;
    // A profile may name an endpoint, too.
    const ofProfile = this.#endpoint === undefined ? await config.serviceConfiguredEndpoint?.() : undefined;
    if (ofProfile !== undefined) this.#endpoint = checkedEndpoint(String(ofProfile));
    const isOther = this.#endpoint !== undefined;
    config.forcePathStyle = this.#location.pathStyle ?? isOther;
    if (isOther) {
      // Stores other than AWS may reject the checksums that the SDK adds. The signature covers the content anyway.
      if (!this.#env.AWS_REQUEST_CHECKSUM_CALCULATION)
        config.requestChecksumCalculation = async () => 'WHEN_REQUIRED';
      if (!this.#env.AWS_RESPONSE_CHECKSUM_VALIDATION)
        config.responseChecksumValidation = async () => 'WHEN_REQUIRED';
    }
    client.middlewareStack.add(
      next => async args => {
        const result = await next(args);
        const { date } = (result.response as { headers?: Record<string, string> }).headers ?? {};
        if (date !== undefined) this.#date = new Date(date);
        return result;
      },
      { step: 'deserialize', priority: 'low' },
    );
    return client;
  }

  #client(): S3Client {
    const ca = this.#certificates();
    const agent = { keepAlive: true, maxSockets: SOCKETS };
    return new S3Client({
      ...(this.#region !== undefined && { region: this.#region }),
      ...(this.#endpoint !== undefined && { endpoint: this.#endpoint }),
      ...this.#credentials(),
      ...(this.#env.AWS_MAX_ATTEMPTS ? {} : { maxAttempts: MAX_ATTEMPTS }),
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        socketTimeout: IDLE_MS,
        httpAgent: new HttpAgent(agent),
        httpsAgent: new HttpsAgent({ ...agent, ...(ca && { ca }) }),
        // Otherwise it writes warnings to the console.
        logger: QUIET,
      },
      logger: QUIET,
    });
  }

  /** Those of the environment, which the SDK would find itself in that of the process; all others are left to it. */
  #credentials(): Pick<S3ClientConfig, 'credentials'> {
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = this.#env;
    if (!accessKeyId || !secretAccessKey || this.#env.AWS_PROFILE) return {};
    const sessionToken = this.#env.AWS_SESSION_TOKEN || undefined;
    return { credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) } };
  }

  /** The certificate authorities of AWS_CA_BUNDLE, as other tools for S3 read it. Throws FileError. */
  #certificates(): string[] | undefined {
    const path = this.#env.AWS_CA_BUNDLE;
    if (!path) return undefined;
    try {
      return [...rootCertificates, readFileSync(path, 'utf8')];
    } catch (error) {
      throw fileError(path, error, 'read');
    }
  }
}

const QUIET = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

function bareEtag(etag: string | undefined): string {
  return etag?.replace(/^(?:W\/)?"(.*)"$/, '$1') ?? '';
}

async function readPart(handle: FileHandle, path: string, from: number, length: number): Promise<Uint8Array> {
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
