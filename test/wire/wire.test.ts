import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { version } from '../../package.json';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.ts';
import { NOON, run } from '../support/run.ts';
import { wireServer } from '../support/wire-server.ts';
import { bdaV1Pairs } from './bda-v1.ts';
import { bdaV2Pairs } from './bda-v2.ts';
import { cdnPairs } from './cdn.ts';
import type { Pair } from './pair.ts';
import { subscriptionsPairs } from './subscriptions.ts';

const KEY = 'sandbox-key-0000-not-a-secret';

/** Replaces the values of varying fields by their types, at any depth. */
function comparable(value: unknown, varying: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map(item => comparable(item, varying));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      varying.includes(key) ? `any ${typeof inner}` : comparable(inner, varying),
    ]),
  );
}

describe.each<{ family: string; pairs: readonly Pair[] }>([
  { family: 'subscriptions', pairs: subscriptionsPairs },
  { family: 'cdn', pairs: cdnPairs },
  { family: 'bda v1', pairs: bdaV1Pairs },
  { family: 'bda v2', pairs: bdaV2Pairs },
])('$family', ({ pairs }) => {
  describe('gatectl sends the request and reads the response', () => {
    test.each(pairs)('$title', async ({ args, request, response, looksUp = 0, exit }) => {
      const server = await wireServer(() => ({
        status: response.status,
        body: JSON.stringify(response.body),
      }));
      try {
        const ran = await run([...args, '--json', '--retries', '0'], {
          env: { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: KEY },
        });
        expect(ran.code, ran.stderr).toBe(exit);
        const [sent] = server.received;
        // v1 reports no total: after rows, one more request shows the end.
        const pages = exit === 0 && /get(?:data|CustomData)/.test(request.target) ? 2 : 1;
        expect(server.received).toHaveLength(pages + looksUp);
        expect(sent?.method).toBe(request.method);
        expect(sent?.target).toBe(request.target);
        expect(sent?.headers).toMatchObject({ 'user-agent': `gatectl/${version}`, ...request.headers });
        for (const name of request.without ?? []) expect(sent?.headers).not.toHaveProperty(name);
        expect(sent?.body === '' ? undefined : JSON.parse(sent?.body ?? '')).toEqual(request.body);
      } finally {
        await server.close();
      }
    });
  });

  describe('the embedded gateway sends the response', () => {
    let sandbox: Sandbox;
    beforeAll(async () => {
      sandbox = await startSandbox({ now: () => NOON });
    });
    afterAll(() => sandbox.close());

    test.each(pairs)('$title', async ({ request, response }) => {
      const answer = await fetch(`${sandbox.baseUrl}${request.target}`, {
        method: request.method,
        headers: request.headers,
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
      });
      expect(answer.status).toBe(response.status);
      const varying = response.varying ?? [];
      expect(comparable(await answer.json(), varying)).toEqual(comparable(response.body, varying));
    });
  });
});
