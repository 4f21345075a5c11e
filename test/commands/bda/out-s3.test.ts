import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BUCKET, type FakeS3, fakeS3, SECRET_KEY, s3Failure } from '../../support/fake-s3.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { type InProcess, run } from '../../support/run.ts';
import { analytics, BASE, brokenFrom, paging, queriesTo } from './analytics.ts';

const QUERY = [
  ...[
    'bda',
    'query',
    '--sandbox',
    '--data-set',
    'pageview',
    '-d',
    'country,page_url',
    '-m',
    'visits,revenue',
  ],
  ...['--from', '2026-02-01', '--to', '2026-02-28', '--domain', 'example.com'],
];
const NOW = Date.UTC(2026, 2, 14, 12);

interface Exports {
  readonly store: FakeS3;
  readonly folder: string;
  out(args: readonly string[], env?: Record<string, string>): Promise<InProcess>;
  /** Local files of exports that are not in the store. */
  left(): string[];
}

async function exporting(): Promise<Exports> {
  const store = await fakeS3();
  onTestFinished(() => store.close());
  const folder = temporaryFolder();
  const state = join(folder, 'state');
  return {
    store,
    folder,
    out: (args, env = {}) =>
      run([...QUERY, ...args], {
        now: NOW,
        cwd: folder,
        env: { TZ: 'UTC', XDG_STATE_HOME: state, AWS_MAX_ATTEMPTS: '1', ...store.env, ...env },
      }),
    left: () =>
      existsSync(state)
        ? readdirSync(state, { recursive: true, withFileTypes: true })
            .filter(entry => entry.isFile())
            .map(({ name }) => name)
        : [],
  };
}

test.each(['csv', 'csv.gz', 'tsv', 'ndjson', 'json', 'parquet'])(
  '--out s3://… writes the bytes of a local file: %s',
  async extension => {
    const { store, folder, out, left } = await exporting();
    const local = join(folder, `rows.${extension}`);
    expect((await out(['--out', local])).code).toBe(0);
    const { code, stdout, stderr } = await out(['--out', `s3://${BUCKET}/exports/rows.${extension}`]);
    const object = store.objects.get(`exports/rows.${extension}`)?.body;
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain(` rows in s3://${BUCKET}/exports/rows.${extension} (`);
    expect(object?.equals(readFileSync(local))).toBe(true);
    expect([...store.objects.keys()]).toEqual([`exports/rows.${extension}`]);
    expect(left()).toEqual([]);
  },
);

test('a workbook goes to a bucket, too, and replaces the object there', async () => {
  const { store, out } = await exporting();
  store.put('rows.xlsx', 'old');
  expect((await out(['--out', `s3://${BUCKET}/rows.xlsx`])).code).toBe(0);
  expect(store.objects.get('rows.xlsx')?.body.subarray(0, 2).toString()).toBe('PK');
});

test('--manifest is written next to the object, after it', async () => {
  const { store, out, left } = await exporting();
  expect((await out(['--manifest', '--out', `s3://${BUCKET}/a/rows.csv`])).code).toBe(0);
  expect(store.writes()).toEqual(['a/rows.csv', 'a/rows.csv.meta.json']);
  expect(JSON.parse(String(store.objects.get('a/rows.csv.meta.json')?.body))).toMatchObject({
    file: 'rows.csv',
  });
  expect(left()).toEqual([]);
});

test.each([
  ['as long as a file name', `${'x'.repeat(251)}.csv`],
  ['longer than a file name', `a/${'x'.repeat(1008)}.csv`],
  ['with characters that Windows has no files for', 'a\\b/c:d*e"f<g>h|i .csv'],
  ['that Windows has for a device', 'CON.csv'],
  ['that its parts would have', 'rows.part.json.csv'],
])('a key may be %s', async (_, key) => {
  const { store, folder, out, left } = await exporting();
  const local = join(folder, 'rows.csv');
  expect((await out(['--out', local])).code).toBe(0);
  expect(await out(['--manifest', '--out', `s3://${BUCKET}/${key}`])).toMatchObject({ code: 0 });
  expect([...store.objects.keys()]).toEqual([key, `${key}.meta.json`]);
  expect(store.objects.get(key)?.body.equals(readFileSync(local))).toBe(true);
  expect(JSON.parse(String(store.objects.get(`${key}.meta.json`)?.body)).file).toBe(key.replace(/^.*\//, ''));
  expect(left()).toEqual([]);
});

test('a key may be of 1,024 bytes, except with a manifest, whose key is longer', async () => {
  const { store, out } = await exporting();
  const key = `${'é'.repeat(510)}.csv`;
  expect((await out(['--out', `s3://${BUCKET}/${key}`])).code).toBe(0);
  expect([...store.objects.keys()]).toEqual([key]);
  store.requests.length = 0;
  expect(await out(['--manifest', '--out', `s3://${BUCKET}/${key}`])).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: the key of the manifest has 1034 bytes; at most 1024 are allowed
  choose a shorter key for --out, or omit --manifest
`,
  });
  expect(store.requests).toEqual([]);
});

test('an export that may not write the object fails before it requests rows', async () => {
  const { store, out, left } = await exporting();
  store.intercept = () => s3Failure(403, 'AccessDenied');
  expect(await out(['--out', `s3://${BUCKET}/rows.csv`])).toEqual({
    code: 4,
    stdout: '',
    stderr: `error: no permission to write s3://${BUCKET}/rows.csv
  allow s3:PutObject on arn:aws:s3:::${BUCKET}/*, or use other credentials
`,
  });
  expect(left()).toEqual([]);
});

