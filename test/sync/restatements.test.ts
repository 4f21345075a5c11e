import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays } from '../../src/apis/bda/days.ts';
import { runs } from '../support/runs.ts';
import { figuresOf, queriesOf, respondFrom, type SourceRow, SYNC_FILE, syncing } from './source.ts';

const DAILY = SYNC_FILE.replace('pages:', 'pages:\n    partition: day');

describe('bda sync sweep', () => {
  test('finds every changed day, of any age, and requests no other', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 0, max: 29 }), { maxLength: 6 }),
        fc.constantFrom('more', 'fewer', 'none', 'cent'),
        // The days are from days to ten years old.
        fc.integer({ min: 30, max: 3_650 }),
        async (days, change, age) => {
          const first = addDays('2026-03-14', -age);
          const figures = figuresOf([7, 8], first, 30);
          const file = DAILY.replace('2026-01-01', first);
          const { sync, server } = await syncing(figures, `${file}    end: ${addDays(first, 29)}\n`);
          await sync(['run']);
          for (const number of days) {
            const day = addDays(first, number);
            const site = figures.get(7 + (number % 2));
            const rows = site?.get(day) ?? [];
            if (change === 'more') rows.push({ page: '"/late"', visits: '3', revenue: '0' });
            if (change === 'fewer') rows.pop();
            if (change === 'none') site?.delete(day);
            if (change === 'cent')
              rows[0] = {
                page: '"/page-0000"',
                visits: rows[0]?.visits ?? '1',
                revenue: `0.${String(number + 1).padStart(2, '0')}`,
              };
          }
          const before = queriesOf(server).length;
          const swept = await sync(['sweep', '-o', 'json']);
          expect(JSON.parse(swept.stdout).tables[0]).toMatchObject({
            partitions: days.length,
            changed: days.length,
          });
          const asked = queriesOf(server).slice(before + 2) as {
            date_range: { start_date: string; end_date: string };
          }[];
          const requested = asked.flatMap(({ date_range: { start_date: from, end_date: to } }) => {
            const all: string[] = [];
            for (let day = from; day <= to; day = addDays(day, 1)) all.push(day);
            return all;
          });
          expect(requested.sort()).toEqual(days.map(number => addDays(first, number)).sort());
          expect((await sync(['verify'])).code).toBe(0);
        },
      ),
      { numRuns: runs(12) },
    );
  });

  test('a late figure that needs a wider type has the other partitions written again in that type', async () => {
    const figures = figuresOf([7, 8], '2026-03-01', 13);
    const { sync, server } = await syncing(
      figures,
      `${DAILY.replace('2026-01-01', '2026-03-01')}    end: 2026-03-13\n`,
    );
    await sync(['run']);
    const rows = figures.get(7)?.get('2026-03-04') ?? [];
    rows[0] = { page: '"/page-0000"', visits: rows[0]?.visits ?? '1', revenue: '9.000000001' };
    const swept = await sync(['sweep', '-o', 'json']);
    expect(JSON.parse(swept.stdout).tables[0]).toMatchObject({ partitions: 26, failed: 0 });
    expect((await sync(['verify'])).code).toBe(0);
    const before = queriesOf(server).length;
    expect(JSON.parse((await sync(['sweep', '-o', 'json'])).stdout).tables[0]).toMatchObject({
      partitions: 0,
    });
    expect(queriesOf(server).length).toBe(before + 2);
  });

  test('of a destination without a partition fails as verify does: nothing was compared', async () => {
    const { sync } = await syncing(figuresOf([7], '2026-03-01', 13));
    const error = 'error: nothing was compared, because nothing was synced yet\n  gatectl bda sync run\n';
    for (const command of ['sweep', 'verify']) {
      const { code, stderr } = await sync([command, '--quiet']);
      expect([code, stderr]).toEqual([7, error]);
    }
    expect(JSON.parse((await sync(['sweep', '-o', 'json'])).stdout).tables).toMatchObject([
      { partitions: 0 },
    ]);
  });

  test('compares what an earlier version wrote as that version did, and says so', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { sync, lake } = await syncing(figures, `${SYNC_FILE}    additive: {visits: distinct}\n`);
    await sync(['run']);
    forgetDayValues(lake);
    setVisits(figures.get(7)?.get('2026-01-05'), '99');
    const warning =
      'warning: visits of pages: not compared where the ledger has no values of the days; run --refetch adds them\n';
    const note = 'note: compared totals in 1 request\n';
    expect(await sync(['sweep', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: warning });
    await sync(['run', '--refetch', '2026']);
    setVisits(figures.get(7)?.get('2026-01-06'), '99');
    const { code, stderr } = await sync(['sweep']);
    const changed = 'note: 1 partition changed at the gateway: pages of site-7.example.com: 2026-01\n';
    expect([code, stderr]).toEqual([0, changed + note]);
  });

  test('goes without the values of days that the gateway rejects', async () => {
    const figures = figuresOf([7], '2026-03-01', 13);
    const respond = respondFrom(figures);
    const { sync } = await syncing(figures, `${SYNC_FILE}    additive: {visits: distinct}\n`, request =>
      request.method === 'POST' && !request.body.includes('page_url')
        ? { status: 400, body: '{"error":"no totals of visits"}' }
        : respond(request),
    );
    expect(await sync(['run', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(JSON.parse((await sync(['status', '-o', 'json'])).stdout)[0].rows).toBe(39);
  });

  test('remembers the values of days whose rows are the same where the gateway rejects to send them again', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const respond = respondFrom(figures);
    let isRejected = false;
    const { sync } = await syncing(figures, `${SYNC_FILE}    additive: {visits: distinct}\n`, request =>
      isRejected && request.method === 'POST' && !request.body.includes('page_url')
        ? { status: 400, body: '{"error":"no totals of visits"}' }
        : respond(request),
    );
    await sync(['run']);
    isRejected = true;
    await sync(['run', '--refetch', '2026']);
    isRejected = false;
    setVisits(figures.get(7)?.get('2026-01-05'), '99');
    const { code, stderr } = await sync(['sweep']);
    expect([code, stderr]).toEqual([
      0,
      'note: 1 partition changed at the gateway: pages of site-7.example.com: 2026-01\nnote: compared totals in 1 request\n',
    ]);
  });
});

