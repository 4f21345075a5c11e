import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Bucket } from '../../src/objects/bucket.ts';
import { parseS3Url } from '../../src/objects/s3-location.ts';
import { BUCKET, type FakeS3, fakeS3, s3Failure } from '../support/fake-s3.ts';
import { temporaryFolder } from '../support/folder.ts';

async function opened(env: Record<string, string> = {}) {
  const store = await fakeS3();
  const controller = new AbortController();
  const bucket = new Bucket(parseS3Url(`s3://${BUCKET}/a`), {
    env: { ...store.env, AWS_MAX_ATTEMPTS: '2', ...env },
    signal: controller.signal,
  });
  onTestFinished(async () => {
    await bucket.close();
    await store.close();
  });
  return { store, bucket, controller };
}

function fileOf(megabytes: number): { readonly path: string; readonly bytes: Buffer } {
  const bytes = randomBytes(megabytes * 1024 * 1024);
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, bytes);
  return { path, bytes };
}

const partsIn = ({ requests }: FakeS3) => requests.filter(({ query }) => query.has('partNumber'));

test('a large file is uploaded in parts, and appears when all of them are there', async () => {
  const { store, bucket } = await opened();
  const { path, bytes } = fileOf(20);
  let isEarly = false;
  store.intercept = () => {
    isEarly ||= store.objects.has('a/big');
    return undefined;
  };
  const { bytes: size, etag } = await bucket.upload(path, 'big');
  expect(partsIn(store)).toHaveLength(3);
  expect(isEarly).toBe(false);
  expect(store.objects.get('a/big')?.body.equals(bytes)).toBe(true);
  expect({ size, etag }).toEqual({ size: bytes.length, etag: store.objects.get('a/big')?.etag });
  expect(store.uploads.size).toBe(0);
});

test('a part that fails is sent again; if it keeps failing, the parts are removed and the old object remains', async () => {
  const { store, bucket } = await opened();
  const { path, bytes } = fileOf(20);
  let failures = 1;
  store.intercept = ({ query }) =>
    query.get('partNumber') === '2' && failures-- > 0 ? s3Failure(500, 'InternalError') : undefined;
  await bucket.upload(path, 'big');
  expect(store.objects.get('a/big')?.body.equals(bytes)).toBe(true);
  store.put('a/big', 'old');
  failures = 10;
  await expect(bucket.upload(path, 'big')).rejects.toMatchObject({ code: 'destination_unreachable' });
  expect(String(store.objects.get('a/big')?.body)).toBe('old');
  expect(store.uploads.size).toBe(0);
});

test('an upload whose last response was lost is repeated', async () => {
  const { store, bucket } = await opened();
  const { path, bytes } = fileOf(9);
  let isFirst = true;
  store.intercept = ({ method, query }) => {
    if (method !== 'POST' || !query.has('uploadId') || !isFirst) return undefined;
    isFirst = false;
    store.uploads.delete(query.get('uploadId') ?? '');
    return 'cut';
  };
  await bucket.upload(path, 'big');
  expect(store.objects.get('a/big')?.body.equals(bytes)).toBe(true);
  expect(store.uploads.size).toBe(0);
});

test('an interrupt stops an upload and removes its parts', async () => {
  const { store, bucket, controller } = await opened();
  const { path } = fileOf(20);
  store.intercept = ({ query }) => {
    if (query.get('partNumber') === '2') controller.abort(new Error('interrupted'));
    return undefined;
  };
  await expect(bucket.upload(path, 'big')).rejects.toThrow('interrupted');
  expect([store.objects.size, store.uploads.size]).toEqual([0, 0]);
});

test('what must also be done after an interrupt is done: a write, and the removal of a lock', async () => {
  const { store, bucket, controller } = await opened();
  store.put('a/lock', 'held');
  controller.abort(new Error('interrupted'));
  await expect(bucket.write('late', 'x')).rejects.toThrow('interrupted');
  await bucket.write('ledger', 'x', { always: true });
  await bucket.remove('lock', { always: true });
  expect([...store.objects.keys()]).toEqual(['a/ledger']);
});

test('requests that were sent at once find the region of the bucket, all of them', async () => {
  const { store, bucket } = await opened();
  for (const name of ['1', '2', '3']) store.put(`a/${name}`, name);
  let waiting = 0;
  let release = () => {};
  const all = new Promise<void>(resolve => {
    release = resolve;
  });
  store.intercept = async ({ headers }) => {
    if (headers.authorization?.includes('/eu-west-3/')) return undefined;
    waiting += 1;
    if (waiting === 3) release();
    await all;
    return s3Failure(400, 'AuthorizationHeaderMalformed', '<Region>eu-west-3</Region>');
  };
  expect(await Promise.all(['1', '2', '3'].map(name => bucket.read(name)))).toEqual(['1', '2', '3']);
  expect(bucket.region).toBe('eu-west-3');
});

test('a listing has more than a page of objects, in order', async () => {
  const { store, bucket } = await opened();
  const names = Array.from({ length: 2_345 }, (_, index) => `p/${String(index).padStart(5, '0')}`);
  for (const name of names) store.put(`a/${name}`, name);
  store.put('b/p/1', 'other');
  const found: string[] = [];
  let pages = 0;
  for await (const { objects } of bucket.list('p/')) {
    pages += 1;
    found.push(...objects.map(({ key }) => key));
  }
  expect(found).toEqual(names);
  expect(pages).toBe(3);
});