test.each(['csv', 'csv.gz', 'parquet'])(
  'an upload that fails leaves the old object, and --resume uploads the rows without a query: %s',
  async extension => {
    const { store, folder, left } = await exporting();
    const rows = ['DE', 'AT', 'CH'].map((country, index) => `{"country":"${country}","visits":${index}}`);
    const { server, gatectl } = await analytics(paging(rows));
    const env = { ...store.env, XDG_STATE_HOME: join(folder, 'state'), AWS_MAX_ATTEMPTS: '1' };
    const name = `rows.${extension}`;
    const object = `s3://${BUCKET}/${name}`;
    const what = ['--dimension', 'country', '--metric', 'visits', '--all', '--page-size', '1', '--manifest'];
    const query = [...BASE, ...what];
    const local = join(folder, name);
    expect((await gatectl([...query, '--out', local], { env })).code).toBe(0);
    store.put(name, 'old');
    store.intercept = ({ method }) => (method === 'PUT' ? s3Failure(403, 'AccessDenied') : undefined);
    const failed = await gatectl([...query, '--out', object], { env });
    expect(failed.code).toBe(4);
    expect(failed.stderr).toContain(
      `rows.part, but not in ${object}; to upload without requesting them again, run: gatectl ${query.join(' ')} --out ${object}\n`,
    );
    expect(failed.stderr).not.toContain(SECRET_KEY);
    expect(String(store.objects.get(name)?.body)).toBe('old');
    expect(left().sort()).toEqual(['rows.part', 'rows.part.json']);
    store.intercept = () => undefined;
    const asked = queriesTo(server);
    const resumed = await gatectl([...query, '--out', object, '--resume'], { env });
    expect({ code: resumed.code, stderr: resumed.stderr.replace(/\d+ bytes/, 'N bytes') }).toEqual({
      code: 0,
      stderr: `note: all rows were received before\nnote: 3 rows in ${object} (N bytes)\n`,
    });
    expect(queriesTo(server)).toBe(asked);
    expect(store.objects.get(name)?.body.equals(readFileSync(local))).toBe(true);
    const described = (text: unknown) => {
      const { started_at, ended_at, ...rest } = JSON.parse(String(text));
      return rest;
    };
    expect(described(store.objects.get(`${name}.meta.json`)?.body)).toEqual(
      described(readFileSync(`${local}.meta.json`)),
    );
    expect(left()).toEqual([]);
  },
);

test('an upload of limited rows that fails leaves no file, because one request repeats it', async () => {
  const { store, out, left } = await exporting();
  store.intercept = ({ method }) => (method === 'PUT' ? s3Failure(403, 'AccessDenied') : undefined);
  const { code, stderr } = await out(['--limit', '3', '--out', `s3://${BUCKET}/rows.csv`]);
  expect(code).toBe(4);
  expect(stderr).not.toContain('rows.part');
  expect(left()).toEqual([]);
});

test('an interrupted export to a bucket is resumed, and --curl sends nothing to the store', async () => {
  const { store, folder, left } = await exporting();
  const rows = ['DE', 'AT', 'CH'].map((country, index) => `{"country":"${country}","visits":${index}}`);
  const { reply, repair } = brokenFrom(2, rows, { body: '{"rows":[{"country"' });
  const { server, gatectl } = await analytics(reply);
  const object = `s3://${BUCKET}/rows.parquet`;
  const query = [...BASE, '-d', 'country', '-m', 'visits', '--all', '--page-size', '1', '--retries', '0'];
  const env = { ...store.env, XDG_STATE_HOME: join(folder, 'state') };
  const cut = await gatectl([...query, '--out', object], { env });
  expect(cut.code).toBe(6);
  expect(cut.stderr).toContain('2 rows in 2 pages are kept in ');
  expect(store.objects.size).toBe(0);
  store.requests.length = 0;
  expect((await gatectl([...query, '--curl', '--out', object], { env })).code).toBe(0);
  expect(store.requests).toEqual([]);
  repair();
  const asked = queriesTo(server);
  const { code, stderr } = await gatectl([...query, '--resume', '--out', object], { env });
  expect({ code, stderr: stderr.replace(/\d+ bytes/, 'N bytes') }).toEqual({
    code: 0,
    stderr: `note: resuming at row 3\nnote: 3 rows in ${object} (N bytes)\n`,
  });
  expect(queriesTo(server) - asked).toBe(1);
  expect(left()).toEqual([]);
});

test.each([
  [`s3://${BUCKET}`, `s3://${BUCKET} names no object`, `type one: --out s3://${BUCKET}/daily.parquet`],
  [
    `s3://${BUCKET}/day/`,
    `s3://${BUCKET}/day names no object`,
    `type one: --out s3://${BUCKET}/day/daily.parquet`,
  ],
])('--out %s is rejected', async (url, message, hint) => {
  const { out } = await exporting();
  expect(await out(['--out', url])).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: ${message}\n  ${hint}\n`,
  });
});