/** Makes the ledger of a lake that of a version which did not store the values of days. */
function forgetDayValues(lake: string): void {
  const folder = join(lake, '_gatectl/ledger/pages');
  for (const name of readdirSync(folder)) {
    const lines = readFileSync(join(folder, name), 'utf8').trim().split('\n');
    const earlier = lines.map(line => {
      const { dayValues: _, ...entry } = JSON.parse(line);
      return `${JSON.stringify(entry)}\n`;
    });
    writeFileSync(join(folder, name), earlier.join(''));
  }
}

function setVisits(rows: SourceRow[] | undefined, visits: string): void {
  rows?.splice(0, rows.length, ...rows.map(row => ({ ...row, visits })));
}

test('a sweep finds each changed day of a metric that cannot be summed, of any age, and requests no other', async () => {
  const kinds = { ratio: '{quality: {weight: revenue}}', distinct: '{quality: distinct}', unknown: '{}' };
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 0, max: 29 }), { maxLength: 6 }),
      fc.constantFrom(...Object.values(kinds)),
      fc.integer({ min: 30, max: 3_650 }),
      async (days, additive, age) => {
        const first = addDays('2026-03-14', -age);
        const figures = figuresOf([7, 8], first, 30);
        // The gateway's value of a day is no sum of its rows.
        const own = new Map<string, number>();
        const respond = respondFrom(figures);
        const { sync, server } = await syncing(
          figures,
          `${DAILY.replace('2026-01-01', first).replace('[visits, ', '[quality, ')}    end: ${addDays(first, 29)}\n    additive: ${additive}\n`,
          request => {
            const { status, body } = respond({
              ...request,
              body: request.body.replaceAll('quality', 'visits'),
            });
            const named = String(body).replaceAll('visits', 'quality');
            if (request.method === 'GET' || request.body.includes('page_url')) return { status, body: named };
            const { domain_id: id } = JSON.parse(request.body);
            return {
              body: named.replaceAll(
                /"report_day":"([^"]+)","quality":[^,}]+/g,
                (_, day) => `"report_day":"${day}","quality":${own.get(`${id} ${day}`) ?? 0.25}`,
              ),
            };
          },
        );
        const ran = JSON.parse((await sync(['run', '-o', 'json'])).stdout);
        // One for the rows of a site, and one for the values of its days.
        expect(ran.tables[0]).toMatchObject({ partitions: 60, failed: 0, requests: 4 });
        for (const number of days) {
          const site = 7 + (number % 2);
          const rows = figures.get(site)?.get(addDays(first, number)) ?? [];
          rows.splice(
            0,
            2,
            ...rows
              .slice(0, 2)
              .map((row, at) => ({ ...row, visits: String(Number(row.visits) + 1 - 2 * at) })),
          );
          own.set(`${site} ${addDays(first, number)}`, 0.375);
        }
        const before = queriesOf(server).length;
        const swept = JSON.parse((await sync(['sweep', '-o', 'json'])).stdout);
        expect(swept.tables[0]).toMatchObject({ partitions: days.length, changed: days.length });
        const queries = queriesOf(server).slice(before + 2) as {
          dimensions: string[];
          date_range: { start_date: string; end_date: string };
        }[];
        const requested = queries
          .filter(({ dimensions }) => dimensions.includes('page_url'))
          .flatMap(({ date_range: { start_date: from, end_date: to } }) => {
            const all: string[] = [];
            for (let day = from; day <= to; day = addDays(day, 1)) all.push(day);
            return all;
          });
        expect(requested.sort()).toEqual(days.map(number => addDays(first, number)).sort());
        expect((await sync(['verify'])).code).toBe(0);
      },
    ),
    { numRuns: runs(24) },
  );
});

