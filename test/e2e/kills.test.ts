import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readParquet } from '../support/duckdb.ts';
import { emptyHome, gatectl, startGatectl } from '../support/gatectl.ts';
import { someTime, until } from '../support/wait.ts';
import { type Received, type Reply, type WireServer, wireServer } from '../support/wire-server.ts';

let home: Awaited<ReturnType<typeof emptyHome>>;
let server: WireServer;
let env: Record<string, string>;
/** What the server has. */
let rows: readonly string[];
/** What happens with each request before it is answered, the number of those before it in hand. */
let onRequest: (index: number) => void | Promise<void>;
/** Milliseconds before each answer. */
let delay: number;
/** Whether the server has saved reports. */
let isAccount: boolean;

const ROWS = Array.from({ length: 40 }, (_, i) => `{"id":${i},"text":"row ${i}"}`);
const WHOLE = `id,text\n${ROWS.map((_, i) => `${i},row ${i}\n`).join('')}`;
const URLS = Array.from({ length: 1500 }, (_, i) => `https://example.com/${i}`);

const REPORTS = 40;
const COLUMN = (name: string, Type: string) => ({ Data: name, Type });
const ACCOUNT = {
  columns: {
    columns: [
      { name: 'country', type: 'string' },
      { name: 'visits', type: 'number' },
    ],
  },
  getcustomreports: Array.from({ length: REPORTS }, (_, id) => ({
    CustomReportId: id + 1,
    ReportTitle: `Report ${id + 1}`,
    Charts: [
      { DimensionColumns: [COLUMN('country', 'string')], MetricColumns: [COLUMN('visits', 'number')] },
    ],
  })),
  getsegments: [],
  query: { rows: [{ country: 'DE', visits: 3 }], total_rows: 1 },
};

/** Saved reports, of which v1 has another row for one. */
function answerAccount({ target, body }: Received): Reply {
  const name = /([\w-]+)\/?(\?|$)/.exec(target)?.[1] ?? '';
  if (name !== 'getdata') return { body: JSON.stringify(ACCOUNT[name as keyof typeof ACCOUNT] ?? {}) };
  const more = /customReportId=17\b/.test(target) ? [{ country: 'AT', visits: 1 }] : [];
  return {
    body: JSON.stringify([...ACCOUNT.query.rows, ...more].slice(JSON.parse(body || '{}').StartItem ?? 0)),
  };
}

function answer(request: Received): Reply {
  const { target, body } = request;
  if (isAccount) return answerAccount(request);
  if (target.includes('/cdnservices/')) return { body: '{"Success":true,"Error":""}' };
  const { limit = 100, offset = 0 } = JSON.parse(body || '{}') as { limit?: number; offset?: number };
  return { body: `{"rows":[${rows.slice(offset, offset + limit).join(',')}],"total_rows":${rows.length}}` };
}

beforeEach(async () => {
  home = await emptyHome();
  onRequest = () => {};
  rows = ROWS;
  delay = 0;
  isAccount = false;
  server = await wireServer(async (request, index) => {
    await onRequest(index);
    await someTime(delay);
    return answer(request);
  });
  env = { ...home.env, GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: 'some-key' };
});
afterEach(async () => {
  await server.close();
  await home.remove();
});

const file = (name: string) => join(home.home, name);
const exportTo = (name: string, ...flags: string[]) => [
  ...[
    'bda',
    'query',
    '--data-set',
    'pageview',
    '-d',
    'id,text',
    '--from',
    '2026-02-01',
    '--to',
    '2026-02-28',
  ],
  ...['--all', '--page-size', '2', '--out', file(name), ...flags],
];
const cleared = () => server.received.flatMap(({ body }) => JSON.parse(body).urls as string[]);

/** Starts a command and kills it so many milliseconds after its n-th request from now; without them, while it waits for the answer. */
async function killed(
  args: readonly string[],
  request: number,
  later: number | undefined,
  signals: readonly NodeJS.Signals[],
) {
  const running = startGatectl(args, { env });
  const first = server.received.length;
  onRequest = index => {
    if (index !== first + request) return;
    const kill = () => {
      for (const signal of signals) running.kill(signal);
    };
    if (later !== undefined) return void someTime(later).then(kill);
    kill();
    return running.then(() => {});
  };
  const ended = await running;
  onRequest = () => {};
  return ended;
}

/** From here on requests are answered once the function that comes back is called. */
function holdAnswers(): () => void {
  let release = () => {};
  const released = new Promise<void>(resolve => {
    release = resolve;
  });
  onRequest = () => released;
  return release;
}

async function arrived(requests: number): Promise<void> {
  await until(() => server.received.length >= requests);
}

// Moments of real processes; the simulator tries them all.
const MOMENTS = [
  { request: 2, later: 3, signals: ['SIGKILL'] },
  { request: 5, later: 1, signals: ['SIGTERM'] },
  { request: 7, later: 2, signals: ['SIGINT', 'SIGINT'] },
] as const;

