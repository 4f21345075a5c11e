import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AuthError, NetworkError, RateLimitError } from '../../src/errors/index.ts';
import type { AdaptiveLimiter, Permit, Refusal } from '../../src/http/adaptive-limiter.ts';
import { type AttemptOnce, AttemptRunner, type Exchange, type OpenAttempt } from '../../src/http/attempt.ts';
import { DecodeError } from '../../src/http/content-encoding.ts';

const INFO = { method: 'GET', origin: 'https://gateway.example.com', path: '/x' };
const PERMIT: Permit = { epoch: 3, revoke: undefined };
const NOW = 1_000_000;

/** What the limiter is told, in order. */
let told: unknown[][];
let refusal: Refusal | undefined;
let now: number;
const limiter = {
  succeeded: (permit: Permit, latencyMs: number) => told.push(['succeeded', permit.epoch, latencyMs]),
  failed: (permit: Permit) => told.push(['failed', permit.epoch]),
  hung: (permit: Permit) => told.push(['hung', permit.epoch]),
  release: (permit: Permit) => told.push(['release', permit.epoch]),
  backOff: (permit: Permit, pauseMs: number, refuse?: Refusal) => {
    told.push(['backOff', permit.epoch, pauseMs]);
    refusal = refuse;
  },
} as unknown as AdaptiveLimiter;

beforeEach(() => {
  told = [];
  refusal = undefined;
  now = NOW;
});
afterEach(() => vi.useRealTimers());

const clock = { now: () => now, random: () => 0.5, sleep: () => Promise.resolve() };

function runner(
  options: { onRateLimited?: (pauseMs: number) => void; trace?: (exchange: Exchange) => void } = {},
) {
  return new AttemptRunner({ clock, timeoutMs: 1000, ...options }, limiter);
}

/** Runs one attempt, the second of its request. */
function attempted<T>(
  once: AttemptOnce<T>,
  { of = runner(), signals = [], timeoutMs, hasFullTime = false }: Partial<Given> = {},
) {
  const request = { method: 'GET', path: '/x', ...(timeoutMs && { timeoutMs }) } as never;
  return of.run({ request, wire: {} as never, info: INFO, signals, hasFullTime }, 1, PERMIT, once);
}
interface Given {
  readonly of: AttemptRunner;
  readonly signals: readonly AbortSignal[];
  readonly timeoutMs: number;
  readonly hasFullTime: boolean;
}

const network = new NetworkError('down', { code: 'service_unavailable', request: { ...INFO, status: 503 } });

describe('the limiter is told', () => {
  test('of a success how long it took', async () => {
    const outcome = await attempted(async () => {
      now += 40;
      return { value: 7 };
    });
    expect(outcome).toEqual({ value: 7 });
    expect(told).toEqual([
      ['succeeded', 3, 40],
      ['release', 3],
    ]);
  });

  test('of a failure that may pass, and not of one that is final', async () => {
    const outcome = await attempted(async () => ({ error: network, kind: 'transient' }));
    expect(outcome).toMatchObject({ error: network, kind: 'transient', isHung: false });
    expect(told).toEqual([
      ['failed', 3],
      ['release', 3],
    ]);
    told = [];
    await attempted(async () => ({ error: network, kind: 'unsent' }));
    expect(told[0]).toEqual(['failed', 3]);
    told = [];
    await attempted(async () => ({ error: network, kind: 'final' }));
    expect(told).toEqual([['release', 3]]);
  });

  test('of a limit to pause: as long as the server asks, and no shorter than a retry would wait', async () => {
    const limited = new RateLimitError('slow down', {
      code: 'concurrent_request_limit',
      apiCode: 'some_limit',
      request: { ...INFO, status: 429, retryAfterMs: 90_000 },
    });
    const pauses: number[] = [];
    const of = runner({ onRateLimited: ms => pauses.push(ms) });
    await attempted(async () => ({ error: limited, kind: 'rate_limited', retryAfter: 90_000 }), { of });
    // Half of 500 ms, doubled once.
    await attempted(async () => ({ error: limited, kind: 'rate_limited' }));
    expect(pauses).toEqual([90_000]);
    expect(told).toEqual([
      ['backOff', 3, 90_000],
      ['release', 3],
      ['backOff', 3, 500],
      ['release', 3],
    ]);
    const refused = refusal?.(1234);
    expect(refused).toBeInstanceOf(RateLimitError);
    expect(refused).toMatchObject({
      message: 'slow down',
      code: 'concurrent_request_limit',
      apiCode: 'some_limit',
      cause: limited,
      request: { ...INFO, status: 429, retryAfterMs: 1234 },
    });
  });

  test('of a limit without a request, and of one that is another error', async () => {
    const limited = new RateLimitError('slow down', { code: 'rate_limit_exceeded' });
    await attempted(async () => ({ error: limited, kind: 'rate_limited' }));
    expect(refusal?.(5)).toMatchObject({ message: 'slow down', request: undefined });
    await attempted(async () => ({ error: network, kind: 'rate_limited' }));
    expect(refusal).toBeUndefined();
  });

  test('to back off by an attempt that goes on', async () => {
    const pauses: number[] = [];
    await attempted(
      async ({ backOff }) => {
        backOff(70);
        return { value: 0 };
      },
      { of: runner({ onRateLimited: ms => pauses.push(ms) }) },
    );
    expect(told.map(([what]) => what)).toEqual(['backOff', 'succeeded', 'release']);
    expect(pauses).toEqual([70]);
  });

  test('that a stream holds its permit until it was received', async () => {
    const received = withResolvers();
    await attempted(async () => ({ value: 0, received: received.promise }));
    expect(told.map(([what]) => what)).toEqual(['succeeded']);
    received.resolve();
    await received.promise;
    await Promise.resolve();
    expect(told.map(([what]) => what)).toEqual(['succeeded', 'release']);
  });

  test('of the end of an attempt that throws', async () => {
    const controller = new AbortController();
    const reason = new Error('interrupted');
    const running = attempted(
      async () => {
        controller.abort(reason);
        throw new Error('the socket is closed');
      },
      { signals: [new AbortController().signal, controller.signal] },
    );
    await expect(running).rejects.toBe(reason);
    expect(told).toEqual([['release', 3]]);
  });
});

