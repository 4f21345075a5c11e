import { describe, expect, test } from 'vitest';
import { InterruptedError, NetworkError, RateLimitError } from '../../src/errors/index.ts';
import { hasWarnings, warningsOf } from '../../src/export/export-audit.ts';
import { type ExportOptions, exportRows } from '../../src/export/export-rows.ts';
import { streamSink } from '../../src/export/sink.ts';
import { COLUMNS, type FakeSource, fakeSource, rowText, stillClock, type Turn } from './source.ts';

const reset = new NetworkError('the connection broke', { code: 'connection_reset' });
const limited = new RateLimitError('too many at once');

/** Runs an export into memory. */
async function exported(source: FakeSource, changes: Partial<ExportOptions> = {}) {
  let text = '';
  const clock = stillClock();
  const result = exportRows({
    source,
    plan: { start: 0, pageSize: 10 },
    encoding: { format: 'ndjson', dialect: 'rfc4180' },
    openSink: async () =>
      streamSink(async chunk => {
        text += Buffer.from(chunk).toString();
      }),
    clock,
    signal: new AbortController().signal,
    retries: 3,
    onRows: () => {},
    onPage: async () => {},
    ...changes,
  });
  const outcome = await result.then(
    ({ stats: remarks }) => ({ remarks }),
    (error: Error) => ({ error }),
  );
  return { text, slept: clock.slept, ...outcome } as {
    text: string;
    slept: number[];
    remarks: Awaited<typeof result>['stats'];
    error?: Error;
  };
}

const rowsAsLines = (count: number) => Array.from({ length: count }, (_, i) => `${rowText(i)}\n`).join('');

describe('an export', () => {
  test('writes all rows as they were sent, page after page', async () => {
    const source = fakeSource(25);
    const { text, remarks } = await exported(source);
    expect(text).toBe(rowsAsLines(25));
    expect(source.asked).toEqual([
      { offset: 0, limit: 10 },
      { offset: 10, limit: 10 },
      { offset: 20, limit: 10 },
    ]);
    expect(hasWarnings(remarks)).toBe(false);
  });

  test('without rows sends one request and writes what the format has for no rows', async () => {
    const none = fakeSource(0);
    expect((await exported(none)).text).toBe('');
    expect(none.asked.length).toBe(1);
    const csv = { encoding: { format: 'csv', dialect: 'rfc4180' } } as const;
    expect((await exported(fakeSource(0), csv)).text).toBe(`${COLUMNS.join(',')}\n`);
    const json = { encoding: { format: 'json', dialect: 'rfc4180' } } as const;
    expect((await exported(fakeSource(0), json)).text).toBe('[]\n');
  });

  test('requests the third page while the second is read, and the second only if there is one', async () => {
    const source = fakeSource(30);
    const askedAtPage: number[] = [];
    await exported(source, {
      onPage: async () => {
        askedAtPage.push(source.asked.length);
      },
    });
    expect(askedAtPage).toEqual([1, 3, 3]);
  });

  test('opens no file before the first response', async () => {
    let opened = 0;
    const refused = fakeSource(5, { 0: { refuse: reset } });
    const openSink = async () => {
      opened += 1;
      return streamSink(async () => {});
    };
    expect((await exported(refused, { openSink })).error).toBe(reset);
    expect(opened).toBe(0);
  });
});

describe('a broken page', () => {
  test.each<[string, Turn]>([
    ['is cut by the connection', { breakAfter: { bytes: 300, error: reset } }],
    ['ends too early', { body: `{"rows":[${rowText(10)},${rowText(11)}` }],
    ['is empty', { body: '' }],
    ['is no JSON', { body: 'upstream said no' }],
    ['has a broken row', { body: `{"rows":[${rowText(10)},{"id":01}],"total_rows":25}` }],
    [
      'is the API’s error code for an unavailable service',
      { body: '{"error":{"code":"upstream_error","message":"later"}}' },
    ],
    [
      'is the API’s error code for too many requests',
      { body: '{"error":{"code":"rate_limit_exceeded","message":"later"}}' },
    ],
  ])('%s: it is requested again, and no row is missing or repeated', async (_, turn) => {
    const source = fakeSource(25, { 1: turn });
    const { text, remarks, slept } = await exported(source);
    expect(text).toBe(rowsAsLines(25));
    expect(hasWarnings(remarks)).toBe(false);
    expect(slept.length).toBe(1);
    expect(source.asked.filter(page => page.offset === 10).length).toBe(2);
  });

  test('fails the export after all retries; the written rows are complete', async () => {
    const turn = { body: `{"rows":[${rowText(0)},${rowText(1)},{"id":` };
    const source = fakeSource(25, { 0: turn, 1: turn, 2: turn, 3: turn });
    const { text, error, slept } = await exported(source);
    expect(text).toBe(rowsAsLines(2));
    expect(error).toMatchObject({ kind: 'invalid_response', request: { path: '/query' } });
    expect(source.asked.length).toBe(4);
    expect(slept).toEqual([100, 200, 400]);
  });

  test('is requested once with --retries 0', async () => {
    const source = fakeSource(5, { 0: { body: '{' } });
    expect((await exported(source, { retries: 0 })).error).toMatchObject({ kind: 'invalid_response' });
    expect(source.asked.length).toBe(1);
  });

  test('for a reason that asking again does not change ends the export at once', async () => {
    const body =
      '{"error":{"code":"validation_error","message":"no","details":[{"field":"sort[0]","message":"unknown"}]}}';
    const source = fakeSource(25, { 1: { body } });
    const { error } = await exported(source);
    expect(error).toMatchObject({
      kind: 'api',
      code: 'validation_error',
      details: [{ field: 'sort[0]' }],
    });
    expect(source.asked.map(page => page.offset)).toEqual([0, 10, 20]);
  });

  test('with JSON but no rows is not usable', async () => {
    const source = fakeSource(25, { 0: { body: '{"data":7}' } });
    expect((await exported(source)).error).toMatchObject({
      kind: 'invalid_response',
      message: 'no rows in the response: {"data":7}',
    });
  });
});