describe('bda sync verify', () => {
  test('finds nothing after a run, and names what differs later', async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 72);
    const { sync, lake } = await syncing(figures);
    await sync(['run']);
    expect(await sync(['verify'])).toEqual({
      code: 0,
      stdout: '6 partitions with 432 rows compared\nall as at the gateway\n',
      stderr: '',
    });
    figures.get(7)?.set('2026-02-03', [{ page: '"/x"', visits: '1', revenue: '2' }]);
    rmSync(join(lake, 'pages/domain_id=8/month=2026-01/data.parquet'));
    writeFileSync(join(lake, 'pages/domain_id=8/month=2026-02/data.parquet'), 'PAR1', { flag: 'a' });
    const { code, stdout, stderr } = await sync(['verify', '-o', 'json']);
    expect(code).toBe(7);
    expect(JSON.parse(stdout).mismatches).toEqual([
      {
        table: 'pages',
        domain: 'site-7.example.com',
        partition: '2026-02',
        state: 'final',
        problem: 'visits on 2026-02-03: 123 here, 1 at the gateway',
      },
      {
        table: 'pages',
        domain: 'site-7.example.com',
        partition: '2026-01-01..2026-03-13',
        state: null,
        problem: '216 rows here, 214 at the gateway',
      },
      {
        table: 'pages',
        domain: 'site-8.example.com',
        partition: '2026-01',
        state: 'final',
        problem: 'its file is missing',
      },
      {
        table: 'pages',
        domain: 'site-8.example.com',
        partition: '2026-02',
        state: 'final',
        problem: 'its file was changed',
      },
    ]);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'partial_failure',
      message:
        '4 differences found; request the rows again: gatectl bda sync run --refetch 2026-01 && gatectl bda sync run --refetch 2026-02',
    });
    await sync(['sweep']);
    await sync(['run']);
    expect((await sync(['verify'])).code).toBe(0);
  });
});

test('verify advises a sweep where the gateway has other figures, and a sweep names three of many sites', async () => {
  const figures = figuresOf([7, 8, 9, 10, 11], '2026-01-01', 72);
  const { sync } = await syncing(figures);
  await sync(['run']);
  for (const days of figures.values()) days.get('2026-02-03')?.pop();
  figures.get(7)?.get('2026-01-03')?.pop();
  const verified = await sync(['verify', 'gatectl.sync.yaml']);
  expect([verified.code, verified.stderr]).toEqual([
    7,
    'error: 11 differences found; request the rows again: gatectl bda sync sweep gatectl.sync.yaml\n',
  ]);
  expect(JSON.stringify(verified)).not.toContain('isRestated');
  const swept = await sync(['sweep', 'gatectl.sync.yaml']);
  const notes = [
    'note: 6 partitions changed at the gateway: pages of site-7.example.com: 2026-01, 2026-02; pages of site-8.example.com: 2026-02; pages of site-9.example.com: 2026-02; and 2 more sites',
    'note: compared totals in 5 requests',
  ];
  expect([swept.code, swept.stderr]).toEqual([0, `${notes.join('\n')}\n`]);
  expect((await sync(['verify'])).code).toBe(0);
});

