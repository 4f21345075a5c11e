import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Bucket } from '../../src/objects/bucket.ts';
import { parseS3Url } from '../../src/objects/s3-location.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startGatectl } from '../support/gatectl.ts';
import { type InProcessOptions, NOON, run } from '../support/run.ts';
import { countOf, type Figures, figuresOf, KEY, SYNC_FILE, sumOf, syncing, UNITS } from '../sync/source.ts';
import { CephServer, program } from './servers/ceph.ts';
import { KILLS, proxyTo, seeded } from './support.ts';

const BUCKET = 'warehouse';
const BY_DAY = SYNC_FILE.replace('pages:', 'pages:\n    partition: day').replace(
  'start: 2026-01-01',
  'start: 2026-01-01\n    end: 2026-02-09',
);

describe.skipIf(program.find() === undefined)("bda sync into Ceph's S3 gateway", () => {
  let server: CephServer;
  let client: S3Client;
  let prefixes = 0;

  beforeAll(async () => {
    server = await CephServer.create();
    client = new S3Client({
      endpoint: server.endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      credentials: { accessKeyId: server.account.key, secretAccessKey: server.account.secret },
    });
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  }, 120_000);
  afterAll(async () => {
    client?.destroy();
    await server?.remove();
  });

  const environment = (endpoint = server.endpoint): Record<string, string> => ({
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_ACCESS_KEY_ID: server.account.key,
    AWS_SECRET_ACCESS_KEY: server.account.secret,
    AWS_EC2_METADATA_DISABLED: 'true',
  });

  /** A sync of these figures to a new prefix. */
  async function syncTo(figures: Figures, { file = SYNC_FILE, endpoint = server.endpoint } = {}) {
    prefixes += 1;
    const prefix = `lake-${prefixes}`;
    const url = `s3://${BUCKET}/${prefix}`;
    const syncs = await syncing(figures, file.replace('destination: lake', `destination: ${url}`));
    const env = environment(endpoint);
    return {
      ...syncs,
      url,
      prefix,
      sync: (args: readonly string[], options: InProcessOptions = {}) =>
        syncs.sync(args, { ...options, env: { ...env, ...options.env } }),
      /** Starts the built program. */
      start: (...args: readonly string[]) =>
        startGatectl(['bda', 'sync', 'run', '--quiet', ...args], {
          cwd: syncs.folder,
          env: {
            ...env,
            HOME: syncs.folder,
            TMPDIR: syncs.folder,
            GATECTL_BASE_URL: syncs.server.baseUrl,
            GATECTL_API_KEY: KEY,
          },
        }),
    };
  }

  async function keysIn(prefix: string): Promise<string[]> {
    const keys: string[] = [];
    let token: string | undefined;
    do {
      const page = await client.send(
        new ListObjectsV2Command({ Bucket: BUCKET, Prefix: `${prefix}/`, ContinuationToken: token }),
      );
      keys.push(...(page.Contents ?? []).map(({ Key = '' }) => Key));
      token = page.NextContinuationToken;
    } while (token !== undefined);
    return keys;
  }

  async function uploadsIn(prefix: string): Promise<number> {
    const { Uploads } = await client.send(
      new ListMultipartUploadsCommand({ Bucket: BUCKET, Prefix: `${prefix}/` }),
    );
    return Uploads?.length ?? 0;
  }

  async function bytesOf(key: string): Promise<Uint8Array | undefined> {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: key }));
    return await Body?.transformToByteArray();
  }

  /** The data objects, by key, with a hash of their content; they are downloaded to `folder`. */
  async function download(prefix: string, folder = temporaryFolder()) {
    const files: Record<string, string> = {};
    for (const key of await keysIn(prefix)) {
      if (key.includes('/_gatectl/')) continue;
      const bytes = (await bytesOf(key)) ?? new Uint8Array();
      const path = join(folder, key.slice(prefix.length + 1));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, bytes);
      files[relative(folder, path)] = sha256(bytes);
    }
    return { files, folder };
  }

  test('has the files of a local lake, which DuckDB reads', { timeout: 120_000 }, async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 72);
    const { sync, prefix, url } = await syncTo(figures);
    expect(await sync(['run'])).toEqual({
      code: 0,
      stdout: `6 partitions written to ${url}
TABLE  PARTITIONS  ADDED  CHANGED  UNCHANGED  FAILED  ROWS  REQUESTS
pages           6      6        0          0       0   432         2
`,
      stderr: '',
    });
    const { files, folder } = await download(prefix);
    expect(files).toEqual(await localLake(figures));
    expect(await totalsIn(folder)).toEqual([
      String(countOf(figures)),
      String(sumOf(figures, 'visits') / UNITS),
      String(sumOf(figures, 'revenue')),
    ]);
    expect(await sync(['verify'])).toMatchObject({ code: 0 });
    const again = JSON.parse((await sync(['run', '-o', 'json'])).stdout);
    expect(again.tables[0]).toMatchObject({ partitions: 2, unchanged: 2 });
  });

  test('finds the one file of 1,200 that is missing', { timeout: 240_000 }, async () => {
    const figures = figuresOf([7, 8, 9], '2025-01-01', 400, () => 1);
    const file = SYNC_FILE.replace('pages:', 'pages:\n    partition: day').replace(
      'start: 2026-01-01',
      'start: 2025-01-01\n    end: 2026-02-04',
    );
    const { sync, prefix } = await syncTo(figures, { file });
    expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
    expect((await keysIn(`${prefix}/pages`)).length).toBe(1_200);
    expect((await sync(['plan', '--json'])).stdout).toBe('[]\n');
    const Key = `${prefix}/pages/domain_id=8/day=2025-11-11/data.parquet`;
    await client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key }));
    expect((await sync(['plan', '--jq', '.[] | [.from, .reasons]'])).stdout).toBe(
      '["2025-11-11","1 damaged"]\n',
    );
    expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0 });
    expect((await keysIn(`${prefix}/pages`)).length).toBe(1_200);
  });

  test('a reader never sees half a file', { timeout: 120_000 }, async () => {
    const figures = figuresOf([7], '2026-01-01', 31, () => 300);
    const { sync, prefix } = await syncTo(figures);
    const key = `${prefix}/pages/domain_id=7/month=2026-01/data.parquet`;
    const valid = new Set(Object.values(await localLake(figures)));
    await sync(['run', '--quiet']);
    const seen = new Set<string>();
    let isDone = false;
    const polling = (async () => {
      while (!isDone) seen.add(sha256((await bytesOf(key)) ?? new Uint8Array()));
    })();
    for (const visits of ['1', '22', '333']) {
      for (const rows of figures.get(7)?.values() ?? [])
        for (const row of rows) Object.assign(row, { visits });
      valid.add(Object.values(await localLake(figures))[0] ?? '');
      expect(await sync(['run', '--quiet', '--refetch', '2026-01'])).toMatchObject({ code: 0 });
    }
    isDone = true;
    await polling;
    expect([...seen].filter(hash => !valid.has(hash))).toEqual([]);
    expect(seen.size).toBeGreaterThan(1);
  });

  test('a run that is killed at any moment is continued by the next', { timeout: 240_000 }, async () => {
    const figures = figuresOf([7, 8, 9], '2026-01-01', 40, () => 20);
    const { sync, prefix, start } = await syncTo(figures, { file: BY_DAY });
    const random = seeded();
    for (let kill = 0; kill < Math.ceil(KILLS / 4); kill++) {
      const child = start();
      await sleep(500 + 1_500 * random.next().value);
      child.kill('SIGKILL');
      await child;
    }
    // On the same machine, so that the lock of the last one is taken over at once.
    const { exitCode, stderr } = await start();
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect((await download(prefix)).files).toEqual(await localLake(figures, BY_DAY));
    expect(await sync(['verify', '--quiet'])).toMatchObject({ code: 0 });
    expect((await keysIn(prefix)).filter(key => key.includes('.lock/'))).toEqual([]);
  });

  test('a server that is killed during a run loses nothing', { timeout: 240_000 }, async () => {
    const figures = figuresOf([7, 8, 9], '2026-01-01', 40, () => 20);
    const { sync, prefix } = await syncTo(figures, { file: BY_DAY });
    const random = seeded(11);
    for (let kill = 0; kill < Math.ceil(KILLS / 12); kill++) {
      const running = sync(['run', '--quiet'], { env: { AWS_MAX_ATTEMPTS: '2' } });
      await sleep(100 + 900 * random.next().value);
      await server.kill();
      const { code, stderr } = await running;
      if (code !== 0) {
        expect(stderr).toMatch(
          /^error: the object store at http:\/\/127\.0\.0\.1:\d+ (cannot be reached|failed)/,
        );
        expect(code).toBe(6);
      }
      await server.start();
    }
    expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0 });
    expect((await download(prefix)).files).toEqual(await localLake(figures, BY_DAY));
    expect(await sync(['verify', '--quiet'])).toMatchObject({ code: 0 });
  });

  test('an upload that is killed half-way shows nothing, and the next run removes its parts', {
    timeout: 240_000,
  }, async () => {
    const proxy = await proxyTo(server.port);
    onTestFinished(() => proxy.close());
    const figures = figuresOf([7], '2026-01-01', 31, () => 2_000);
    for (const rows of figures.get(7)?.values() ?? [])
      for (const row of rows)
        Object.assign(row, { page: JSON.stringify(randomBytes(240).toString('base64')) });
    const file = SYNC_FILE.replace('start: 2026-01-01', 'start: 2026-01-01\n    end: 2026-01-31');
    const endpoint = `http://127.0.0.1:${proxy.port}`;
    const { sync, start, prefix } = await syncTo(figures, { file, endpoint });
    expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0 });
    const key = `${prefix}/pages/domain_id=7/month=2026-01/data.parquet`;
    const read = async () => sha256((await bytesOf(key)) ?? new Uint8Array());
    const before = await read();
    for (const rows of figures.get(7)?.values() ?? [])
      for (const row of rows) Object.assign(row, { visits: '1' });
    for (const megabytes of [2, 10]) {
      const child = start('--refetch', '2026-01');
      proxy.after(megabytes * 2 ** 20, () => child.kill('SIGKILL'));
      expect((await child).signal).toBe('SIGKILL');
      expect(await read()).toBe(before);
      expect(await uploadsIn(prefix)).toBe(1);
    }
    const { exitCode, stderr } = await start('--refetch', '2026-01');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect((await download(prefix)).files).toEqual(await localLake(figures, file));
    expect(await uploadsIn(prefix)).toBe(0);
  });

  test('connections that are cut are no loss', { timeout: 120_000 }, async () => {
    const proxy = await proxyTo(server.port);
    onTestFinished(() => proxy.close());
    const figures = figuresOf([7, 8], '2026-01-01', 40, () => 100);
    const { sync, prefix } = await syncTo(figures, { endpoint: `http://127.0.0.1:${proxy.port}` });
    for (const bytes of [1_000, 9_000, 30_000]) {
      proxy.cutAfter(bytes);
      // The SDK repeats what was cut.
      expect(await sync(['run', '--quiet', '--refetch', '2026'])).toMatchObject({ code: 0, stderr: '' });
    }
    expect((await download(prefix)).files).toEqual(await localLake(figures));
  });

  test('two runs at once take turns', { timeout: 120_000 }, async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 72, () => 50);
    const { sync, start, prefix } = await syncTo(figures);
    const results = await Promise.all([start(), start(), start()]);
    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    expect((await download(prefix)).files).toEqual(await localLake(figures));
    expect(JSON.parse((await sync(['history', '--json'])).stdout)).toHaveLength(3);
  });

  test('a large file goes up in parts and comes down the same', { timeout: 120_000 }, async () => {
    const bytes = randomBytes(21 * 1024 * 1024);
    const path = join(temporaryFolder(), 'large');
    writeFileSync(path, bytes);
    const bucket = new Bucket(parseS3Url(`s3://${BUCKET}/parts`), {
      env: environment(),
      signal: new AbortController().signal,
    });
    onTestFinished(() => bucket.close());
    const { etag, bytes: size } = await bucket.upload(path, 'large.bin');
    const pages = [];
    for await (const { objects } of bucket.list('')) pages.push(...objects);
    expect(pages).toMatchObject([{ key: 'large.bin', bytes: size, etag }]);
    expect(sha256((await bytesOf('parts/large.bin')) ?? new Uint8Array())).toBe(sha256(bytes));
  });

  test('--out s3://… writes the bytes of a local file', { timeout: 120_000 }, async () => {
    const folder = temporaryFolder();
    const query = [
      ...['bda', 'query', '--sandbox', '--domain', 'example.com', '--data-set', 'pageview', '-d', 'country'],
      ...['-m', 'visits,revenue', '--from', '2026-02-01', '--to', '2026-02-28', '--quiet'],
    ];
    const options = { cwd: folder, now: NOON, env: { TZ: 'UTC', XDG_STATE_HOME: folder, ...environment() } };
    for (const extension of ['csv', 'parquet', 'xlsx']) {
      const local = join(folder, `rows.${extension}`);
      const object = `s3://${BUCKET}/out/rows.${extension}`;
      expect(await run([...query, '--out', local], options)).toMatchObject({ code: 0 });
      expect(await run([...query, '--out', object], options)).toMatchObject({ code: 0, stderr: '' });
      if (extension === 'xlsx') continue;
      expect(sha256((await bytesOf(`out/rows.${extension}`)) ?? new Uint8Array())).toBe(
        sha256(readFileSync(local)),
      );
    }
  });

  test('doctor checks the store without a change', async () => {
    const { folder, url, prefix } = await syncTo(new Map());
    const attempt = async ({ key, secret } = server.account) => {
      const env = { ...environment(), AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: secret };
      const { code, stdout } = await run(['doctor', '--sandbox', '--json'], {
        cwd: folder,
        env,
        now: Date.now(),
      });
      const all = JSON.parse(stdout) as { area: string; check: string; state: string; found: string }[];
      return { code, sync: all.filter(({ area }) => area === 'sync') };
    };
    const good = await attempt();
    expect(good.sync.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(good.sync.map(({ found }) => found)).toContain('objects can be listed, read and written');
    expect([await keysIn(prefix), await uploadsIn(prefix)]).toEqual([[], 0]);
    const bad = await attempt(server.stranger);
    expect(bad.code).toBe(4);
    expect(bad.sync.find(({ check }) => check === 'destination')).toMatchObject({
      state: 'wrong',
      found: `no permission to read ${url}/_gatectl/lake.json`,
    });
  });

  test('frees the parts that a killed run left', async () => {
    const { sync, prefix } = await syncTo(figuresOf([7], '2026-03-01', 10));
    const object = { Bucket: BUCKET, Key: `${prefix}/pages/domain_id=7/month=2026-03/data.parquet` };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(object));
    await client.send(new UploadPartCommand({ ...object, UploadId, PartNumber: 1, Body: 'part' }));
    expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0 });
    expect(await uploadsIn(prefix)).toBe(0);
  });

  test('a wrong key, a wrong secret, a missing bucket and a missing right are one error each', async () => {
    const { account, stranger } = server;
    const attempt = async (env: Record<string, string>, bucket = BUCKET) => {
      const { sync } = await syncing(
        figuresOf([7], '2026-03-01', 3),
        SYNC_FILE.replace('destination: lake', `destination: s3://${bucket}/errors`),
      );
      const { code, stderr } = await sync(['run', '--verbose'], { env: { ...environment(), ...env } });
      for (const secret of [account.secret, stranger.secret, 'wrong-secret', 'Signature='])
        expect(stderr).not.toContain(secret);
      return { code, error: stderr.match(/^error: .*$/m)?.[0].replaceAll(server.endpoint, 'STORE') };
    };
    expect(await attempt({ AWS_ACCESS_KEY_ID: 'AKIANOBODY000001' })).toEqual({
      code: 4,
      error: `error: s3://${BUCKET}/errors/_gatectl/lake.json: the store does not know the access key`,
    });
    expect(await attempt({ AWS_SECRET_ACCESS_KEY: 'wrong-secret' })).toEqual({
      code: 4,
      error: `error: s3://${BUCKET}/errors/_gatectl/lake.json: the store rejects the secret key`,
    });
    expect(
      await attempt({ AWS_ACCESS_KEY_ID: stranger.key, AWS_SECRET_ACCESS_KEY: stranger.secret }),
    ).toEqual({
      code: 4,
      error: `error: no permission to read s3://${BUCKET}/errors/_gatectl/lake.json`,
    });
    expect(await attempt({}, 'no-such-bucket')).toEqual({
      code: 2,
      error: 'error: there is no bucket no-such-bucket at STORE',
    });
  });
});

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The data files of a local lake with the same figures. */
async function localLake(figures: Figures, file = SYNC_FILE): Promise<Record<string, string>> {
  const { sync, lake } = await syncing(figures, file);
  expect((await sync(['run', '--quiet'])).code).toBe(0);
  const files = readdirSync(lake, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !path.includes('_gatectl'));
  return Object.fromEntries(files.sort().map(path => [relative(lake, path), sha256(readFileSync(path))]));
}

/** Rows, visits, and revenue in its smallest unit, of all files below a folder. */
async function totalsIn(folder: string): Promise<(string | null)[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const files = `read_parquet('${folder}/pages/**/*.parquet', hive_partitioning = true)`;
    const read = await connection.runAndReadAll(
      `SELECT count(*)::VARCHAR, sum(visits)::VARCHAR, (sum(revenue) * 1000000000)::DECIMAL(38,0)::VARCHAR FROM ${files}`,
    );
    return read.getRowsJson()[0] as (string | null)[];
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