describe('a process that is killed', () => {
  test('of an export, three times, leaves what the next run resumes: the file is complete', async () => {
    delay = 5;
    for (const [index, { request, later, signals }] of MOMENTS.entries()) {
      // The same command resumes, whether or not that is said.
      const flags = index % 2 === 1 && existsSync(file('rows.csv.part.json')) ? ['--resume'] : [];
      const ended = await killed(exportTo('rows.csv', ...flags), request, later, signals);
      expect(ended.exitCode).not.toBe(1);
      expect(ended.stderr).not.toContain('gatectl itself failed');
    }
    delay = 0;
    const last = await gatectl(exportTo('rows.csv'), { env });
    expect(last.exitCode, last.stderr).toBe(0);
    expect(readFileSync(file('rows.csv'), 'utf8')).toBe(WHOLE);
    expect(readdirSync(home.home).filter(name => name.startsWith('rows.csv'))).toEqual(['rows.csv']);
  });

  test('of a verified account, three times: the result is that of one run, and nothing is verified twice', async () => {
    isAccount = true;
    const migrate = (folder: string) => [
      ...['bda', 'migrate-query', '--account', '--verify', '--last', '7d'],
      ...['--out-dir', folder, '-o', 'json', '--quiet'],
    ];
    const whole = await gatectl(migrate(file('whole')), { env });
    expect(whole.exitCode, whole.stderr).toBe(7);
    const requests = server.received.length;
    const verified = () =>
      server.received.slice(requests).filter(({ target }) => target.includes('/getdata/'));
    for (const { request, later, signals } of MOMENTS)
      await killed(migrate(file('killed')), 5 + 6 * request, later, signals);
    const before = verified().length;
    expect(before).toBeGreaterThan(REPORTS / 2);
    const last = await gatectl(migrate(file('killed')), { env });
    expect(last.exitCode).toBe(7);
    expect(last.stdout).toBe(whole.stdout.replaceAll(file('whole'), file('killed')));
    // A process that is killed while it writes a file leaves one with another name.
    const reports = readdirSync(file('killed')).filter(name => !/^\..*\.tmp$/.test(name));
    expect(reports.sort()).toEqual(readdirSync(file('whole')).sort());
    const ofReports = verified().map(({ target, body }) => `${target} ${body}`);
    const once = new Set(ofReports);
    // At most the report in hand is verified again each time.
    expect(ofReports.length - once.size).toBeLessThanOrEqual(2 * MOMENTS.length);
  });

  test('of a purge, three times: all requested URLs are purged, and no others', async () => {
    const list = file('urls.txt');
    writeFileSync(list, URLS.join('\n'));
    delay = 5;
    for (const [index, { request, later, signals }] of MOMENTS.entries()) {
      const source = index === 0 ? ['--file', list] : ['--resume'];
      await killed(['cdn', 'purge', ...source, '--concurrency', '1'], Math.min(request, 2), later, signals);
    }
    delay = 0;
    const last = await gatectl(['cdn', 'purge', '--resume'], { env });
    expect([0, 2], last.stderr).toContain(last.exitCode);
    expect(new Set(cleared())).toEqual(new Set(URLS));
    // At most the batch in flight is cleared again each time.
    expect(cleared().length).toBeLessThanOrEqual(URLS.length + MOMENTS.length * 100);
    expect((await gatectl(['cdn', 'purge', '--resume'], { env })).exitCode).toBe(2);
  });
});

describe('an export to Parquet whose rows are converted while others are fetched', () => {
  const MANY = Array.from({ length: 4 * 70_000 }, (_, i) => `{"id":${i},"text":"row ${i % 977}"}`);
  const args = (name: string) => [
    ...exportTo(name).map(word => (word === '2' ? '70000' : word)),
    ...['--concurrency', '1'],
  ];
  const made = () => readdirSync(home.home).filter(name => name.includes('rows.parquet'));
  // A file that was listed may have another name by now.
  const sizeOf = (name: string) => statSync(file(name), { throwIfNoEntry: false })?.size ?? 0;
  const temporary = () => made().filter(name => name.endsWith('.tmp') && sizeOf(name) > 0);
  beforeEach(() => {
    rows = MANY;
  });

  test('is killed and then interrupted, and the next run makes the same file', async () => {
    // A killed process may leave no cached columns, which are then requested again.
    const pages = () => server.received.filter(({ method }) => method === 'POST').length;
    for (const signal of ['SIGKILL', 'SIGINT'] as const) {
      const first = pages();
      const running = startGatectl(args('rows.parquet'), { env });
      onRequest = async () => {
        if (pages() < first + 2) return;
        // With one processor, nothing is converted yet.
        await until(() => availableParallelism() === 1 || temporary().length > 0);
        running.kill(signal);
        await running;
      };
      await running;
    }
    expect(made().sort()).toEqual(['rows.parquet.part', 'rows.parquet.part.json']);
    onRequest = () => {};
    const before = pages();
    const resumed = await gatectl(args('rows.parquet'), { env });
    expect(resumed.exitCode, resumed.stderr).toBe(0);
    expect(pages() - before).toBeLessThan(4);
    expect(made()).toEqual(['rows.parquet']);
    const whole = await gatectl(args('whole.parquet'), { env });
    expect(whole.exitCode, whole.stderr).toBe(0);
    expect(readFileSync(file('rows.parquet')).equals(readFileSync(file('whole.parquet')))).toBe(true);
    expect(await readParquet(file('rows.parquet'))).toEqual({
      types: { id: 'BIGINT', text: 'VARCHAR' },
      rows: MANY.map((_, i) => ({ id: String(i), text: `row ${i % 977}` })),
    });
  });
});

