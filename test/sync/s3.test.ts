import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ACCESS_KEY, BUCKET, type FakeS3, fakeS3, SECRET_KEY, s3Failure } from '../support/fake-s3.ts';
import { type InProcessOptions, NOON, run } from '../support/run.ts';
import { type Figures, figuresOf, SYNC_FILE, syncing } from './source.ts';

const LAKE = `s3://${BUCKET}/lake`;

/** A gateway, a store, and a sync from one to the other. */
async function toStore(figures: Figures, destination = LAKE) {
  const store = await fakeS3();
  onTestFinished(() => store.close());
  const { sync, ...rest } = await syncing(figures, SYNC_FILE.replace('lake', destination));
  return {
    ...rest,
    store,
    sync: (args: readonly string[], options: InProcessOptions = {}) =>
      sync(args, { ...options, env: { ...store.env, ...options.env } }),
  };
}

/** The data objects of a lake, by key, with a hash of their content. */
function dataIn({ objects }: FakeS3): Record<string, string> {
  const found = [...objects].filter(([key]) => !key.includes('_gatectl'));
  return Object.fromEntries(
    found.sort().map(([key, { body }]) => [key.replace(/^lake\//, ''), sha256(body)]),
  );
}

function sha256(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex');
}

/** The data files of a local lake with the same figures. */
async function localLake(figures: Figures): Promise<Record<string, string>> {
  const { sync, lake } = await syncing(figures);
  expect((await sync(['run'])).code).toBe(0);
  const files = readdirSync(lake, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !path.includes('_gatectl'));
  return Object.fromEntries(files.sort().map(path => [relative(lake, path), sha256(readFileSync(path))]));
}

const REASONS = '[.[].reasons]';
const listings = ({ requests }: FakeS3) =>
  requests.filter(({ key, query }) => key === '' && query.get('prefix') === 'lake/pages/');

describe('bda sync run into a bucket', () => {
  test('writes the same files as into a folder, under the same names, each in one request', async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 72);
    const { sync, store } = await toStore(figures);
    expect(await sync(['run'])).toEqual({
      code: 0,
      stdout: `6 partitions written to ${LAKE}
TABLE  PARTITIONS  ADDED  CHANGED  UNCHANGED  FAILED  ROWS  REQUESTS
pages           6      6        0          0       0   432         2
`,
      stderr: '',
    });
    expect(dataIn(store)).toEqual(await localLake(figures));
    expect(store.writes().filter(key => key.endsWith('.parquet'))).toHaveLength(6);
    expect([...store.objects.keys()].filter(key => key.includes('_gatectl')).sort()).toEqual([
      'lake/_gatectl/lake.json',
      'lake/_gatectl/ledger/pages/7.ndjson',
      'lake/_gatectl/ledger/pages/8.ndjson',
      'lake/_gatectl/runs.ndjson',
      'lake/_gatectl/tables/pages.json',
    ]);
  });

  test('keeps rows aside that only a double could hold, until they are replaced', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { sync, store } = await toStore(figures);
    await sync(['run']);
    const before = dataIn(store);
    const day = figures.get(7)?.get('2026-03-05') ?? [];
    figures.get(7)?.set(
      '2026-03-05',
      day.map(row => ({ ...row, revenue: '1e308' })),
    );
    expect((await sync(['run', '--quiet'])).code).toBe(7);
    expect(dataIn(store)).toEqual(before);
    const kept = () => [...store.objects.keys()].filter(key => key.includes('quarantine')).sort();
    const folder = 'lake/_gatectl/quarantine/pages/domain_id=7/2026-03';
    expect(kept()).toEqual([`${folder}/record.json`, `${folder}/rows.json`]);
    expect(JSON.parse(String(store.objects.get(`${folder}/rows.json`)?.body))).toHaveLength(39);
    const [{ quarantined }] = JSON.parse((await sync(['status', '-o', 'json'])).stdout);
    expect(quarantined).toMatchObject([{ path: `s3://${BUCKET}/${folder}/rows.json` }]);
    figures.get(7)?.set('2026-03-05', day);
    expect((await sync(['run', '--quiet'])).code).toBe(0);
    expect(kept()).toEqual([]);
  });

  test('with a damaged ledger, says what to type, which repairs it', async () => {
    const { sync, store } = await toStore(figuresOf([7, 8], '2026-01-01', 72));
    await sync(['run']);
    const data = dataIn(store);
    const key = 'lake/_gatectl/ledger/pages/7.ndjson';
    const found = store.objects.get(key);
    if (found === undefined) throw new Error('there is no ledger');
    store.objects.set(key, { ...found, body: Buffer.concat([Buffer.from('{\n'), found.body]) });
    expect(await sync(['run'])).toMatchObject({
      code: 9,
      stderr: `error: s3://news-data/${key}:1 is damaged
  remove it: aws s3 rm s3://news-data/${key}; the next run requests all days of this site again
`,
    });
    store.objects.delete(key);
    expect((await sync(['run'])).code).toBe(0);
    expect(dataIn(store)).toEqual(data);
    expect((await sync(['verify'])).code).toBe(0);
  });

  test.each([
    ['lake.json', 'write it again: echo \'{"format":1}\' | aws s3 cp - LAKE/_gatectl/lake.json'],
    [
      'tables/pages.json',
      'remove it and the ledger of its table: aws s3 rm LAKE/_gatectl/tables/pages.json && aws s3 rm --recursive LAKE/_gatectl/ledger/pages/; the next run requests all days of the table again',
    ],
  ])('with a damaged %s, says what to type, which repairs it', async (name, hint) => {
    const { sync, store } = await toStore(figuresOf([7, 8], '2026-01-01', 72));
    await sync(['run']);
    const data = dataIn(store);
    const key = `lake/_gatectl/${name}`;
    const found = store.objects.get(key);
    if (found === undefined) throw new Error(`there is no ${name}`);
    store.objects.set(key, { ...found, body: found.body.subarray(0, 5) });
    expect(await sync(['run'])).toMatchObject({
      code: 9,
      stderr: `error: ${LAKE}/_gatectl/${name} is damaged\n  ${hint.replaceAll('LAKE', LAKE)}\n`,
    });
    if (name === 'lake.json') store.objects.set(key, { ...found, body: Buffer.from('{"format":1}\n') });
    else
      for (const each of [...store.objects.keys()])
        if (each === key || each.startsWith('lake/_gatectl/ledger/pages/')) store.objects.delete(each);
    expect((await sync(['run'])).code).toBe(0);
    expect(dataIn(store)).toEqual(data);
    expect((await sync(['verify'])).code).toBe(0);
  });

  test('writes a ledger only after the partitions it names', async () => {
    const { sync, store } = await toStore(figuresOf([7, 8], '2026-01-01', 72));
    const early: string[] = [];
    store.intercept = ({ method, key }) => {
      const [, site] = /ledger\/pages\/(\d+)/.exec(key) ?? [];
      if (method === 'PUT' && site !== undefined)
        for (const month of ['2026-01', '2026-02', '2026-03'])
          if (!store.objects.has(`lake/pages/domain_id=${site}/month=${month}/data.parquet`)) early.push(key);
      return undefined;
    };
    expect((await sync(['run'])).code).toBe(0);
    expect(early).toEqual([]);
  });

  test('checks all files of a table with one listing, and requests no object by itself', async () => {
    const { sync, store } = await toStore(figuresOf([7, 8, 9], '2026-01-01', 72));
    await sync(['run']);
    store.requests.length = 0;
    expect((await sync(['plan', '--json'])).stdout).not.toContain('damaged');
    expect(listings(store)).toHaveLength(1);
    expect(store.requests.filter(({ key }) => key.endsWith('.parquet'))).toEqual([]);
    store.pageSize = 4;
    store.requests.length = 0;
    expect((await sync(['plan', '--json'])).stdout).not.toContain('damaged');
    expect(listings(store)).toHaveLength(3);
  });

  test.each([
    ['is deleted', (store: FakeS3, key: string) => store.objects.delete(key)],
    [
      'has other content of the same size',
      (store: FakeS3, key: string) =>
        store.put(key, Buffer.alloc(store.objects.get(key)?.body.length ?? 0, 'x')),
    ],
  ])('writes an object again that %s', async (_, damage) => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { sync, store } = await toStore(figures);
    await sync(['run']);
    const before = dataIn(store);
    damage(store, 'lake/pages/domain_id=7/month=2026-01/data.parquet');
    expect((await sync(['plan', '--jq', REASONS])).stdout).toBe('["1 damaged","1 provisional"]\n');
    expect((await sync(['run'])).code).toBe(0);
    expect(dataIn(store)).toEqual(before);
    expect((await sync(['verify'])).code).toBe(0);
  });

  test('verify names an object that was changed, and one that is missing', async () => {
    const { sync, store } = await toStore(figuresOf([7], '2026-01-01', 72));
    await sync(['run']);
    store.put('lake/pages/domain_id=7/month=2026-01/data.parquet', 'other');
    store.objects.delete('lake/pages/domain_id=7/month=2026-02/data.parquet');
    const { code, stdout } = await sync(['verify', '--jq', '[.mismatches[].problem]']);
    expect({ code, stdout }).toEqual({ code: 7, stdout: '["its file was changed","its file is missing"]\n' });
  });

  test('verify names objects that are not in the ledger', async () => {
    const { sync, store } = await toStore(figuresOf([7], '2026-01-01', 72));
    await sync(['run']);
    for (const key of ['domain_id=7/month=2025-12/data.parquet', 'domain_id=70/month=2026-01/a b.parquet'])
      store.put(`lake/pages/${key}`, 'other');
    const { code, stdout } = await sync(['verify', '--jq', '[.mismatches[] | [.domain, .removal]]']);
    expect(code).toBe(7);
    expect(JSON.parse(stdout)).toEqual([
      ['site-7.example.com', 'aws s3 rm s3://news-data/lake/pages/domain_id=7/month=2025-12/data.parquet'],
      ['site 70', "aws s3 rm 's3://news-data/lake/pages/domain_id=70/month=2026-01/a b.parquet'"],
    ]);
  });

  test('removes the object of a partition whose rows have disappeared', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { sync, store } = await toStore(figures);
    await sync(['run']);
    for (const day of [...(figures.get(7)?.keys() ?? [])])
      if (day.startsWith('2026-02')) figures.get(7)?.delete(day);
    expect((await sync(['run', '--refetch', '2026-02'])).code).toBe(0);
    expect(dataIn(store)).toEqual(await localLake(figures));
    expect((await sync(['verify'])).code).toBe(0);
  });

  test('continues after a run that ended between an object and its ledger', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { sync, store } = await toStore(figures);
    await sync(['run']);
    for (const day of figures.get(7)?.values() ?? [])
      day.push({ page: '"/late"', visits: '5', revenue: '1.5' });
    store.intercept = ({ method, key }) =>
      method === 'PUT' && key.includes('/ledger/') ? s3Failure(403, 'AccessDenied') : undefined;
    expect((await sync(['run', '--refetch', '2026-01'])).code).toBe(4);
    store.intercept = () => undefined;
    expect((await sync(['plan', '--jq', REASONS])).stdout).toBe('["1 damaged","1 damaged"]\n');
    expect((await sync(['run', '--refetch', '2026'])).code).toBe(0);
    expect(dataIn(store)).toEqual(await localLake(figures));
  });

  test('frees the parts of uploads that a killed run left, and no others', async () => {
    const { sync, store } = await toStore(figuresOf([7], '2026-01-01', 72));
    store.uploads.set('left', { key: 'lake/pages/domain_id=7/month=2026-01/data.parquet', parts: new Map() });
    store.uploads.set('other', { key: 'lake/notes/big.bin', parts: new Map() });
    expect((await sync(['run'])).code).toBe(0);
    expect([...store.uploads.keys()]).toEqual(['other']);
  });

  test('rejects a prefix that contains other objects', async () => {
    const { sync, store } = await toStore(figuresOf([7], '2026-01-01', 72));
    store.put('lake/notes/readme.txt', 'hello');
    expect(await sync(['run'])).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: ${LAKE} contains notes, which no sync wrote
  choose an empty prefix: s3://BUCKET/PREFIX
`,
    });
  });

  test('leaves no local files', async () => {
    const { sync } = await toStore(figuresOf([7], '2026-01-01', 72));
    const { tmpdir } = await import('node:os');
    const staging = () => readdirSync(tmpdir()).filter(name => name.startsWith('gatectl-sync-'));
    const before = staging();
    await sync(['run']);
    expect(staging()).toEqual(before);
  });
});

describe('what goes wrong at the store', () => {
  const failing = async (
    reply: (store: FakeS3) => FakeS3['intercept'],
    options: { destination?: string; env?: Record<string, string> } = {},
  ) => {
    const { sync, store } = await toStore(figuresOf([7], '2026-03-01', 10), options.destination);
    store.intercept = reply(store);
    const { code, stderr } = await sync(['run'], { env: { AWS_MAX_ATTEMPTS: '1', ...options.env } });
    expect(stderr).not.toContain(SECRET_KEY);
    expect(stderr).not.toContain('Signature=');
    return { code, stderr: stderr.replaceAll(store.endpoint, 'STORE') };
  };

  test.each([
    [
      'an unknown access key',
      s3Failure(403, 'InvalidAccessKeyId'),
      4,
      `error: s3://news-data/lake/_gatectl/lake.json: the store does not know the access key
  check AWS_ACCESS_KEY_ID, or the profile in AWS_PROFILE
`,
    ],
    [
      'a wrong secret key',
      s3Failure(403, 'SignatureDoesNotMatch'),
      4,
      `error: s3://news-data/lake/_gatectl/lake.json: the store rejects the secret key
  check AWS_SECRET_ACCESS_KEY, or the profile in AWS_PROFILE
`,
    ],
    [
      'an expired session',
      s3Failure(400, 'ExpiredToken'),
      4,
      `error: s3://news-data/lake/_gatectl/lake.json: the session token has expired
  log in again: aws sso login, or set a new AWS_SESSION_TOKEN
`,
    ],
    [
      'a missing right',
      s3Failure(403, 'AccessDenied'),
      4,
      `error: no permission to read s3://news-data/lake/_gatectl/lake.json
  allow s3:GetObject on arn:aws:s3:::news-data/* and s3:ListBucket on arn:aws:s3:::news-data, or use other credentials
`,
    ],
    [
      'a missing bucket',
      s3Failure(404, 'NoSuchBucket'),
      2,
      `error: there is no bucket news-data at STORE
  create it: aws s3 mb s3://news-data --endpoint-url STORE
`,
    ],
    [
      'a bucket in another region, which the store does not name',
      s3Failure(301, 'PermanentRedirect'),
      2,
      `error: the bucket news-data is in another region
  set AWS_REGION=REGION, or add ?region=REGION to the URL
`,
    ],
    [
      'a store that remains overloaded',
      s3Failure(503, 'SlowDown'),
      6,
      `error: the object store at STORE remained unavailable (503): s3://news-data/lake/_gatectl/lake.json
  try again later; complete rows are kept
`,
    ],
    [
      'a server that is no object store',
      { status: 200, body: '<html>hello</html>', headers: { 'content-type': 'text/html' } },
      6,
      `error: a web page was received for s3://news-data/lake/_gatectl/lake.json
  check the endpoint, and whether the network requires a login
`,
    ],
  ] as const)('%s is one line, and what to type', async (_, reply, code, stderr) => {
    const found = await failing(() => () => reply);
    expect(found).toEqual({ code, stderr });
  });

  test('a store that cannot be reached is named', async () => {
    const { sync, store } = await toStore(figuresOf([7], '2026-03-01', 10));
    await store.close();
    const { code, stderr } = await sync(['run'], { env: { AWS_MAX_ATTEMPTS: '1' } });
    expect({ code, stderr: stderr.replace(store.endpoint, 'STORE') }).toEqual({
      code: 6,
      stderr: `error: the object store at STORE cannot be reached: the connection was refused
  check the endpoint: ?endpoint= in the URL, or AWS_ENDPOINT_URL_S3
`,
    });
  });

  test('a store that is overloaded for a moment, or loses connections, gets the requests again', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { sync, store } = await toStore(figures);
    let count = 0;
    store.intercept = () => {
      count += 1;
      return count % 16 === 1 ? s3Failure(503, 'SlowDown') : count % 5 === 3 ? 'cut' : undefined;
    };
    expect((await sync(['run'])).code).toBe(0);
    expect(dataIn(store)).toEqual(await localLake(figures));
  });

  test('the region that a store names is used', async () => {
    const { sync, store } = await toStore(figuresOf([7], '2026-03-01', 10));
    store.intercept = ({ headers }) =>
      headers.authorization?.includes('/eu-west-3/')
        ? undefined
        : s3Failure(400, 'AuthorizationHeaderMalformed', '<Region>eu-west-3</Region>');
    expect((await sync(['run'])).code).toBe(0);
  });

  test('parameters of the URL come before the environment', async () => {
    const { sync, store } = await toStore(
      figuresOf([7], '2026-03-01', 10),
      `"${LAKE}?region=eu-west-3&path_style=true"`,
    );
    expect((await sync(['run'])).code).toBe(0);
    expect(store.requests[0]?.headers.authorization).toContain(`Credential=${ACCESS_KEY}/`);
    expect(store.requests[0]?.headers.authorization).toContain('/eu-west-3/s3/');
  });

  test.each([
    ['s3://', 'the s3:// URL names no bucket', 'type s3://BUCKET/PREFIX'],
    ['s3://no', '"no" is not the name of a bucket', 'type s3://BUCKET/PREFIX'],
    [
      `s3://${ACCESS_KEY}@bucket/lake`,
      'the s3:// URL contains credentials',
      'omit them: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
    ],
    [
      's3://bucket/lake?secret_key=abc',
      'an s3:// URL has no parameter "secret_key"',
      'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
    ],
    [
      's3://bucket/lake?style=path',
      'an s3:// URL has no parameter "style"',
      'parameters: region, endpoint, path_style',
    ],
    ['s3://bucket/a//b', 's3://bucket/a//b contains an empty name', 'type s3://BUCKET/PREFIX'],
    ['s3://bucket/a/../b', 's3://bucket/a/../b contains the name ..', 'type s3://BUCKET/PREFIX'],
    ['s3:/bucket/lake', 'the URL does not start with s3://', 'type s3://BUCKET/PREFIX'],
    ['s3://bucket/a\\nb', 'the s3:// URL contains a control character', 'type s3://BUCKET/PREFIX'],
    [
      `s3://bucket/${'é'.repeat(513)}`,
      'the key of the s3:// URL has 1026 bytes; at most 1024 are allowed',
      'choose a shorter one',
    ],
    [
      's3://bucket/lake?endpoint=',
      'the parameter endpoint of the s3:// URL is empty',
      'give it a value, or omit it',
    ],
    ['s3://bucket/lake?region=eu west', 'invalid region "eu west"', 'type one such as region=eu-central-1'],
  ])('the URL %s is rejected', async (url, message, hint) => {
    const { sync } = await toStore(figuresOf([7], '2026-03-01', 10), `"${url}"`);
    expect(await sync(['run'])).toEqual({ code: 2, stdout: '', stderr: `error: ${message}\n  ${hint}\n` });
  });

  test.each(['a b/c', 'für Ünïcode/日本', 'a%20b', 'a+b&c=d', 'a#b', "it's", '$x`y`', '*'])(
    'a prefix may be %s',
    async prefix => {
      const { sync, store } = await toStore(
        figuresOf([7], '2026-03-01', 10),
        JSON.stringify(`s3://${BUCKET}/${prefix}`),
      );
      expect((await sync(['run', '--quiet'])).code).toBe(0);
      expect([...store.objects.keys()].filter(key => !key.startsWith(`${prefix}/`))).toEqual([]);
      expect((await sync(['verify', '--quiet'])).code).toBe(0);
    },
  );

  test('a profile that does not exist is named', async () => {
    const env = { AWS_PROFILE: 'nobody', AWS_CONFIG_FILE: '/nowhere', AWS_EC2_METADATA_DISABLED: 'true' };
    expect(await failing(() => () => undefined, { env })).toEqual({
      code: 4,
      stderr: `error: ${LAKE}/_gatectl/lake.json: the AWS profile nobody does not exist, or has no credentials
  check AWS_PROFILE: aws configure list-profiles
`,
    });
  });
});

describe('gatectl doctor on a bucket', () => {
  const doctor = async (change: (store: FakeS3) => void = () => {}) => {
    const { folder, store } = await toStore(figuresOf([7], '2026-03-01', 10));
    store.now = () => NOON;
    change(store);
    const env = { ...store.env, AWS_MAX_ATTEMPTS: '1' };
    const { code, stdout } = await run(['doctor', '--sandbox', '--json'], { cwd: folder, now: NOON, env });
    const findings = (JSON.parse(stdout) as { area: string; [name: string]: string }[])
      .filter(({ area, check }) => area === 'sync' && check !== 'file')
      .map(({ check, state, found, advice }) => ({ check, state, found, ...(advice && { advice }) }));
    return { code, store, findings };
  };

  test('reports the store, its clock, the rights, uploads, objects and space, and leaves no object', async () => {
    const { code, findings, store } = await doctor(({ put }) =>
      put('lake/_gatectl/lake.json', '{"format":1}\n'),
    );
    expect(code).toBe(0);
    expect(findings.map(({ check, state }) => [check, state])).toEqual(
      ['destination', 'store', 'encryption', 'clock', 'rights', 'uploads', 'objects', 'space'].map(check => [
        check,
        'ok',
      ]),
    );
    expect(findings.slice(1, 7).map(({ found }) => found)).toEqual([
      store.endpoint,
      'none, on this machine',
      'that of this machine and of the store agree',
      'objects can be listed, read and written',
      'none is unfinished',
      '1, 13 B',
    ]);
    expect([...store.objects.keys()]).toEqual(['lake/_gatectl/lake.json']);
    expect([...store.uploads]).toEqual([]);
  });

  test('says what to do about a wrong clock, a missing right, and parts that cannot be removed', async () => {
    const { code, findings } = await doctor(store => {
      store.now = () => NOON - 600_000;
      store.intercept = ({ method, query }) =>
        query.has('uploads') && method !== 'HEAD' ? s3Failure(403, 'AccessDenied') : undefined;
    });
    expect(code).toBe(4);
    expect(findings.filter(({ state }) => state !== 'ok')).toEqual([
      {
        check: 'clock',
        state: 'warning',
        found: '600 seconds ahead of that of the store',
        advice: 'set the clock of this machine: timedatectl set-ntp true',
      },
      {
        check: 'rights',
        state: 'wrong',
        found: `no permission to write ${LAKE}/_gatectl/rights`,
        advice: `allow s3:PutObject on arn:aws:s3:::${BUCKET}/*, or use other credentials`,
      },
      {
        check: 'uploads',
        state: 'warning',
        found: 'unfinished uploads cannot be listed, so those of killed runs remain',
        advice:
          'allow s3:ListBucketMultipartUploads, or add a lifecycle rule (AbortIncompleteMultipartUpload)',
      },
    ]);
  });
});
