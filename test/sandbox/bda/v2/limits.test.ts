import { describe, expect, test } from 'vitest';
import type { SandboxReply } from '../../../../src/sandbox/routing.ts';
import { BDA_V2_PREFIX } from '../../../../src/wire/bda-v2.ts';
import { NOW, openBda, textOf } from '../calling.ts';

const QUERY = {
  data_set: 'pageview',
  date_range: { start_date: '2026-03-01', end_date: '2026-03-02' },
  metrics: ['visits'],
};
const BULK = { ...QUERY, data_set: 'bulk', dimensions: ['row_id'], limit: 20_000 };

function opened(limits: { concurrent?: number; perMinute?: number }, now: () => number = () => NOW) {
  const bda = openBda({ limits, now });
  return (body: unknown = QUERY): Promise<SandboxReply> => bda.reply('POST', `${BDA_V2_PREFIX}/query`, body);
}

async function codeOf(reply: SandboxReply): Promise<string | undefined> {
  return JSON.parse(await textOf(reply)).error?.code;
}

describe('queries at once', () => {
  test('are rejected above the limit, until a response was read to its end', async () => {
    const ask = opened({ concurrent: 2 });
    const [first, second, third] = await Promise.all([ask(BULK), ask(BULK), ask()]);
    expect([first.status, second.status, third.status]).toEqual([200, 200, 429]);
    expect(third.headers?.['retry-after']).toBe('1');
    expect(await codeOf(third)).toBe('concurrent_request_limit');
    expect((await ask()).status).toBe(429);
    await textOf(first);
    expect((await ask()).status).toBe(200);
  });

  test('end with a reader that goes away, at the start or in the middle', async () => {
    const ask = opened({ concurrent: 1 });
    for (const chunksRead of [0, 2]) {
      const { body } = await ask(BULK);
      const chunks = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
      for (let index = 0; index < chunksRead; index += 1) expect((await chunks.next()).done).toBe(false);
      expect((await ask()).status).toBe(429);
      await chunks.return?.();
    }
    expect((await ask()).status).toBe(200);
  });

  test('do not count once they were rejected', async () => {
    const ask = opened({ concurrent: 1 });
    for (const body of ['{', { ...QUERY, domain_id: 77 }, { ...QUERY, metrics: ['nothing'] }]) {
      expect((await ask(body)).status).toBeGreaterThanOrEqual(400);
    }
    expect((await ask()).status).toBe(200);
  });

  test('that arrived together are in flight together, however short their responses', async () => {
    const ask = opened({ concurrent: 2 });
    const replies = await Promise.all([ask(), ask(), ask()]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(replies[0]?.body).toBeInstanceOf(Uint8Array);
    expect((await ask()).status).toBe(200);
  });

  test('may be eight by default', async () => {
    const ask = opened({});
    const replies = await Promise.all(Array.from({ length: 9 }, () => ask()));
    expect(replies.map(({ status }) => status)).toEqual([...Array(8).fill(200), 429]);
  });
});

describe('queries in a minute', () => {
  test('are rejected above the limit, with the seconds until there is room', async () => {
    let now = NOW;
    const ask = opened({ perMinute: 2 }, () => now);
    await textOf(await ask());
    now += 20_000;
    await textOf(await ask());
    now += 15_500;
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.headers?.['retry-after']).toBe('25');
    expect(await codeOf(refused)).toBe('rate_limit_exceeded');
    now += 24_499;
    expect((await ask()).status).toBe(429);
    now += 1;
    expect((await ask()).status).toBe(200);
    expect((await ask()).status).toBe(429);
  });

  test('may be 600 by default, listings not counted', async () => {
    const bda = openBda();
    const statuses = new Set<number>();
    for (let index = 0; index < 600; index += 1) statuses.add((await bda.v2('POST', '/query', '{')).status);
    expect([...statuses]).toEqual([400]);
    expect((await bda.query({ metrics: ['visits'] })).status).toBe(429);
    expect((await bda.v2('GET', '/columns')).status).toBe(200);
  });
});
