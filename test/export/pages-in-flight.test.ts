import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readError } from '../../src/apis/bda-v2/requests.ts';
import { ApiError, InterruptedError, NetworkError, RateLimitError } from '../../src/errors/index.ts';
import { warningsOf } from '../../src/export/export-audit.ts';
import { exportRows, type Progress } from '../../src/export/export-rows.ts';
import type { RowSource } from '../../src/export/row-source.ts';
import type { RowSink } from '../../src/export/sink.ts';
import { AdaptiveLimiter } from '../../src/http/adaptive-limiter.ts';
import { NoCapacityError } from '../../src/http/gateway.ts';
import { VirtualTime } from '../http/virtual-time.ts';
import { COLUMNS, rowText } from './source.ts';

/** A server with rows, whose responses come in any order and may go wrong, the same for a seed. */
interface Server {
  readonly rows: number;
  readonly tellsTotal: boolean;
  /** No page is longer. */
  readonly cap: number;
  /** The page at this row comes so many rows too short or too long. */
  readonly odd: { readonly offset: number; readonly by: number } | undefined;
  /** From this row on it rejects requests; negative for never. */
  readonly rejectsFrom: number;
  /** How many of a hundred responses are cut or refused. */
  readonly faults: number;
  /** More requests in flight are refused. */
  readonly bears: number;
  /** The longest time before a response, in milliseconds. */
  readonly thinks: number;
  readonly seed: number;
}

interface Trace {
  inFlight: number;
  most: number;
  open: number;
}

const RETRIES = 3;
const reset = new NetworkError('the connection broke', { code: 'connection_reset' });

function sourceOf(server: Server, time: VirtualTime, stop: AbortSignal, trace: Trace): RowSource {
  const limiter = new AdaptiveLimiter(time);
  const begun = new Map<number, number>();

  /** Of the first attempts in their turn only: then the page comes. */
  const goesWrong = (offset: number, isAhead: boolean): boolean => {
    if (isAhead) return time.random() * 100 < server.faults;
    const attempts = (begun.get(offset) ?? 0) + 1;
    begun.set(offset, attempts);
    return attempts <= RETRIES && time.random() * 100 < server.faults;
  };

  return {
    columns: COLUMNS,
    rowsName: 'rows',
    hasTotal: server.tellsTotal,
    readError,
    total: metadata => {
      const text = metadata.get('total_rows');
      return text === undefined ? undefined : Number(text);
    },
    async open({ offset, limit }, ahead) {
      const signal = ahead?.signal ?? stop;
      const permit = ahead === undefined ? await limiter.acquire(stop) : limiter.acquireAhead(ahead.revoke);
      if (permit === undefined) throw new NoCapacityError();
      trace.inFlight += 1;
      trace.most = Math.max(trace.most, trace.inFlight);
      const isRefused = trace.inFlight > server.bears;
      let isHeld = true;
      const release = () => {
        if (!isHeld) return;
        isHeld = false;
        trace.inFlight -= 1;
        limiter.release(permit);
      };
      try {
        await time.sleep(1 + Math.floor(server.thinks * time.random()), signal);
        if (isRefused) {
          limiter.backOff(permit, 100);
          throw new RateLimitError('too many at once');
        }
        if (server.rejectsFrom >= 0 && offset >= server.rejectsFrom) throw new ApiError('no such rows');
        if (ahead !== undefined && goesWrong(offset, true)) throw reset;
      } catch (error) {
        release();
        if (!(error instanceof RateLimitError) || ahead !== undefined) throw error;
        // As the gateway does for a request in its turn.
        return await this.open({ offset, limit });
      }
      limiter.succeeded(permit, 25);
      trace.open += 1;
      const isCut = goesWrong(offset, ahead !== undefined);
      const end = () => {
        if (isHeld) trace.open -= 1;
        release();
      };
      const body = bodyOf(server, offset, limit);
      const length = isCut ? Math.floor(body.length * time.random()) : body.length;
      const chunks = (async function* () {
        try {
          for (let at = 0; at < length; at += 512) {
            await time.sleep(Math.floor(3 * time.random()), signal);
            yield body.subarray(at, Math.min(length, at + 512));
          }
          if (isCut) throw reset;
        } finally {
          end();
        }
      })();
      const request = { method: 'POST', origin: 'https://gateway.example.com', path: '/query' };
      return { headers: {}, request, body: chunks, drop: end };
    },
  };
}