describe('a page without rows before the announced end', () => {
  const NONE = { body: '{"rows":[],"total_rows":45}' };
  const offsets = (source: FakeSource) => source.asked.map(page => page.offset);

  test.each<[string, Turn]>([
    ['with the total', NONE],
    ['with another total', { body: '{"rows":[],"total_rows":0}' }],
    ['without a total', { body: '{"rows":[]}' }],
  ])('%s is requested once more, also while later pages are in flight', async (_, turn) => {
    const source = fakeSource(45, { 1: turn });
    const { text, remarks, slept } = await exported(source);
    expect(text).toBe(rowsAsLines(45));
    expect(hasWarnings(remarks)).toBe(false);
    expect(slept).toEqual([100]);
    expect(offsets(source).filter(offset => offset === 10)).toEqual([10, 10]);
    expect(source.asked.length).toBe(6);
    await new Promise(resolve => setImmediate(resolve));
    expect(source.unread.size).toBe(0);
  });

  test('is requested once more if it is the first, a later or a resumed one', async () => {
    const plan = { start: 0, pageSize: 10, pagesInFlight: 1 };
    const source = fakeSource(45, { 0: NONE, 2: NONE, 6: NONE });
    const kept: ExportOptions['resume'][] = [];
    const { text } = await exported(source, { plan, onPage: async progress => void kept.push(progress) });
    expect(text).toBe(rowsAsLines(45));
    expect(offsets(source)).toEqual([0, 0, 10, 10, 20, 30, 40, 40]);
    expect(kept.map(progress => progress?.reached.rows)).toEqual([10, 20, 30, 40, 45]);
    const again = fakeSource(45, { 0: NONE });
    const rest = await exported(again, { plan, resume: kept[2] });
    expect(offsets(again)).toEqual([30, 30, 40]);
    expect(`${rowsAsLines(30)}${rest.text}`).toBe(rowsAsLines(45));
  });

  test('ends the export with a warning if it is empty again', async () => {
    const source = fakeSource(45, { 1: NONE, 2: NONE });
    const { text, remarks } = await exported(source, { plan: { start: 0, pageSize: 10, pagesInFlight: 1 } });
    expect(text).toBe(rowsAsLines(10));
    expect(offsets(source)).toEqual([0, 10, 10]);
    expect(warningsOf(remarks)).toEqual(['received 10 rows, expected 45']);
  });

  test('costs one more request in all if the totals of several parts are too high', async () => {
    const plan = { start: 0, pageSize: 10 };
    const parts = [3, 5, 4].map(rows => {
      const turn = { total: rows + 1 };
      return { source: fakeSource(rows, { 0: turn, 1: turn, 2: turn }), plan };
    });
    const [first, ...otherParts] = parts as [(typeof parts)[0], ...typeof parts];
    await exported(first.source, { plan, otherParts });
    expect(parts.map(({ source }) => offsets(source))).toEqual([
      [0, 3, 3],
      [0, 5],
      [0, 4],
    ]);
  });

  test('is not requested again with --retries 0, nor if no more rows are announced', async () => {
    const plan = { start: 0, pageSize: 10, pagesInFlight: 1 };
    const source = fakeSource(45, { 1: NONE });
    await exported(source, { plan, retries: 0 });
    expect(offsets(source)).toEqual([0, 10]);
    const beyond = fakeSource(45);
    await exported(beyond, { plan: { ...plan, start: 50 } });
    expect(offsets(beyond)).toEqual([50]);
  });
});