describe('two processes at once', () => {
  test('with one target for an export: one writes the file, the other names the process that does', async () => {
    const release = holdAnswers();
    const first = gatectl(exportTo('rows.csv'), { env });
    // A slow server gets the pages ahead together with the first.
    await arrived(4);
    const second = await gatectl(exportTo('rows.csv'), { env });
    expect(second.exitCode).toBe(2);
    expect(second.stderr).toMatch(/rows\.csv is locked by pid \d+ on \S+ since 2/);
    expect(server.received.length).toBe(4);
    release();
    expect((await first).exitCode).toBe(0);
    expect(readFileSync(file('rows.csv'), 'utf8')).toBe(WHOLE);
  });

  test('that resume purges take one each, and none is run twice', async () => {
    const list = file('urls.txt');
    for (const from of [0, 600]) {
      writeFileSync(list, URLS.slice(from, from + 600).join('\n'));
      await killed(['cdn', 'purge', '--file', list, '--concurrency', '1'], 1, undefined, ['SIGKILL']);
    }
    expect(server.received.length).toBe(4);
    const release = holdAnswers();
    const resume = ['cdn', 'purge', '--resume', '--concurrency', '1'];
    const first = gatectl(resume, { env });
    await arrived(5);
    const second = gatectl(resume, { env });
    await arrived(6);
    const third = await gatectl(resume, { env });
    expect(third.exitCode, third.stderr).toBe(2);
    release();
    expect([(await first).exitCode, (await second).exitCode]).toEqual([0, 0]);
    expect(new Set(cleared())).toEqual(new Set(URLS.slice(0, 1200)));
    expect(cleared().length).toBeLessThanOrEqual(1200 + 2 * 100);
  });
});

test('a purge that is killed leaves a whole log, in which what was sent and not answered is unknown', async () => {
  const list = file('urls.txt');
  // Killed while the first, the second or the third batch is under way.
  const kills = [0, 1, 2, 0];
  for (const [index, request] of kills.entries()) {
    writeFileSync(list, URLS.slice(index * 300, index * 300 + 300).join('\n'));
    await killed(['cdn', 'purge', '--file', list, '--concurrency', '1'], request, undefined, ['SIGKILL']);
  }
  const verified = await gatectl(['log', 'verify', '--json'], { env });
  const answered = kills.reduce((sum, request) => sum + request, 0);
  expect(verified.exitCode).toBe(0);
  expect(JSON.parse(verified.stdout)).toMatchObject({
    entries: 2 * answered + kills.length,
    unknown: kills.length,
    faults: [],
  });
  const listed = JSON.parse((await gatectl(['log', '--json', '--limit', '100'], { env })).stdout);
  expect(
    listed.map(({ outcome }: { outcome: string }) => outcome).filter((each: string) => each === 'ok'),
  ).toHaveLength(answered);
  expect(listed[0]).toMatchObject({
    request: 'POST /cdnservices/bulkclearcache',
    targets: 100,
    effect: 'write',
  });
});

describe('an error outside of any pending call', () => {
  beforeEach(() => {
    writeFileSync(
      file('stray.cjs'),
      "process.on('SIGUSR2', () => { throw new Error('a stray fault of some-key'); });",
    );
    env = { ...env, NODE_OPTIONS: `--require ${file('stray.cjs')}` };
  });

  test('ends an export like an interrupt: with a message, and the next run resumes it', async () => {
    const { exitCode, stdout, stderr } = await killed(exportTo('rows.csv'), 5, undefined, ['SIGUSR2']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/rows in \d pages are kept/);
    expect(stderr).toContain('error: gatectl itself failed: a stray fault of');
    expect(stderr).not.toContain('some-key');
    expect(stderr).not.toContain('    at ');
    const again = await gatectl(exportTo('rows.csv', '--resume'), { env });
    expect(again.exitCode).toBe(0);
    expect(readFileSync(file('rows.csv'), 'utf8')).toBe(WHOLE);
  });

  test('ends requests that wait for a response', async () => {
    const { exitCode, stderr } = await killed(['cdn', 'ping'], 0, undefined, ['SIGUSR2']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('error: gatectl itself failed: a stray fault of');
  });
});
