import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { figuresOf, respondFrom } from '../sync/source.ts';
import { fleetTests } from './fleet-tests.ts';
import { fleet, redisEngine } from './fleets.ts';
import { program } from './servers/redis.ts';

const respond = respondFrom(figuresOf([1], '2026-01-01', 1));

describe.skipIf(program.find() === undefined)('units in Redis', () => {
  let engine: Awaited<ReturnType<typeof redisEngine>>;

  beforeAll(async () => {
    engine = await redisEngine();
  }, 180_000);

  afterAll(() => engine?.remove());

  fleetTests(() => engine);

  test('a database that the server does not have is one error', async () => {
    const url = engine.env.GATECTL_ENGINE;
    const { run } = await fleet({ ...engine.env, GATECTL_ENGINE: `${url}/99` }, respond);
    const { code, stderr } = await run(['worker', '--until-empty']);
    expect([code, stderr]).toEqual([2, `error: ${url}/99 has no database 99\n`]);
  });

  test('a server that removes keys when its memory is full is rejected', async () => {
    const { run } = await fleet(engine.env, respond);
    const setPolicy = (policy: string) =>
      engine.withClient(client => client.config('SET', 'maxmemory-policy', policy));
    await setPolicy('volatile-lru');
    onTestFinished(async () => {
      await setPolicy('noeviction');
    });
    const { code, stderr } = await run(['retry']);
    expect([code, stderr]).toEqual([
      2,
      `error: ${engine.env.GATECTL_ENGINE} removes keys when its memory is full (maxmemory-policy volatile-lru)\n  set maxmemory-policy noeviction on the server, or use another server for the queue\n`,
    ]);
  });

  test('a wrong password is one line, without the password', async () => {
    const url = engine.env.GATECTL_ENGINE;
    const { run } = await fleet({ GATECTL_ENGINE: url, REDISCLI_AUTH: 'canary-1234' }, respond);
    const { code, stderr } = await run(['retry']);
    expect([code, stderr.split('\n')[0]]).toEqual([4, `error: ${url} rejected the user or the password`]);
    expect(stderr).not.toContain('canary');
  });
});