describe('a total that is smaller than the rows received', () => {
  test.each([0, 15])('of %s does not end the export before a page that is not full', async total => {
    const turns = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [index, { total }]));
    const source = fakeSource(45, turns);
    const { text, remarks } = await exported(source);
    expect(text).toBe(rowsAsLines(45));
    expect(warningsOf(remarks)).toEqual([`received 45 rows, expected ${total}`]);
    await new Promise(resolve => setImmediate(resolve));
    expect(source.unread.size).toBe(0);
  });

  test('does not end a resumed export either', async () => {
    const plan = { start: 0, pageSize: 10, pagesInFlight: 1 };
    const turns = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [index, { total: 5 }]));
    const kept: ExportOptions['resume'][] = [];
    await exported(fakeSource(45, turns), { plan, onPage: async progress => void kept.push(progress) });
    const source = fakeSource(45, turns);
    const { text } = await exported(source, { plan, resume: kept[1] });
    expect(`${rowsAsLines(20)}${text}`).toBe(rowsAsLines(45));
    expect(source.asked.map(page => page.offset)).toEqual([20, 30, 40, 45]);
  });

  test('is not expected before it is received: no page is requested after the total', async () => {
    const source = fakeSource(45);
    await exported(source, { plan: { start: 0, pageSize: 10, pagesInFlight: 9 } });
    expect(source.asked.map(page => page.offset)).toEqual([0, 10, 20, 30, 40]);
  });
});

