import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { answering } from './server-failures.ts';

export interface S3Request {
  readonly method: string;
  /** Percent-decoded, without the bucket; '' for the bucket itself. */
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

export interface S3Reply {
  readonly status: number;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes of the body after which the connection is lost. */
  readonly cutAfter?: number;
}

export interface StoredObject {
  readonly body: Buffer;
  readonly etag: string;
  readonly modified: Date;
}

/** An S3 store in memory, with one bucket, `news-data`. */
export interface FakeS3 {
  readonly endpoint: string;
  /** What a process needs in its environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly objects: Map<string, StoredObject>;
  readonly uploads: Map<string, { readonly key: string; readonly parts: Map<number, Buffer> }>;
  readonly requests: S3Request[];
  /** Replaces the reply to a request; undefined leaves it. */
  intercept: (request: S3Request) => S3Reply | 'cut' | undefined | Promise<S3Reply | 'cut' | undefined>;
  /** The store's clock. */
  now: () => number;
  /** Objects in a page of a listing. */
  pageSize: number;
  put(key: string, body: string | Buffer): void;
  /** `PUT key`, in order. */
  writes(): string[];
  close(): Promise<void>;
}

export const BUCKET = 'news-data';
export const ACCESS_KEY = 'AKIAEXAMPLE0001';
export const SECRET_KEY = 'secret-key-of-the-store-0001';

/** An error as S3 reports it. */
export function s3Failure(status: number, code: string, extra = ''): S3Reply {
  return {
    status,
    body: `<Error><Code>${code}</Code><Message>${code} of ${SECRET_KEY}</Message>${extra}</Error>`,
  };
}

export async function fakeS3(): Promise<FakeS3> {
  const server = createServer((request, response) => {
    answering(
      async () => {
        const reply = await respond(request);
        if (reply === 'cut') {
          request.socket.destroy();
          return;
        }
        const { status, body = '', headers = {}, cutAfter } = reply;
        response.sendDate = false;
        response.writeHead(status, { date: new Date(fake.now()).toUTCString(), ...headers });
        if (cutAfter !== undefined) response.write(body.slice(0, cutAfter), () => request.socket.destroy());
        else response.end(request.method === 'HEAD' ? undefined : body);
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fake: FakeS3 = {
    endpoint,
    env: {
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_ACCESS_KEY_ID: ACCESS_KEY,
      AWS_SECRET_ACCESS_KEY: SECRET_KEY,
      AWS_REGION: 'eu-central-1',
    },
    objects: new Map(),
    uploads: new Map(),
    requests: [],
    intercept: () => undefined,
    now: Date.now,
    pageSize: 1_000,
    put(key, text) {
      const body = Buffer.from(text);
      fake.objects.set(key, { body, etag: md5(body), modified: new Date(fake.now()) });
    },
    writes: () => fake.requests.filter(({ method }) => method === 'PUT').map(({ key }) => key),
    async close() {
      server.closeAllConnections();
      await new Promise<void>(resolve => server.close(() => resolve()));
    },
  };
  return fake;

  async function respond(message: IncomingMessage): Promise<S3Reply | 'cut'> {
    const url = new URL(message.url ?? '/', endpoint);
    const [, bucket = '', ...rest] = url.pathname.split('/');
    const key = decodeURIComponent(rest.join('/'));
    const { method = '', headers } = message;
    const request = { method, key, query: url.searchParams, headers };
    const body = await buffer(message);
    fake.requests.push(request);
    const replaced = await fake.intercept(request);
    if (replaced !== undefined) return replaced;
    if (!headers.authorization?.includes(`Credential=${ACCESS_KEY}/`))
      return s3Failure(403, 'InvalidAccessKeyId');
    if (bucket !== BUCKET) return s3Failure(404, 'NoSuchBucket');
    return key === '' ? ofBucket(request) : ofObject(request, body);
  }

  function ofBucket({ query }: S3Request): S3Reply {
    if (query.has('uploads')) {
      const found = [...fake.uploads].filter(([, { key }]) => key.startsWith(query.get('prefix') ?? ''));
      const uploads = found.map(
        ([id, { key }]) =>
          `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>2026-03-01T00:00:00Z</Initiated></Upload>`,
      );
      return xml(`<ListMultipartUploadsResult>${uploads.join('')}</ListMultipartUploadsResult>`);
    }
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? '';
    const most = Math.min(fake.pageSize, Number(query.get('max-keys') ?? 1_000));
    const keys = [...fake.objects.keys()].filter(key => key.startsWith(prefix) && key > after).sort();
    const folders = new Set<string>();
    const files = keys.filter(key => {
      const slash = query.has('delimiter') ? key.indexOf('/', prefix.length) : -1;
      if (slash >= 0) folders.add(key.slice(0, slash + 1));
      return slash < 0;
    });
    const page = files.slice(0, most);
    const contents = page.map(key => {
      const { body, etag, modified } = fake.objects.get(key) as StoredObject;
      return `<Contents><Key>${key}</Key><Size>${body.length}</Size><ETag>&quot;${etag}&quot;</ETag><LastModified>${modified.toISOString()}</LastModified></Contents>`;
    });
    const next = files.length > most ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    return xml(
      `<ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${next}${contents.join('')}${[...folders].map(folder => `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`).join('')}</ListBucketResult>`,
    );
  }

  function ofObject({ method, key, query, headers: given }: S3Request, body: Buffer): S3Reply {
    const { range } = given;
    const upload = fake.uploads.get(query.get('uploadId') ?? '');
    if (query.has('uploads')) {
      const id = randomUUID();
      fake.uploads.set(id, { key, parts: new Map() });
      return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
    }
    if (query.has('uploadId')) {
      if (upload === undefined) return s3Failure(404, 'NoSuchUpload');
      if (method === 'PUT') {
        upload.parts.set(Number(query.get('partNumber')), body);
        return { status: 200, headers: { etag: `"${md5(body)}"` } };
      }
      fake.uploads.delete(query.get('uploadId') ?? '');
      if (method === 'DELETE') return { status: 204 };
      const parts = [...upload.parts].sort(([one], [other]) => one - other).map(([, part]) => part);
      const etag = `${md5(Buffer.concat(parts))}-${parts.length}`;
      fake.objects.set(key, { body: Buffer.concat(parts), etag, modified: new Date(fake.now()) });
      return xml(
        `<CompleteMultipartUploadResult><ETag>&quot;${etag}&quot;</ETag></CompleteMultipartUploadResult>`,
      );
    }
    if (method === 'PUT') {
      fake.put(key, body);
      return { status: 200, headers: { etag: `"${md5(body)}"` } };
    }
    if (method === 'DELETE') {
      fake.objects.delete(key);
      return { status: 204 };
    }
    const found = fake.objects.get(key);
    if (found === undefined) return s3Failure(404, 'NoSuchKey');
    const headers = { etag: `"${found.etag}"`, 'last-modified': found.modified.toUTCString() };
    const [, from] = /^bytes=(\d+)-$/.exec(range ?? '') ?? [];
    if (from === undefined) return { status: 200, body: found.body, headers };
    if (given['if-match'] !== headers.etag) return s3Failure(412, 'PreconditionFailed');
    const { length } = found.body;
    return {
      status: 206,
      body: found.body.subarray(Number(from)),
      headers: { ...headers, 'content-range': `bytes ${from}-${length - 1}/${length}` },
    };
  }
}

function xml(body: string): S3Reply {
  return { status: 200, body: `<?xml version="1.0" encoding="UTF-8"?>${body}` };
}

function md5(body: Buffer): string {
  return createHash('md5').update(body).digest('hex');
}
