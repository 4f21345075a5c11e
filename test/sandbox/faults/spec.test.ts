import { describe, expect, test } from 'vitest';
import { type FaultSpecError, parseFault } from '../../../src/sandbox/index.ts';

const ALWAYS = { count: Number.POSITIVE_INFINITY, after: 0, every: 1, delayMs: 0 };

describe('valid faults', () => {
  test.each([
    ['status=503', { action: { kind: 'reply', status: 503, content: { kind: 'envelope' } } }],
    [
      'status=429,code=concurrent_request_limit,retry-after=0',
      {
        action: {
          kind: 'reply',
          status: 429,
          code: 'concurrent_request_limit',
          content: { kind: 'envelope' },
        },
        retryAfter: 0,
      },
    ],
    ['delay=2s', { delayMs: 2000 }],
    ['delay=1.5m', { delayMs: 90_000 }],
    [
      'delay=250ms,status=500',
      { delayMs: 250, action: { kind: 'reply', status: 500, content: { kind: 'envelope' } } },
    ],
    ['reset', { action: { kind: 'reset', at: 'request' } }],
    ['reset=headers', { action: { kind: 'reset', at: 'headers' } }],
    ['reset=body', { action: { kind: 'reset', at: 'body' } }],
    ['truncate=0', { action: { kind: 'truncate', bytes: 0 } }],
    ['drip', { action: { kind: 'drip', bytes: 1, everyMs: 1000 } }],
    ['drip=16/250ms', { action: { kind: 'drip', bytes: 16, everyMs: 250 } }],
    ['rate-limit=10/s', { action: { kind: 'rate-limit', requests: 10, windowMs: 1000 } }],
    [
      'rate-limit=0/h,retry-after=9',
      { action: { kind: 'rate-limit', requests: 0, windowMs: 3_600_000 }, retryAfter: 9 },
    ],
    ['html', { action: { kind: 'reply', status: 200, content: { kind: 'html' } } }],
    ['html,status=502', { action: { kind: 'reply', status: 502, content: { kind: 'html' } } }],
    [
      'redirect=https://example.com/?a=b',
      {
        action: {
          kind: 'reply',
          status: 302,
          content: { kind: 'redirect', to: 'https://example.com/?a=b' },
        },
      },
    ],
    [
      'count=1,body={"a":1,"b=":2}',
      { count: 1, action: { kind: 'reply', status: 200, content: { kind: 'text', text: '{"a":1,"b=":2}' } } },
    ],
    ['body=', { action: { kind: 'reply', status: 200, content: { kind: 'text', text: '' } } }],
    [
      'reset, path=/cdnservices/, method=post, count=2, after=5, every=3',
      {
        action: { kind: 'reset', at: 'request' },
        path: '/cdnservices/',
        method: 'POST',
        count: 2,
        after: 5,
        every: 3,
      },
    ],
  ])('%s', (spec, fault) => {
    expect(parseFault(spec)).toEqual({ ...ALWAYS, spec, ...fault });
  });
});

describe('invalid faults', () => {
  test.each([
    ['', "'' has no action"],
    ['path=/x', "'path=/x' has no action"],
    ['staus=503', "unknown key 'staus' in a fault: did you mean status?"],
    ['explode', "unknown key 'explode' in a fault"],
    ['status', 'status requires a value'],
    ['status=5xx', 'invalid status=5xx: must be an integer, from 200 to 599'],
    ['status=100', 'invalid status=100: must be an integer, from 200 to 599'],
    ['status=503,status=500', "duplicate status in 'status=503,status=500'"],
    ['reset,html', 'reset and html cannot be combined in one fault'],
    ['status=503,reset', 'status and reset cannot be combined in one fault'],
    ['reset=later', 'invalid reset=later: must be reset, reset=headers or reset=body'],
    ['html=yes', 'html accepts no value'],
    ['delay=2', 'invalid delay=2: must be a number with a unit: 250ms, 2s, 1m'],
    ['drip=0/s', 'invalid drip=0/s: must be drip or drip=16/250ms'],
    ['drip=1/s', 'invalid drip=1/s: must be drip or drip=16/250ms'],
    ['rate-limit=10', 'invalid rate-limit=10: must be requests per second, minute or hour: 10/s, 100/m, 0/h'],
    ['redirect=', 'invalid redirect=: must be an ASCII URL'],
    ['truncate=-1', 'invalid truncate=-1: must be an integer, 0 or more'],
    ['status=503,count=0', 'invalid count=0: must be an integer, 1 or more'],
    ['status=503,every=1e3', 'invalid every=1e3: must be an integer, 1 or more'],
    ['status=503,path=cdn', 'invalid path=cdn: must start with /'],
    ['status=503,method=', 'invalid method=: must be one HTTP method'],
    ['reset,code=not_found', 'code requires a status'],
    ['reset,retry-after=3', 'retry-after requires a response'],
  ])('%s', (spec, message) => {
    expect(() => parseFault(spec)).toThrow(expect.objectContaining({ name: 'FaultSpecError', message }));
  });

  test('an unknown word is rejected with all known ones', () => {
    try {
      parseFault('explode');
      expect.unreachable();
    } catch (error) {
      expect((error as FaultSpecError).examples).toEqual([
        'keys: status=503 · delay=2s · reset, reset=headers or reset=body · truncate=100 · drip or drip=16/250ms' +
          ' · rate-limit=10/s · html · redirect=https://example.com/ · body=TEXT (must be last)' +
          ' · code=internal_error · retry-after=3 · path=/subscriptions/ · method=POST · count=2 · after=5 · every=5',
      ]);
    }
  });
});
