import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sleepFor } from '../../src/http/clock.ts';
import { connectEngine } from '../../src/sync/engine/connect.ts';
import { readEngine } from '../../src/sync/engine/engine-url.ts';
import { figuresOf, respondFrom } from '../sync/source.ts';
import { fleetTests } from './fleet-tests.ts';
import { fleet, postgresEngine, type TestedEngine } from './fleets.ts';
import { LOADER, program } from './servers/postgres.ts';
import { proxyTo } from './support.ts';

describe.skipIf(program.find() === undefined)('units in PostgreSQL', () => {
  let engine: TestedEngine;

  beforeAll(async () => {
    engine = await postgresEngine();
  }, 180_000);

  afterAll(() => engine?.remove());

  fleetTests(() => engine);

  test('a connection that is lost while nothing waits for it ends no command', async () => {
    const proxy = await proxyTo(engine.port);
    const url = new URL(engine.env.GATECTL_ENGINE);
    url.port = String(proxy.port);
    const clock = { now: Date.now, sleep: sleepFor };
    const connection = await connectEngine(readEngine(url.href, engine.env), true, clock);
    const pool = connection.connection as Pool;
    // The first one is that of the connection attempt.
    const clients = [await pool.connect(), await pool.connect()];
    const areLost = clients.map(client => new Promise(resolve => client.once('end', resolve)));
    await proxy.close();
    // An error without a listener fails this run.
    await Promise.all(areLost);
    for (const client of clients) client.release(true);
    await connection.close();
  });

  test('a wrong password is one line, without the password', async () => {
    const url = engine.env.GATECTL_ENGINE;
    const { run } = await fleet(
      { GATECTL_ENGINE: url, PGPASSWORD: 'canary-1234' },
      respondFrom(figuresOf([1], '2026-01-01', 1)),
    );
    const { code, stderr } = await run(['retry']);
    expect([code, stderr.split('\n')[0]]).toEqual([
      4,
      `error: ${url.replace(`${LOADER}@`, '')} rejected the user or the password`,
    ]);
    expect(stderr).not.toContain('canary');
  });
});