function bodyOf(
  { rows, tellsTotal, cap, odd }: Pick<Server, 'rows' | 'tellsTotal' | 'cap' | 'odd'>,
  offset: number,
  limit: number,
): Buffer {
  const by = odd !== undefined && offset === odd.offset ? odd.by : 0;
  const count = Math.max(0, Math.min(Math.min(limit, cap) + by, rows - offset));
  const texts = Array.from({ length: count }, (_, i) => rowText(offset + i));
  const total = tellsTotal ? `,"total_rows":${rows}` : '';
  return Buffer.from(`{"rows":[${texts.join(',')}]${total}}`);
}

/** A file, or a pipe: what went into a pipe is out. */
class MemorySink implements RowSink {
  readonly canTruncate: boolean;
  readonly releasesChunks = false;
  text: Buffer<ArrayBufferLike> = Buffer.alloc(0);

  constructor(canTruncate: boolean) {
    this.canTruncate = canTruncate;
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.text = Buffer.concat([this.text, chunk]);
  }

  endPage = async () => this.text.length;

  async rollback(position: number): Promise<void> {
    this.text = this.text.subarray(0, position);
  }
}

interface Run {
  readonly pagesInFlight: number | undefined;
  readonly pageSize: number;
  readonly rowLimit: number | undefined;
  readonly isFile: boolean;
  /** Milliseconds after which it is interrupted and resumed, again and again, each time after twice as many. */
  readonly killAfter: number | undefined;
  readonly expectsPages: boolean;
}

/** What a user gets in the end, and what it took. */
async function exported(
  server: Server,
  { pagesInFlight, pageSize, rowLimit, isFile, killAfter, expectsPages }: Run,
) {
  const time = new VirtualTime(server.seed);
  const sink = new MemorySink(isFile);
  const trace: Trace = { inFlight: 0, most: 0, open: 0 };
  let kept: Progress | undefined;
  for (let runs = 0; ; runs += 1) {
    const stop = new AbortController();
    const source = sourceOf(server, time, stop.signal, trace);
    if (killAfter !== undefined)
      time.sleep(killAfter * 2 ** runs).then(() => stop.abort(new InterruptedError('SIGINT')));
    const running = exportRows({
      source,
      plan: { start: 0, pageSize, ...(rowLimit !== undefined && { rowLimit }), pagesInFlight, expectsPages },
      encoding: { format: 'csv', dialect: 'rfc4180' },
      openSink: async () => {
        await sink.rollback(kept?.written.sinkBytes ?? 0);
        return sink;
      },
      resume: kept,
      clock: time,
      signal: stop.signal,
      retries: RETRIES,
      onRows: () => {},
      onPage: async progress => {
        kept = progress;
      },
    });
    const { value } = await time.run(
      running.then(
        ({ stats }) => ({ warnings: warningsOf(stats), rows: stats.rows, error: undefined }),
        (error: Error) => ({ warnings: [], rows: -1, error }),
      ),
    );
    // What is dropped may take a moment to end.
    await time.run(time.sleep(1000));
    expect(trace).toMatchObject({ inFlight: 0, open: 0 });
    if (value.error instanceof InterruptedError) continue;
    return { ...value, error: value.error?.message, text: sink.text.toString(), trace };
  }
}

const servers = fc.record({
  rows: fc.nat(150),
  tellsTotal: fc.boolean(),
  cap: fc.constantFrom(1000, 1000, 7, 8, 50),
  odd: fc.option(fc.record({ offset: fc.nat(60), by: fc.integer({ min: -5, max: 5 }) }), { nil: undefined }),
  rejectsFrom: fc.constantFrom(-1, -1, -1, 0, 20, 55),
  faults: fc.constantFrom(0, 10, 40),
  bears: fc.constantFrom(1, 2, 4, 1000),
  thinks: fc.constantFrom(50, 500),
  seed: fc.nat(),
});
const runs = fc.record({
  pagesInFlight: fc.constantFrom(undefined, 2, 3, 8, 64),
  pageSize: fc.integer({ min: 5, max: 25 }),
  rowLimit: fc.option(fc.integer({ min: 1, max: 120 }), { nil: undefined }),
  isFile: fc.boolean(),
  killAfter: fc.option(fc.integer({ min: 20, max: 400 }), { nil: undefined }),
  expectsPages: fc.boolean(),
});