describe('a prefetched page', () => {
  test.each([limited, reset])('that fails with %s is requested again when it is needed', async refuse => {
    const source = fakeSource(50, { 2: { refuse } });
    const { text, remarks } = await exported(source);
    expect(text).toBe(rowsAsLines(50));
    expect(hasWarnings(remarks)).toBe(false);
    expect(source.asked.map(page => page.offset)).toEqual([0, 10, 20, 30, 40, 20]);
  });

  test('that fails again in its turn ends the export, and the rows before it are written', async () => {
    const source = fakeSource(30, { 2: { refuse: limited }, 3: { refuse: reset } });
    const { text, error } = await exported(source);
    expect(text).toBe(rowsAsLines(20));
    expect(error).toBe(reset);
  });

  test('that was cut while it waited is requested again without using up its retries', async () => {
    const source = fakeSource(30, { 2: { breakAfter: { bytes: 300, error: reset } } });
    const { text, slept } = await exported(source, { retries: 0 });
    expect(text).toBe(rowsAsLines(30));
    expect(slept).toEqual([]);
  });

  test('is one of as many as are allowed', async () => {
    const offsets = async (pagesInFlight: number | undefined) => {
      const source = fakeSource(90);
      const counts: number[] = [];
      await exported(source, {
        plan: { start: 0, pageSize: 10, pagesInFlight },
        onPage: async ({ reached }) => {
          counts.push(source.asked.length - reached.pages);
        },
      });
      return counts;
    };
    expect(await offsets(1)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(await offsets(2)).toEqual([0, 1, 1, 1, 1, 1, 1, 1, 0]);
    expect(await offsets(undefined)).toEqual([0, 3, 3, 3, 3, 3, 2, 1, 0]);
  });

  test('is followed by more and more of them if no total is known', async () => {
    const source = { ...fakeSource(90), total: () => undefined };
    const counts: number[] = [];
    const { text } = await exported(source, {
      onPage: async ({ reached }) => {
        counts.push(source.asked.length - reached.pages);
      },
    });
    expect(text).toBe(rowsAsLines(90));
    // The last of them is empty, and those after it are not read.
    expect(counts).toEqual([0, 1, 2, 3, 3, 3, 3, 3, 3, 3]);
    await new Promise(resolve => setImmediate(resolve));
    expect(source.unread.size).toBe(0);
  });

  test('is discarded when the page before it is short, and requested again without a gap', async () => {
    const short = { body: `{"rows":[${rowText(10)},${rowText(11)}],"total_rows":30}` };
    const source = fakeSource(30, { 1: short });
    const { text } = await exported(source);
    expect(text).toBe(rowsAsLines(30));
    expect(source.asked.map(page => page.offset)).toEqual([0, 10, 20, 12, 22]);
    await new Promise(resolve => setImmediate(resolve));
    expect(source.unread.size).toBe(0);
  });

  test('is aborted when the export ends early', async () => {
    const source = fakeSource(30, { 1: { body: '{"error":{"code":"forbidden","message":"no"}}' } });
    expect((await exported(source)).error).toMatchObject({ kind: 'auth' });
    await new Promise(resolve => setImmediate(resolve));
    expect(source.unread.size).toBe(0);
  });
});

describe('an interrupt', () => {
  test('ends the export with its reason, whatever the connection reports', async () => {
    const stopping = new AbortController();
    const source = fakeSource(25, { 1: { breakAfter: { bytes: 100, error: reset } } });
    const stopped = new InterruptedError('SIGINT');
    const { error } = await exported(source, {
      signal: stopping.signal,
      onPage: async () => stopping.abort(stopped),
    });
    expect(error).toBe(stopped);
  });
});

describe('data that changes during an export', () => {
  test('is reported with both totals', async () => {
    const { remarks } = await exported(
      fakeSource(25, { 1: { total: 27 }, 2: { total: 27 }, 3: { total: 27 }, 4: { total: 27 } }),
    );
    expect(hasWarnings(remarks)).toBe(true);
    expect(warningsOf(remarks)).toEqual([
      'the data changed during the export: 25 rows matched at first, 27 later; rows may be missing or duplicated',
      'received 25 rows, expected 27',
    ]);
  });

  test('is reported when the total returns to its first value', async () => {
    const { remarks } = await exported(fakeSource(35, { 2: { total: 34 } }));
    expect(warningsOf(remarks).length).toBe(1);
    expect(hasWarnings(remarks)).toBe(true);
  });

  test('is reported when rows are fewer than the total', async () => {
    const { remarks } = await exported(
      fakeSource(12, { 0: { total: 20 }, 1: { total: 20 }, 2: { total: 20 }, 3: { total: 20 } }),
    );
    expect(warningsOf(remarks)).toEqual(['received 12 rows, expected 20']);
  });

  test('is reported for repeated rows, on any page', async () => {
    const again = (...indices: number[]) => ({
      body: `{"rows":[${indices.map(rowText).join(',')}],"total_rows":25}`,
    });
    const turns = { 1: again(9, 10, 11, 12, 13, 14, 15, 16, 17, 18), 2: again(20, 1, 21, 18, 24) };
    const { remarks } = await exported(fakeSource(25, turns));
    expect(remarks.rows).toBe(25);
    expect(hasWarnings(remarks)).toBe(true);
    expect(warningsOf(remarks)).toEqual(['3 duplicate rows; as many others may be missing']);
  });

  test('is reported with a minimum after a resumed run, whose rows cannot be compared', async () => {
    const page = (...indices: number[]) => ({
      body: `{"rows":[${indices.map(rowText).join(',')}],"total_rows":25}`,
    });
    let kept: ExportOptions['resume'];
    const broken = fakeSource(25, { 1: { refuse: limited }, 2: { refuse: limited } });
    await exported(broken, {
      retries: 0,
      onPage: async progress => {
        kept = progress;
      },
    });
    expect(kept?.reached.rows).toBe(10);
    const source = fakeSource(25, { 0: page(9, 11, 12, 13, 11, 15, 16, 17, 18, 19) });
    const { remarks } = await exported(source, { resume: kept });
    expect(remarks.rows).toBe(25);
    expect(warningsOf(remarks)).toEqual(['at least 1 duplicate row; as many others may be missing']);
  });

  test('is not reported for a broken page that is requested again', async () => {
    const source = fakeSource(25, { 1: { breakAfter: { bytes: 700, error: reset } } });
    const { remarks, text } = await exported(source);
    expect(text).toBe(rowsAsLines(25));
    expect(warningsOf(remarks)).toEqual([]);
  });

  test('is reported with a minimum where not every row could be compared', async () => {
    const { remarks } = await exported(fakeSource(2));
    expect(warningsOf({ ...remarks, repeated: 1200, sawAll: false })).toEqual([
      'at least 1,200 duplicate rows; as many others may be missing',
    ]);
  });

  test('and rows that lack a column are counted', async () => {
    const body = '{"rows":[{"id":1,"name":"a"},{"id":2,"name":"b","revenue":3,"more":4}],"total_rows":2}';
    const csv = { encoding: { format: 'csv', dialect: 'rfc4180' } } as const;
    const { text, remarks } = await exported(fakeSource(2, { 0: { body } }), csv);
    expect(text).toBe('id,name,revenue\n1,a,\n2,b,3\n');
    expect(warningsOf(remarks)).toEqual(['the column revenue is missing in 1 row']);
    expect([...remarks.extra]).toEqual([['more', 1]]);
  });
});

describe('the progress of an export', () => {
  test('is increasing rows and bytes, which decrease when a page is requested again', async () => {
    const seen: number[] = [];
    const source = fakeSource(20, { 1: { breakAfter: { bytes: 700, error: reset } } });
    await exported(source, { onRows: rows => seen.push(rows) });
    expect(seen.at(-1)).toBe(20);
    expect(seen[0]).toBe(0);
  });
});