test('a wait before a retry is its own backoff, or what the server asks for if that is longer', () => {
  const wait = (kind: 'transient' | 'rate_limited', retryAfter?: number) =>
    runner().waitMs({ error: network, kind, ...(retryAfter !== undefined && { retryAfter }) }, 2);
  expect([wait('transient'), wait('transient', 0), wait('transient', 199)]).toEqual([200, 200, 200]);
  expect([wait('transient', 201), wait('rate_limited'), wait('rate_limited', 5000)]).toEqual([
    201, 1000, 5000,
  ]);
});

describe('an error of the connection', () => {
  test('is a network failure of the request', async () => {
    const outcome = await attempted(async () => {
      throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    });
    expect(outcome).toMatchObject({ error: { kind: 'network', request: INFO } });
    expect(outcome.error?.request).toEqual(INFO);
  });

  test('has the status of a body that cannot be decoded, if its head was received', async () => {
    const broken = (status?: number) =>
      attempted(async (open: OpenAttempt) => {
        open.status = status;
        throw new DecodeError('broken');
      });
    expect((await broken(200)).error?.request).toEqual({ ...INFO, status: 200 });
    expect((await broken()).error?.request).toEqual(INFO);
    const reset = attempted(async (open: OpenAttempt) => {
      open.status = 200;
      throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    });
    expect((await reset).error?.request).toEqual(INFO);
  });
});

describe('an attempt ends', () => {
  /** Waits for the end of its time limit. */
  const waiting: AttemptOnce<never> = ({ timeout }) =>
    new Promise((_, reject) => timeout.signal.addEventListener('abort', () => reject(timeout.signal.reason)));

  test('at the time limit of its request, or else of the gateway', async () => {
    vi.useFakeTimers();
    const own = attempted(waiting, { timeoutMs: 300 });
    await vi.advanceTimersByTimeAsync(300);
    expect((await own).error?.message).toContain('no complete response within 0.3 s');
    const other = attempted(waiting);
    await vi.advanceTimersByTimeAsync(1000);
    expect((await other).error?.message).toContain('no complete response within 1 s');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('when it hangs while later ones are answered, unless it has its full time or its head', async () => {
    vi.useFakeTimers();
    const of = runner();
    const answered = () =>
      attempted(
        async open => {
          open.status = 200;
          now += 10;
          return { value: 0 };
        },
        { of },
      );
    const given = { of, timeoutMs: 60_000 };
    const hung = attempted(waiting, given);
    const patient = attempted(waiting, { ...given, hasFullTime: true });
    const begun = attempted(open => {
      open.status = 200;
      return waiting(open);
    }, given);
    await answered();
    await answered();
    told = [];
    await vi.advanceTimersByTimeAsync(5000);
    const outcome = await hung;
    expect(outcome).toMatchObject({ isHung: true });
    expect(outcome.error?.message).toContain('no response within 5 s, while later requests got a response');
    expect(told).toEqual([
      ['hung', 3],
      ['release', 3],
    ]);
    await vi.advanceTimersByTimeAsync(55_000);
    for (const each of [await patient, await begun]) {
      expect(each).toMatchObject({ isHung: false });
      expect(each.error?.message).toContain('within 60 s');
    }
  });
});

describe('--verbose shows', () => {
  const transfer = { bytes: 5 } as never;

  test('each attempt with its number, its time and what it received', async () => {
    const shown: Exchange[] = [];
    const of = runner({ trace: exchange => shown.push(exchange) });
    await attempted(
      async open => {
        now += 25;
        open.transfer = transfer;
        return { value: 0 };
      },
      { of },
    );
    await attempted(async () => ({ error: network, kind: 'transient' }), { of });
    const bare = new AuthError('no', { code: 'unauthorized' });
    await attempted(async () => ({ error: bare, kind: 'final' }), { of });
    expect(shown).toEqual([
      { request: { ...INFO, status: 200 }, attempt: 2, elapsedMs: 25, transfer },
      { request: { ...INFO, status: 503 }, attempt: 2, elapsedMs: 0, error: network },
      { request: { ...INFO, status: 200 }, attempt: 2, elapsedMs: 0, error: bare },
    ]);
  });

  test('a stream at its end, with the error if it broke', async () => {
    const shown: Exchange[] = [];
    const of = runner({ trace: exchange => shown.push(exchange) });
    const ended = withResolvers<NetworkError | undefined>();
    await attempted(async () => ({ value: 0, ended: ended.promise }), { of });
    expect(shown).toEqual([]);
    now += 99;
    ended.resolve(network);
    await ended.promise;
    await Promise.resolve();
    expect(shown).toEqual([{ request: { ...INFO, status: 200 }, attempt: 2, elapsedMs: 99, error: network }]);
  });
});

function withResolvers<T = void>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>(done => {
    resolve = done;
  });
  return { promise, resolve };
}