describe('bda sync verify of metrics that cannot be summed', () => {
  const DISTINCT = `${SYNC_FILE}    additive: {visits: distinct}\n`;
  const changed = async (file: string, afterRun: (lake: string) => void = () => {}) => {
    const figures = figuresOf([7, 8], '2026-01-01', 72);
    const { sync, lake } = await syncing(figures, file);
    await sync(['run']);
    afterRun(lake);
    for (const days of figures.values())
      for (const [day, rows] of days)
        days.set(
          day,
          rows.map(row => ({ ...row, visits: '99' })),
        );
    return sync;
  };

  test.each([
    ['without another metric', DISTINCT.replace('[visits, revenue]', '[visits]'), 'visits'],
    ['with a filter on a metric', `${SYNC_FILE}    filters: [visits>0]\n`, 'visits, revenue'],
  ])(
    'claims no more than was compared of what an earlier version wrote: a table %s',
    async (_, file, metrics) => {
      const sync = await changed(file, forgetDayValues);
      expect(await sync(['verify'])).toEqual({
        code: 0,
        stdout: `6 partitions with 432 rows compared\nno difference found; totals not compared: ${metrics} of pages\n`,
        stderr:
          'warning: pages has no metric whose totals can be compared; only its number of rows was compared with the gateway\n',
      });
    },
  );

  test('compares what the gateway had then with what it has now', async () => {
    const sync = await changed(DISTINCT);
    const { code, stdout, stderr } = await sync(['verify', '-o', 'json']);
    const { mismatches, not_compared } = JSON.parse(stdout);
    expect([code, not_compared, mismatches[0].problem, JSON.parse(stderr).error.message]).toEqual([
      7,
      [],
      'visits on 2026-01-01: 24 at the gateway when it was written, 297 now',
      '6 differences found; request the rows again: gatectl bda sync sweep',
    ]);
    await sync(['sweep']);
    expect(await sync(['verify'])).toMatchObject({
      code: 0,
      stdout: '6 partitions with 432 rows compared\nall as at the gateway\n',
    });
  });

  test('names them without a warning where the totals of others are compared', async () => {
    const sync = await changed(DISTINCT, forgetDayValues);
    const { code, stdout, stderr } = await sync(['verify', '-o', 'json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      partitions: 6,
      rows: 432,
      not_compared: [{ table: 'pages', metrics: ['visits'] }],
      not_synced: [],
      not_listed: [],
      mismatches: [],
    });
  });
});

describe('bda sync status and history', () => {
  test('show what is there, and what the runs did, without a request', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { sync, server } = await syncing(figures);
    expect((await sync(['history'])).stdout).toBe('no runs yet\n');
    await sync(['run']);
    figures.get(7)?.delete('2026-03-10');
    await sync(['run']);
    const before = server.received.length;
    expect(JSON.parse((await sync(['status', '-o', 'json'])).stdout)).toMatchObject([
      {
        table: 'pages',
        sites: 1,
        partitions: 3,
        provisional: 1,
        rows: 213,
        from: '2026-01-01',
        to: '2026-03-13',
        fetched_at: '2026-03-14T12:00:00.000Z',
        revisions: 1,
        schema: 1,
      },
    ]);
    const time = '2026-03-14T12:00:00.000Z';
    expect(JSON.parse((await sync(['history', '-o', 'json'])).stdout)).toEqual([
      {
        started_at: time,
        finished_at: time,
        partitions: 1,
        added: 0,
        changed: 1,
        rows: 36,
        requests: 1,
        failed: 0,
      },
      {
        started_at: time,
        finished_at: time,
        partitions: 3,
        added: 3,
        changed: 0,
        rows: 216,
        requests: 1,
        failed: 0,
      },
    ]);
    expect(server.received.length).toBe(before);
  });

  test('--lookback auto covers the ages at which figures changed', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { sync } = await syncing(figures, DAILY);
    await sync(['run']);
    for (let age = 1; age <= 10; age++) figures.get(7)?.get(addDays('2026-03-14', -age))?.pop();
    await sync(['sweep']);
    const { stdout, stderr } = await sync(['plan', '--lookback', 'auto', '-o', 'json']);
    expect(stderr).toBe('note: requesting the last 11 days again, learned from 10 revisions\n');
    expect(JSON.parse(stdout)).toMatchObject([{ partitions: 11 }]);
  });
});
