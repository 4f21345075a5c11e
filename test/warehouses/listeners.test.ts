import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { postgresEngine } from './fleets.ts';
import { type Listening, listeners, sendEvent, untilTrue } from './listeners.ts';
import { program as postgres } from './servers/postgres.ts';
import { PASSWORD, program, redisServer } from './servers/redis.ts';
import { seeded } from './support.ts';

/** In milliseconds. They end hangs only: a slow machine fails no test. */
const LONG = 300_000;
const ENTRIES = 60;
const EVENTS = 300;
const MOST_AT_ONCE = 12;
const KILLS = 8;

describe.skipIf(program.find() === undefined)('listeners that share a queue in Redis', () => {
  test('every event is purged after it was accepted, whatever is killed', { timeout: LONG }, async () => {
    const redis = await redisServer({ appendOnly: true });
    onTestFinished(redis.remove);
    const random = seeded(11);
    const below = (count: number) => Math.floor(random.next().value * count);
    const { start, receipts, purged, turns } = await listeners(
      { REDISCLI_AUTH: PASSWORD },
      ['--engine', `redis://127.0.0.1:${redis.port}`, '--collect', '0'],
      async () => {
        await sleep(20);
        return below(10) === 0 ? { status: 503 } : { body: '{"Success":true,"Error":""}' };
      },
    );
    const running: Listening[] = await Promise.all([start(), start(), start()]);
    const accepted = new Map<string, { readonly path: string; readonly at: number }>();
    const queued = new Map<string, number>();
    let [lost, refused] = [0, 0];
    /** As a sender behind a load balancer does: again, until it is accepted. */
    const deliver = async (id: string, event: { readonly path: string }) => {
      for (;;) {
        const { origin } = running[below(running.length)] as Listening;
        const response = await sendEvent(origin, id, event);
        if (response?.word === 'queued') queued.set(id, (queued.get(id) ?? 0) + 1);
        if (response !== undefined && response.status < 300) {
          if (!accepted.has(id)) accepted.set(id, { path: event.path, at: Date.now() });
          return;
        }
        if (response === undefined) lost += 1;
        else refused += 1;
        await sleep(50);
      }
    };
    const kill = async () => {
      const victim = below(running.length);
      running[victim]?.child.kill('SIGKILL');
      running[victim] = await start();
    };
    const killPurger = async () => {
      const before = turns().length;
      const victim = running.findIndex(({ child }) => child.pid === turns().at(-1));
      running[victim]?.child.kill('SIGKILL');
      await untilTrue(() => turns().length > before);
      running[victim] = await start();
    };
    const disasters = (async () => {
      for (let kills = 0; kills < KILLS; kills += 1) {
        await untilTrue(() => accepted.size >= ((kills + 1) * EVENTS) / (KILLS + 2), LONG);
        if (kills === KILLS / 2) {
          await redis.kill();
          await redis.start();
        }
        if (kills % 3 === 0) await killPurger();
        else await kill();
      }
    })();
    const sending = new Set<Promise<void>>();
    for (let index = 0; index < EVENTS; index += 1) {
      const entry = String(index % ENTRIES);
      const path = `/${entry}/v${Math.floor(index / ENTRIES)}/`;
      const event = { kind: 'updated', type: 'article', entry, path };
      // What one entry says is sent in order, as a CMS does.
      if (index % ENTRIES === 0) await Promise.all(sending);
      for (let copies = 1 + below(3); copies > 0; copies -= 1) {
        const sent = deliver(`e${index}`, event).finally(() => sending.delete(sent));
        sending.add(sent);
        if (sending.size >= MOST_AT_ONCE) await Promise.race(sending);
      }
    }
    await Promise.all([disasters, ...sending]);
    const confirmed = () =>
      new Set(receipts.filter(({ outcome }) => outcome === 'confirmed').map(({ id }) => id));
    await untilTrue(() => confirmed().size === EVENTS, LONG);

    expect(accepted.size).toBe(EVENTS);
    expect(new Set(receipts.map(({ outcome }) => outcome))).toEqual(new Set(['confirmed']));
    const early = [...accepted].filter(([id, { path }]) => {
      const at = Math.min(...receipts.filter(each => each.id === id).map(r => Date.parse(r.accepted_at)));
      return Math.max(...(purged.get(path) ?? [0])) < at;
    });
    expect(early).toEqual([]);
    // One that was stored is a duplicate for all listeners.
    expect([...queued].filter(([, times]) => times > 1)).toEqual([]);

    // Where an entry was is known to every listener: it is withdrawn without a word about its pages.
    const withdrawn = new Map<string, number>();
    for (let entry = 0; entry < ENTRIES; entry += 1) {
      withdrawn.set(String(entry), Date.now());
      const gone = { kind: 'unpublished', type: 'article', entry: String(entry), path: [] };
      const { origin } = running[below(3)] as Listening;
      expect((await sendEvent(origin, `gone-${entry}`, gone))?.status).toBe(202);
    }
    await untilTrue(() => confirmed().size === EVENTS + ENTRIES, LONG);
    const missed = [...withdrawn].flatMap(([entry, at]) =>
      Array.from({ length: EVENTS / ENTRIES }, (_, version) => `/${entry}/v${version}/`).filter(
        path => (purged.get(path)?.at(-1) ?? 0) < at,
      ),
    );
    expect(missed).toEqual([]);

    const origin = (running[0] as Listening).origin;
    await untilTrue(async () => (await (await fetch(`${origin}/healthz`)).text()).includes('"waiting":0'));
    const repeated = receipts.length - EVENTS - ENTRIES;
    const purges = [...purged.values()].flat().length;
    process.stdout.write(
      `listeners: ${EVENTS} events, ${lost} connections lost, ${refused} refused, ${repeated} receipts again, ${purges} pages purged, ${turns().length} turns\n`,
    );
    for (const { child } of running) {
      const ended = new Promise(resolve => child.once('exit', resolve));
      child.kill('SIGTERM');
      expect(await ended).toBe(0);
    }
  });

  test('while the server is away, nothing is accepted, and afterwards all is as before', async () => {
    const redis = await redisServer({ appendOnly: true });
    onTestFinished(redis.remove);
    const { start, receipts } = await listeners({ REDISCLI_AUTH: PASSWORD }, [
      ...['--engine', `redis://127.0.0.1:${redis.port}`, '--collect', '1h'],
    ]);
    const { origin } = await start();
    const event = { kind: 'updated', type: 'article', entry: '7', path: '/a/' };
    expect(await sendEvent(origin, 'e1', event)).toEqual({ status: 202, word: 'queued' });
    const health = async () => (await fetch(`${origin}/healthz`)).status;
    expect(await health()).toBe(200);
    await redis.kill();
    expect((await sendEvent(origin, 'e2', event))?.status).toBe(503);
    await untilTrue(async () => (await health()) === 503);
    await redis.start();
    await untilTrue(async () => (await health()) === 200);
    const other = await start();
    expect(await sendEvent(other.origin, 'e1', event)).toEqual({ status: 200, word: 'duplicate' });
    const again = await sendEvent(other.origin, 'e2', event);
    expect(again?.status).toBeLessThan(300);
    expect(receipts).toEqual([]);
  });

  test('a server without appendonly is a warning', async () => {
    const redis = await redisServer();
    onTestFinished(redis.remove);
    const { start, log } = await listeners({ REDISCLI_AUTH: PASSWORD }, [
      ...['--engine', `redis://127.0.0.1:${redis.port}`],
    ]);
    await start();
    expect(log.filter(({ level }) => level === 'warn')).toMatchObject([
      { message: 'a restart of the queue server loses accepted events: set appendonly yes' },
    ]);
    expect(JSON.stringify(log)).not.toContain(PASSWORD);
  });
});

