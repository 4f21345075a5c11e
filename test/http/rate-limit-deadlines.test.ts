import { setMaxListeners } from 'node:events';
import { expect, test } from 'vitest';
import { RateLimitError } from '../../src/errors/index.ts';
import { MOST_IN_FLIGHT } from '../../src/http/adaptive-limiter.ts';
import { Gateway } from '../../src/http/gateway.ts';
import { SMALL_RESPONSE } from '../../src/http/request.ts';
import type { StreamingBody } from '../../src/http/streaming-response.ts';
import { Redactor } from '../../src/text/redactor.ts';
import { VirtualTime } from './virtual-time.ts';

const ROUND_TRIP_MS = 100;
/** What a paywall gives one check. */
const DEADLINE_MS = 3000;

const CHECK = {
  api: 'subscriptions',
  method: 'GET',
  path: '/check',
  key: { in: 'nowhere' },
  effect: 'read',
  idempotent: true,
  hasDeadline: true,
  responseLimit: SMALL_RESPONSE,
  readError: () => undefined,
} as const;

/** A gateway that answers so many requests in each second, and refuses the others. */
function limitedTo(perSecond: number, time: VirtualTime) {
  let second = 0;
  let taken = 0;
  const exchange = async (_: unknown, signal: AbortSignal) => {
    await time.sleep(ROUND_TRIP_MS, signal);
    const now = Math.floor(time.now() / 1000);
    taken = now === second ? taken + 1 : 1;
    second = now;
    return { status: taken <= perSecond ? 200 : 429, headers: {}, body: bodyOf('{}') };
  };
  const user = new AbortController();
  setMaxListeners(0, user.signal);
  return new Gateway({
    baseUrl: new URL('https://gateway.example.com'),
    apiKey: async () => 'made-up-key',
    redactor: new Redactor(),
    signal: user.signal,
    retries: 1,
    timeoutMs: 3_600_000,
    clock: time,
    openTransport: () => ({ exchange, close: async () => {} }),
    compression: false,
    readOnly: false,
    inFlightAtFirst: { subscriptions: MOST_IN_FLIGHT },
  });
}

function bodyOf(text: string): StreamingBody {
  return {
    ended: Promise.resolve(),
    endIfIdle: () => false,
    drop: () => {},
    async *[Symbol.asyncIterator]() {
      yield new TextEncoder().encode(text);
    },
  };
}

/** Sends so many checks a second, evenly; resolves to how many of them were answered in time, in each ten seconds. */
async function answered(perSecond: number, accepted: number, seconds: number): Promise<readonly number[]> {
  const time = new VirtualTime(7);
  const gateway = limitedTo(accepted, time);
  const counts = Array.from({ length: seconds / 10 }, () => 0);
  const check = async (index: number) => {
    await time.sleep((index * 1000) / perSecond);
    const deadline = new AbortController();
    const isDone = new AbortController();
    time.sleep(DEADLINE_MS, isDone.signal).then(
      () => deadline.abort(new Error('too late')),
      () => {},
    );
    try {
      await gateway.send({ ...CHECK, signal: deadline.signal });
      const at = Math.floor(index / perSecond / 10);
      counts[at] = (counts[at] ?? 0) + 1;
    } catch (error) {
      expect(error === deadline.signal.reason || error instanceof RateLimitError).toBe(true);
    } finally {
      isDone.abort();
    }
  };
  await time.run(Promise.all(Array.from({ length: perSecond * seconds }, (_, index) => check(index))));
  return counts;
}

// In order, all of them would time out after some twenty seconds: each would be sent when it has no time left for its response.
test.each([
  [30, 25],
  [50, 25],
  [100, 25],
  [12, 10],
])(
  'of %i checks a second, of which the server accepts %i, some are answered at any time',
  async (asked, accepted) => {
    const counts = await answered(asked, accepted, 60);
    for (const count of counts) expect(count).toBeGreaterThan((accepted * 10) / 3);
  },
);

test('all checks below the rate limit are answered', async () => {
  expect(await answered(30, 35, 60)).toEqual([300, 300, 300, 300, 300, 300]);
});
