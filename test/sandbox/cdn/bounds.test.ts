import { describe, expect, test } from 'vitest';
import { createCache } from '../../../src/sandbox/cdn/cache.ts';
import { createOrigin } from '../../../src/sandbox/cdn/origin.ts';
import { createPurgeLog } from '../../../src/sandbox/cdn/purge-log.ts';

describe('memory stays bounded', () => {
  test('the cache holds 10,000 pages and evicts the oldest', () => {
    const cache = createCache(createOrigin(), () => 0);
    const key = (n: number) => ({ domain: 'example.com', host: 'example.com', target: `/articles/${n}` });
    for (let n = 0; n <= 10_000; n += 1) cache.fetch(key(n));
    expect(cache.fetch(key(1))?.hit).toBe(true);
    expect(cache.fetch(key(0))?.hit).toBe(false);
    expect(cache.clearDomain('example.com')).toBe(10_000);
  });

  test('the record keeps the last 1,000 operations of 100,000 URLs and counts them all', () => {
    const record = createPurgeLog();
    for (let n = 0; n < 1001; n += 1) {
      const targets = Array.from({ length: 100 }, (_, at) => `https://example.com/${n * 100 + at}`);
      record.add({ at: n, endpoint: '/bulkclearcache', targets, cleared: 0, success: true });
    }
    const { operations, ...totals } = record.report();
    expect(totals).toEqual({ requests: 1001, failed: 0, targets: 100_100, cleared: 0 });
    expect(operations).toHaveLength(1000);
    expect(operations[0]?.targets[0]).toBe('https://example.com/100');
  });

  test('the record keeps fewer operations when their targets are long', () => {
    const record = createPurgeLog();
    for (let at = 0; at < 20; at += 1) {
      record.add({
        at,
        endpoint: '/clearcache',
        targets: ['x'.repeat(1_000_000)],
        cleared: 0,
        success: true,
      });
    }
    expect(record.report().operations.map(({ at }) => at)).toEqual([...Array(20).keys()].slice(4));
  });
});