describe.skipIf(postgres.find() === undefined)('listeners that share a queue in PostgreSQL', () => {
  test('an event that one accepts is known to all, and the next takes the turn of one that stops', async () => {
    const engine = await postgresEngine();
    onTestFinished(engine.remove);
    const { GATECTL_ENGINE: url, ...env } = engine.env;
    const { start, receipts, purged, turns } = await listeners(env, ['--engine', url, '--collect', '0']);
    const [one, other] = [await start(), await start()];
    const event = { kind: 'updated', type: 'article', entry: '7', path: '/a/' };
    expect(await sendEvent(one.origin, 'e1', event)).toEqual({ status: 202, word: 'queued' });
    expect(await sendEvent(other.origin, 'e1', event)).toEqual({ status: 200, word: 'duplicate' });
    await untilTrue(() => receipts.length === 1);
    const [purger, left] = turns()[0] === one.child.pid ? [one, other] : [other, one];
    const ended = new Promise(resolve => purger.child.once('exit', resolve));
    purger.child.kill('SIGTERM');
    expect(await ended).toBe(0);
    const gone = { kind: 'unpublished', type: 'article', entry: '7', path: [] };
    expect(await sendEvent(left.origin, 'e2', gone)).toEqual({ status: 202, word: 'queued' });
    await untilTrue(() => receipts.length === 2);
    expect(purged.get('/a/')).toHaveLength(2);
    expect(receipts.map(({ outcome }) => outcome)).toEqual(['confirmed', 'confirmed']);
  });
});