describe('pages in flight', () => {
  test('give the same bytes, warnings and error as one page after the other, in any order of arrival, with any cut and any kill', async () => {
    await fc.assert(
      fc.asyncProperty(servers, runs, async (server, run) => {
        const calm = { ...server, faults: 0, bears: 1000 };
        const one = await exported(calm, { ...run, pagesInFlight: 1, killAfter: undefined });
        const many = await exported(server, run);
        expect([many.text, many.warnings, many.rows, many.error]).toEqual([
          one.text,
          one.warnings,
          one.rows,
          one.error,
        ]);
        expect(many.trace.most).toBeLessThanOrEqual(run.pagesInFlight ?? 4);
      }),
      { numRuns: 60, seed: 20 },
    );
  });
});

describe('pages that may not exist', () => {
  /** Offsets by the millisecond they are requested at, from a server that takes `thinks` for a page and 10 for each of its rows. */
  async function requestedAt(
    rows: number,
    thinks: number,
    { tellsTotal = true, ...plan }: { tellsTotal?: boolean; expectsPages?: boolean; pagesInFlight?: number },
  ) {
    const time = new VirtualTime();
    const began = time.now();
    const requested: Record<number, number[]> = {};
    const server = { rows, tellsTotal, cap: 1000, odd: undefined };
    const source: RowSource = {
      columns: COLUMNS,
      rowsName: 'rows',
      hasTotal: tellsTotal,
      readError,
      total: metadata => (metadata.has('total_rows') ? rows : undefined),
      async open({ offset, limit }, ahead) {
        const at = time.now() - began;
        requested[at] = [...(requested[at] ?? []), offset];
        await time.sleep(thinks, ahead?.signal);
        const body = bodyOf(server, offset, limit).toString();
        const chunks = (async function* () {
          for (const row of body.split(/(?<=\},)/)) {
            await time.sleep(10, ahead?.signal);
            yield Buffer.from(row);
          }
        })();
        const request = { method: 'POST', origin: 'https://gateway.example.com', path: '/query' };
        return { headers: {}, request, body: chunks };
      },
    };
    const sink = new MemorySink(true);
    await time.run(
      exportRows({
        source,
        plan: { start: 0, pageSize: 8, ...plan },
        encoding: { format: 'csv', dialect: 'rfc4180' },
        openSink: async () => sink,
        clock: time,
        signal: new AbortController().signal,
        retries: RETRIES,
        onRows: () => {},
        onPage: async () => {},
      }),
    );
    expect(sink.text.toString().split('\n')).toHaveLength(rows + (rows > 0 ? 2 : 1) + rows);
    return requested;
  }

  test('are requested during the first response of a slow server where several pages are expected', async () => {
    expect(await requestedAt(20, 500, { expectsPages: true })).toEqual({ 0: [0], 52: [8, 16, 24] });
    expect(await requestedAt(20, 500, { expectsPages: true, pagesInFlight: 2 })).toMatchObject({
      0: [0],
      52: [8],
    });
  });

  test('are requested when half of a page was received from a slow server, then three quarters', async () => {
    for (const tellsTotal of [true, false])
      expect(await requestedAt(8, 500, { tellsTotal })).toMatchObject({ 0: [0], 540: [8], 560: [16, 24] });
  });

  test('are not guesses once the total is known: as many as allowed are requested at once', async () => {
    expect(await requestedAt(30, 40, {})).toMatchObject({ 0: [0], 120: [8, 16, 24] });
  });

  test('are not requested after less, and not from a fast server', async () => {
    expect(await requestedAt(3, 500, {})).toEqual({ 0: [0] });
    expect(await requestedAt(7, 49, { expectsPages: true })).toEqual({ 0: [0] });
  });
});