test('neither a store nor the SDK prints a secret', async () => {
  const { store, bucket } = await opened({ AWS_SESSION_TOKEN: 'session-token-0001' });
  store.intercept = ({ headers }) =>
    s3Failure(400, 'InvalidRequest', `<Echo>${JSON.stringify(headers)}</Echo>`);
  const error = await bucket.read('x').catch(error => error);
  const shown = `${error.stack} ${JSON.stringify(error)} ${error.cause?.stack} ${JSON.stringify(error.cause)}`;
  expect(shown).toContain('InvalidRequest');
  expect(shown).not.toMatch(/session-token|Signature=|secret-key|x-amz-security-token/);
});

test('a store that cannot remove the parts of an upload is used all the same', async () => {
  const { store, bucket } = await opened();
  store.intercept = ({ method, query }) =>
    method === 'DELETE' && query.has('uploadId') ? s3Failure(405, 'MethodNotAllowed') : undefined;
  await bucket.assertWritable('x');
  expect(store.objects.size).toBe(0);
});

test('the rest of an object is requested when the connection is lost within it', async () => {
  const { store, bucket } = await opened();
  const text = 'é'.repeat(50_000);
  store.put('a/x', text);
  const etag = `"${store.objects.get('a/x')?.etag}"`;
  let cuts = 2;
  store.intercept = ({ method, headers: { range = 'bytes=0-' } }) => {
    if (method !== 'GET' || cuts-- === 0) return undefined;
    const from = Number(/\d+/.exec(range));
    const body = Buffer.from(text).subarray(from);
    const headers = {
      etag,
      'content-range': `bytes ${from}-99999/100000`,
      'content-length': `${body.length}`,
    };
    return { status: from === 0 ? 200 : 206, body, headers, cutAfter: 20_001 };
  };
  expect(await bucket.read('x')).toBe(text);
  expect(store.requests.map(({ headers: { range } }) => range)).toEqual([
    undefined,
    'bytes=20001-',
    'bytes=40002-',
  ]);
});

test.each([
  ['each time', 'of-x', '0-9'],
  ['while another process replaces the object', 'of-another', ''],
])('a connection that is lost %s is an error', async (_, etag, range) => {
  const { store, bucket } = await opened();
  store.put('a/x', '0123456789');
  const headers = { etag: `"${etag}"`, 'content-length': '10', 'content-range': `bytes ${range}/10` };
  store.intercept = request =>
    request.headers.range === undefined || range !== ''
      ? { status: 200, body: '0123456789', headers, cutAfter: 4 }
      : undefined;
  await expect(bucket.read('x')).rejects.toMatchObject({
    code: 'destination_unreachable',
    message: expect.stringContaining('the connection was lost'),
  });
});

test('a listing that ends early without a token is an error, not the end', async () => {
  const { store, bucket } = await opened();
  for (const key of ['a/1', 'a/2', 'a/3']) store.put(key, 'x');
  store.intercept = () => ({
    status: 200,
    body: '<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>a/1</Key></Contents></ListBucketResult>',
  });
  const keys: string[] = [];
  const listed = (async () => {
    for await (const { objects } of bucket.list('')) keys.push(...objects.map(({ key }) => key));
  })();
  await expect(listed).rejects.toMatchObject({ code: 'destination_unusable' });
});

test('unfinished uploads of a store without markers are listed once', async () => {
  const { store, bucket } = await opened();
  store.intercept = () => ({
    status: 200,
    body: '<ListMultipartUploadsResult><IsTruncated>true</IsTruncated><Upload><Key>a/1</Key><UploadId>1</UploadId></Upload></ListMultipartUploadsResult>',
  });
  expect(await bucket.unfinishedUploads('')).toMatchObject([{ key: '1', id: '1' }]);
  expect(store.requests).toHaveLength(1);
});

test('a web page is not an object', async () => {
  const { store, bucket } = await opened();
  store.intercept = () => ({ status: 200, body: '<html>', headers: { 'content-type': 'text/html' } });
  await expect(bucket.read('x')).rejects.toMatchObject({
    message: `a web page was received for s3://${BUCKET}/a/x`,
  });
});

test('an object that was accepted and then does not exist is an error that says so', async () => {
  const { store, bucket } = await opened();
  store.intercept = ({ method }) => (method === 'PUT' ? { status: 204 } : undefined);
  await expect(bucket.write('x', 'text')).rejects.toMatchObject({
    message: `the object store at ${store.endpoint} accepted s3://${BUCKET}/a/x, but did not store it`,
  });
});

test('a right to abort uploads that is missing has its own name', async () => {
  const { store, bucket } = await opened();
  store.intercept = ({ method }) => (method === 'DELETE' ? s3Failure(403, 'AccessDenied') : undefined);
  await expect(bucket.assertWritable('x')).rejects.toMatchObject({
    message: `no permission to abort an upload of s3://${BUCKET}/a/x`,
    hints: [expect.stringContaining('s3:AbortMultipartUpload')],
  });
});

test('a connection that is lost within a request is not called slow', async () => {
  const { store, bucket } = await opened();
  store.intercept = () => 'cut';
  await expect(bucket.write('x', 'text')).rejects.toMatchObject({
    message: expect.stringContaining('the connection was lost'),
    hints: ['try again later; complete rows are kept'],
  });
});
