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
