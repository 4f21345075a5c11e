import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Received } from '../support/wire-server.ts';
import { figuresOf, respondFrom } from '../sync/source.ts';
import {
  behindProxy,
  COMMANDS,
  eventsOf,
  type Fleet,
  filesOf,
  fleet,
  fourUnits,
  ONE_ERROR,
  REJECTED,
  sites,
  type TestedEngine,
  WARNINGS,
} from './fleets.ts';
import { KILLS, proxyTo, seeded } from './support.ts';

/** In milliseconds. They end hangs only: a slow machine fails no test. */
const LONG = 300_000;

const GUIDE = fileURLToPath(new URL('../../docs/fleet.md', import.meta.url));

/** The arguments of each `gatectl bda sync` in the code blocks of a guide, without `bda sync`. */
function commandsOf(guide: string): string[][] {
  const blocks = [...guide.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
  const typed = blocks.flatMap(({ text }) =>
    [...text.matchAll(/gatectl bda sync ([\w ./-]+)/g)].map(([, args = '']) => args.trim().split(/ +/)),
  );
  const inPods = blocks
    .filter(({ language }) => language === 'yaml')
    .flatMap(({ text }) => parseAllDocuments(text))
    .flatMap(document => containersIn(document.toJS()))
    .map(({ args }) => args.slice(2));
  return [...typed, ...inPods];
}

/** The containers anywhere in a manifest of Kubernetes. */
function containersIn(manifest: unknown): { readonly args: string[] }[] {
  if (typeof manifest !== 'object' || manifest === null) return [];
  return Object.entries(manifest).flatMap(([key, value]) =>
    key === 'containers' ? (value as { args: string[] }[]) : containersIn(value),
  );
}

const IDLE = { waiting: 0, delayed: 0, active: 0, set_aside: 0 };
/** After how many bytes the connection of a command is cut, and the queue once it has been repeated; `isRejected` for units set aside. */
const CUTS: readonly {
  readonly command: keyof typeof COMMANDS;
  readonly isRejected?: boolean;
  readonly bytes: readonly number[];
  readonly after: object;
}[] = [
  { command: 'submit', bytes: [150, 700, 1700, 2600], after: { ...IDLE, waiting: 4 } },
  { command: 'status', bytes: [150, 700, 1700], after: { ...IDLE, waiting: 4 } },
  { command: 'drain', bytes: [150, 700, 1700], after: IDLE },
  { command: 'retry', isRejected: true, bytes: [150, 700, 1700], after: { ...IDLE, waiting: 4 } },
  { command: 'cancel', bytes: [150, 700, 1700], after: IDLE },
  { command: 'cancel', isRejected: true, bytes: [150, 700, 1700], after: IDLE },
];

/** The tests of workers that share a queue, which are the same for each server of queues. */
export function fleetTests(engineOf: () => TestedEngine): void {
  const fleetWith = (reply: Parameters<typeof fleet>[1], days?: number) => fleet(engineOf().env, reply, days);

  test('a value that cannot be stored sets its unit aside at once, which names the partition, after the others are written', {
    timeout: LONG,
  }, async () => {
    const figures = figuresOf(sites(3), '2026-01-01', 20);
    figures.get(1)?.get('2026-01-05')?.push({ page: '"bad\\ud800x"', visits: '1', revenue: '1' });
    const { json, run, status } = await fleetWith(respondFrom(figures));
    await json(['submit']);
    await run(['worker', '--until-empty', '--quiet']);
    expect((await status()).failed).toMatchObject([
      {
        tries: 1,
        error:
          '2026-01-05: lake cannot store the column page_url as it is: a text that is cut in the middle of a character',
      },
    ]);
    expect(await json(['status'])).toMatchObject([{ partitions: 59 }]);
  });

  test('rows that are quarantined set their unit aside, and a worker replaces the partition once the gateway has others', {
    timeout: LONG,
  }, async () => {
    const figures = figuresOf(sites(3), '2026-01-01', 20);
    const day = figures.get(1)?.get('2026-01-05') ?? [];
    figures.get(1)?.set(
      '2026-01-05',
      day.map(row => ({ ...row, revenue: '1e308' })),
    );
    const { json, run, status } = await fleetWith(respondFrom(figures));
    await json(['submit']);
    expect((await run(['worker', '--until-empty', '--quiet'])).code).toBe(7);
    expect((await status()).failed).toMatchObject([
      {
        tries: 1,
        error: expect.stringMatching(
          /^2026-01-05: quarantined: revenue: (?:.* -> )?DOUBLE, which is not exact, for 1e308 on 2026-01-05$/,
        ),
      },
    ]);
    const kept = async () => Object.values(await json(['status']))[0];
    expect(await kept()).toMatchObject({ quarantined: [{ partition: '2026-01-05', rows: 3 }] });
    figures.get(1)?.set('2026-01-05', day);
    await json(['retry']);
    expect((await run(['worker', '--until-empty', '--quiet'])).code).toBe(0);
    expect(await kept()).toMatchObject({ partitions: 60, quarantined: [] });
  });

  test('workers that are killed at any moment leave the same bytes as one process that nothing stopped', {
    timeout: Math.max(LONG, KILLS * 5000),
  }, async () => {
    const figures = figuresOf(sites(40), '2026-01-01', 20, (site, day) => (site * 7 + day) % 5);
    const reply = async (request: Received) => {
      if (request.method === 'POST') await sleep(60);
      return respondFrom(figures)(request);
    };
    const one = await fleetWith(reply);
    expect(await one.run(['run', '--quiet'])).toMatchObject({ code: 0 });
    const many = await fleetWith(reply);
    expect(await many.json(['submit'])).toMatchObject({ submitted: 40, waiting: 40 });
    expect(await many.json(['submit'])).toMatchObject({ submitted: 40, waiting: 40 });
    expect((await many.run(['submit'])).stdout).toMatch(/^40 units of the plan in the queue\n/);
    const random = seeded();
    const worker = () => many.start(['worker', '--concurrency', '2', '--lost-after', '1s', '--quiet']);
    const workers = Array.from({ length: 4 }, worker);
    const wanted = Math.max(4, Math.round(KILLS / 3));
    for (let kills = 0; kills < wanted; ) {
      if (kills > 0) await many.json(['submit', '--refetch', '2026-01', '--quiet']);
      const drain = many.start(['drain', '--quiet', '-o', 'json']);
      let isDrained = false;
      drain.ended.then(() => {
        isDrained = true;
      });
      while (kills < wanted) {
        await sleep(500 + random.next().value * 1500);
        if (isDrained) break;
        const index = kills % workers.length;
        workers[index]?.child.kill('SIGKILL');
        workers[index] = worker();
        kills += 1;
      }
      const { code, stdout, stderr } = await drain.ended;
      expect([code, stderr, JSON.parse(stdout).failed]).toEqual([0, '', []]);
      expect(filesOf(many.folder)).toEqual(filesOf(one.folder));
    }
    for (const { child } of workers) child.kill('SIGTERM');
    const verified = await many.run(['verify', '--quiet']);
    expect([verified.code, verified.stderr]).toEqual([0, '']);
    expect(await many.json(['plan'])).toEqual([]);
  });

  test('workers end when no file has an earlier column type than its table, with the bytes of one process', {
    timeout: LONG,
  }, async () => {
    // The sites are one unit each: some send integers, later ones a fraction, which makes the column wider.
    const figures = figuresOf(sites(12), '2026-01-01', 20);
    for (const [site, days] of figures)
      if (site % 3 === 0) days.set('2026-01-20', [{ page: '"/p"', visits: '12.5', revenue: '1' }]);
    const reply = respondFrom(figures);
    const one = await fleetWith(reply);
    expect(await one.run(['run', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
    const many = await fleetWith(reply);
    await many.json(['submit']);
    const work = ['worker', '--until-empty', '--concurrency', '3', '--deadline', '5m', '--log', 'json'];
    for (const { ended } of [many.start(work), many.start(work)]) expect((await ended).code).toBe(0);
    expect(filesOf(many.folder)).toEqual(filesOf(one.folder));
    expect(await many.run(['drain', '--quiet', '--deadline', '30s'])).toMatchObject({ code: 0 });
    expect((await many.run(['verify', '-o', 'json'])).stdout).not.toContain('column types');
  });

  test('a queue without workers ends drain at its deadline, with exit code 7', async () => {
    const { run } = await fourUnits(engineOf());
    const { code, stderr } = await run(['drain', '--quiet', '--deadline', '1s']);
    expect([code, stderr]).toEqual([7, 'error: 4 units left in the queue at the deadline\n']);
  });

  test('a plan that is submitted again while workers run requests at most what was in flight twice', {
    timeout: LONG,
  }, async () => {
    const figures = figuresOf(sites(300), '2026-01-01', 1, () => 1);
    const { start, run, json, requests } = await fleetWith(respondFrom(figures), 1);
    expect(await json(['submit'])).toMatchObject({ submitted: 300, waiting: 300 });
    expect(await json(['submit'])).toMatchObject({ submitted: 300, waiting: 300 });
    const worker = start(['worker', '--quiet']);
    while (requests() < 30) await sleep(20);
    const { submitted } = await json(['submit']);
    expect(submitted).toBeLessThan(300);
    expect(await run(['drain', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
    worker.child.kill('SIGTERM');
    await worker.ended;
    // A unit whose entry was being written while the ledger was read is in the plan.
    expect(requests()).toBeGreaterThanOrEqual(300);
    expect(requests()).toBeLessThanOrEqual(308);
    expect(await json(['plan'])).toEqual([]);
    expect(await json(['submit'])).toMatchObject({ submitted: 0, waiting: 0 });
  });

  test('cancel removes and counts all units that no worker has begun', async () => {
    const { json } = await fleetWith(respondFrom(figuresOf(sites(300), '2026-01-01', 1)), 1);
    await json(['submit']);
    expect(await json(['cancel'])).toMatchObject({ waiting: 300, set_aside: 0, active: 0 });
    expect(await json(['cancel'])).toMatchObject({ waiting: 0 });
  });

  test('cut connections to the queue lose and double nothing', { timeout: LONG }, async () => {
    const figures = figuresOf(sites(30), '2026-01-01', 3, (site, day) => (site * 7 + day) % 5);
    const reply = async (request: Received) => {
      if (request.method === 'POST') await sleep(200);
      return respondFrom(figures)(request);
    };
    const one = await fleetWith(reply, 3);
    expect(await one.run(['run', '--quiet'])).toMatchObject({ code: 0 });
    const proxy = await proxyTo(engineOf().port);
    onTestFinished(() => proxy.close());
    const url = new URL(engineOf().env.GATECTL_ENGINE);
    url.port = String(proxy.port);
    const many = await fleetWith(reply, 3);
    await many.json(['submit', '--account-rate', '10']);
    const workers = [1, 2].map(() =>
      many.start([
        ...['worker', '--engine', url.href, '--until-empty', '--lost-after', '2s'],
        ...['--concurrency', '2', '--log', 'json'],
      ]),
    );
    // The first connection is not tried again.
    await Promise.all(workers.map(worker => worker.logged('worker_ready')));
    const random = seeded(11);
    let isEnded = false;
    Promise.race(workers.map(worker => worker.ended)).then(() => {
      isEnded = true;
    });
    for (let cuts = 0; cuts < 4 && !isEnded; cuts++) {
      proxy.cutAfter(Math.round(random.next().value * 3000));
      await sleep(1200);
    }
    for (const worker of workers) expect(await worker.ended).toMatchObject({ code: 0 });
    expect(filesOf(many.folder)).toEqual(filesOf(one.folder));
  });

  test('a connection that is cut at any stage of each command is tried again, or is one error, and nothing is lost', {
    timeout: LONG,
  }, async () => {
    const cut = async (many: Fleet, command: keyof typeof COMMANDS, bytes: number) => {
      const url = await behindProxy(engineOf(), proxy => proxy.cutAfter(bytes));
      const { code, stderr } = await many.run([...COMMANDS[command], '--engine', url]);
      const place = `${command} ${bytes}: ${stderr}`;
      expect([0, 6], place).toContain(code);
      const whenDone = command === 'worker' ? WARNINGS : /^$/;
      expect(stderr, place).toMatch(code === 0 ? whenDone : ONE_ERROR);
    };
    const workers = [150, 700, 1700, 3200, 5500].map(async bytes => {
      const many = await fourUnits(engineOf());
      await cut(many, 'worker', bytes);
      // On a busy machine a lock may be lost once more.
      const repeated = await many.run(COMMANDS.worker);
      expect([repeated.code, repeated.stderr]).toEqual([0, expect.stringMatching(WARNINGS)]);
      expect(await many.json(['plan'])).toEqual([]);
    });
    const others = CUTS.map(async ({ command, isRejected = false, bytes, after }) => {
      const many = await fourUnits(engineOf(), isRejected);
      const worker = command === 'drain' ? many.start(['worker', '--quiet']) : undefined;
      await Promise.all(bytes.map(place => cut(many, command, place)));
      const engine = ['--engine', engineOf().env.GATECTL_ENGINE];
      expect(await many.run([...COMMANDS[command], ...engine])).toMatchObject({ code: 0 });
      worker?.child.kill('SIGTERM');
      await worker?.ended;
      expect([command, await many.status()]).toMatchObject([command, after]);
    });
    await Promise.all([...workers, ...others]);
  });

  test('a worker that was stopped while another got its unit writes nothing more', {
    timeout: LONG,
  }, async () => {
    const figures = figuresOf([1], '2026-01-01', 3);
    let asked = 0;
    let reply = () => {};
    const noticed = new Promise<void>(resolve => {
      reply = resolve;
    });
    const { start, run } = await fleetWith(async request => {
      if (request.method === 'POST') {
        asked += 1;
        if (asked === 1) await noticed;
      }
      return respondFrom(figures)(request);
    }, 3);
    await run(['submit', '--quiet']);
    // Nothing but the loss of its unit ends the request of the first one.
    const worker = () => start(['worker', '--lost-after', '2s', '--timeout', '600', '--log', 'json']);
    const stopped = worker();
    while (asked === 0) await sleep(20);
    stopped.child.kill('SIGSTOP');
    const other = worker();
    await other.logged('unit_started');
    stopped.child.kill('SIGCONT');
    await stopped.logged('unit_returned');
    reply();
    stopped.child.kill('SIGTERM');
    expect(await run(['drain', '--quiet'])).toMatchObject({ code: 0 });
    other.child.kill('SIGTERM');
    expect(eventsOf(await stopped.ended).at(-1)).toMatchObject({ done: 0, returned: 1, partitions: 0 });
    expect(eventsOf(await other.ended).at(-1)).toMatchObject({ done: 1, partitions: 3 });
    expect(await run(['verify', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('a queue that was emptied gets its limits back, and the next submit adds what is missing', {
    timeout: LONG,
  }, async () => {
    const figures = figuresOf(sites(30), '2026-01-01', 1, () => 1);
    const { start, run, json, status, requests } = await fleetWith(respondFrom(figures), 1);
    await run(['submit', '--account-rate', '3', '--quiet']);
    const worker = start(['worker', '--quiet']);
    while (requests() < 4) await sleep(20);
    await engineOf().empty();
    await worker.logged('the queue lost its limits');
    expect(await status()).toMatchObject({ waiting: 0, rate: 3 });
    await run(['submit', '--account-rate', '50', '--quiet']);
    expect(await run(['drain', '--quiet'])).toMatchObject({ code: 0 });
    expect(await json(['plan'])).toEqual([]);
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toMatchObject({ code: 143 });
  });

  test('a queue that was emptied fails all workers that had units in progress, which submit adds again', {
    timeout: LONG,
  }, async () => {
    const respond = respondFrom(figuresOf(sites(4), '2026-01-01', 1));
    let isHeld = true;
    let release = () => {};
    const held = new Promise<void>(resolve => {
      release = resolve;
    });
    const { start, run, json, requests } = await fleetWith(async request => {
      if (isHeld && request.method === 'POST') await held;
      return respond(request);
    }, 1);
    await run(['submit', '--quiet']);
    const batch = ['worker', '--until-empty', '--concurrency', '2', '--lost-after', '2s', '--timeout', '600'];
    const workers = [start(batch), start(batch)];
    while (requests() < 4) await sleep(20);
    await engineOf().empty();
    for (const { ended } of workers) {
      const { code, stderr } = await ended;
      expect([code, stderr.split(' is lost: the queue no longer has it').length]).toEqual([7, 3]);
      expect(stderr).toMatch(
        /error: the queue lost its units, 2 units in progress included, as when its server was emptied\n {2}submit the plan again: gatectl bda sync submit\n$/,
      );
    }
    isHeld = false;
    release();
    await run(['submit', '--quiet']);
    expect(await run(['worker', '--until-empty', '--quiet'])).toMatchObject({ code: 0 });
    expect(await json(['plan'])).toEqual([]);
  });

  test('SIGTERM finishes the units in progress, or returns them when the time is over', {
    timeout: LONG,
  }, async () => {
    const figures = figuresOf([1, 2, 3, 4], '2026-01-01', 20);
    const respond = respondFrom(figures);
    let isStuck = true;
    const { run, start, status, requests } = await fleetWith(request =>
      isStuck && request.method === 'POST' ? new Promise(() => {}) : respond(request),
    );
    await run(['submit', '--quiet']);
    const stuck = start(['worker', '--concurrency', '2', '--grace', '0.5', '--log', 'json']);
    while (requests() < 2) await sleep(20);
    stuck.child.kill('SIGTERM');
    const ended = await stuck.ended;
    expect(ended.code).toBe(143);
    expect(eventsOf(ended).filter(({ event }) => event === 'unit_returned')).toHaveLength(2);
    expect(eventsOf(ended).at(-1)).toMatchObject({ event: 'worker_ended', done: 0, returned: 2 });
    expect(await status()).toMatchObject({ waiting: 4, active: 0, set_aside: 0 });
    isStuck = false;
    const rest = await run(['worker', '--until-empty', '--log', 'json']);
    expect(rest.code).toBe(0);
    expect(eventsOf(rest).at(-1)).toMatchObject({ done: 4, failed: 0 });
  });

  test('an error that stops a worker is its exit code, even while SIGTERM lets it finish the unit in progress', {
    timeout: LONG,
  }, async () => {
    const respond = respondFrom(figuresOf([1], '2026-01-01', 20));
    let reject = () => {};
    const isStopping = new Promise<void>(resolve => {
      reject = resolve;
    });
    const { run, start, status, requests } = await fleetWith(async request => {
      if (request.method !== 'POST') return respond(request);
      await isStopping;
      return { status: 401, body: '{"error":{"code":"invalid_api_key","message":"invalid key"}}' };
    });
    await run(['submit', '--quiet']);
    const worker = start(['worker', '--log', 'json']);
    while (requests() < 1) await sleep(20);
    worker.child.kill('SIGTERM');
    await worker.logged('worker_stopping');
    reject();
    const { code, stderr } = await worker.ended;
    expect([code, stderr]).toEqual([4, expect.stringContaining('error: invalid key\n')]);
    expect(await status()).toMatchObject({ waiting: 1, active: 0, set_aside: 0 });
  });

  test('a unit that fails in all tries is set aside with its error, and retry returns it', {
    timeout: LONG,
  }, async () => {
    const respond = respondFrom(figuresOf([1, 2, 3], '2026-01-01', 20));
    let isBroken = true;
    const { run, json } = await fleetWith(request =>
      isBroken && request.method === 'POST' && JSON.parse(request.body).domain_id === 2
        ? REJECTED
        : respond(request),
    );
    await run(['submit', '--quiet']);
    const worker = await run(['worker', '--until-empty', '--quiet', '--metrics', 'worker.prom']);
    expect(worker.code).toBe(7);
    expect(worker.stderr).toContain('is set aside: no such site');
    const drained = await run(['drain', '-o', 'json']);
    expect(drained.code).toBe(7);
    expect(JSON.parse(drained.stdout).failed).toMatchObject([
      { table: 'pages', domain: 'site-2.example.com', from: '2026-01-01', to: '2026-01-20', tries: 1 },
    ]);
    expect(JSON.parse(drained.stderr).error).toMatchObject({ code: 'partial_failure', exit: 7 });
    isBroken = false;
    expect(await json(['retry'])).toMatchObject({ returned: 1 });
    expect(await run(['worker', '--until-empty', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
    await run(['submit', '--refetch', '2026-01', '--quiet']);
    expect(await json(['cancel'])).toMatchObject({ waiting: 3, active: 0 });
    expect(await run(['drain', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('the commands of the guide run as printed, alone and in the files for systemd, Kubernetes, Airflow and Slurm', {
    timeout: LONG,
  }, async () => {
    const { folder, run, start } = await fleetWith(respondFrom(figuresOf([1, 2], '2026-01-01', 20)));
    const commands = commandsOf(readFileSync(GUIDE, 'utf8')).map(args =>
      args.map(each =>
        each.replace(/^\/etc\/sync\//, `${folder}/`).replace('/var/lib/node_exporter/', `${folder}/`),
      ),
    );
    expect(commands.map(([verb]) => verb).sort()).toEqual([
      ...['drain', 'drain', 'submit', 'submit', 'submit'],
      ...['worker', 'worker', 'worker', 'worker'],
    ]);
    for (const args of commands.filter(([verb]) => verb === 'submit'))
      expect([args, await run(args)]).toMatchObject([args, { code: 0 }]);
    const workers = commands
      .filter(([verb]) => verb === 'worker')
      .map(args => ({ args, isEnding: args.includes('--until-empty'), running: start(args) }));
    // Before that, SIGTERM ends a process of Node without a word.
    for (const { args, isEnding, running } of workers)
      if (!isEnding) await running.logged(args.includes('json') ? 'worker_ready' : 'waiting for units');
    for (const args of commands.filter(([verb]) => verb === 'drain'))
      expect([args, await run(args)]).toMatchObject([args, { code: 0 }]);
    for (const { args, isEnding, running } of workers) {
      if (!isEnding) running.child.kill('SIGTERM');
      expect([args, (await running.ended).code]).toEqual([args, isEnding ? 0 : 143]);
    }
    expect(readFileSync(join(folder, 'gatectl.prom'), 'utf8')).toContain('gatectl_sync_queue_units');
    const days = readdirSync(join(folder, 'lake/pages'), { recursive: true });
    expect(days.filter(path => String(path).endsWith('data.parquet'))).toHaveLength(40);
  });

  test('a worker that cannot write its destination ends while units still wait', {
    timeout: LONG,
  }, async () => {
    const { folder, run } = await fleetWith(respondFrom(figuresOf([1, 2, 3], '2026-01-01', 20)));
    expect(await run(['run', '--quiet'])).toMatchObject({ code: 0 });
    // A folder in the place of a file that a partition of one site replaces.
    const file = join(folder, 'lake/pages/domain_id=2/day=2026-01-05/data.parquet');
    rmSync(file);
    mkdirSync(join(file, 'x'), { recursive: true });
    await run(['submit', '--quiet', '--tries', '3', '--refetch', '2026-01']);
    const worker = await run(['worker', '--until-empty', '--quiet']);
    expect(worker.code).toBe(9);
    expect(worker.stderr).toContain('data.parquet');
  });

  test('four workers share the rate of the account, and a hard limit above it refuses none', {
    timeout: LONG,
  }, async () => {
    const RATE = 12;
    // Workers start at most 62 units in five seconds, and a busy machine may send the requests of 16 units late.
    const [HARD, HARD_MS] = [80, 5000];
    const figures = figuresOf(sites(120), '2026-01-01', 1, () => 1);
    const times: number[] = [];
    let refused = 0;
    const { run, start } = await fleetWith(async request => {
      if (request.method !== 'POST') return respondFrom(figures)(request);
      const now = performance.now();
      if (times.filter(time => time > now - HARD_MS).length >= HARD) {
        refused += 1;
        return {
          status: 429,
          headers: { 'retry-after': '1' },
          body: '{"error":{"code":"rate_limit_exceeded"}}',
        };
      }
      times.push(now);
      await sleep(100);
      return respondFrom(figures)(request);
    }, 1);
    await run(['submit', '--account-rate', String(RATE), '--quiet']);
    const began = performance.now();
    const workers = Array.from({ length: 4 }, () => start(['worker', '--until-empty', '--quiet']));
    for (const { ended } of workers) expect(await ended).toMatchObject({ code: 0 });
    expect(times.length).toBe(120);
    expect(refused).toBe(0);
    // Two units at once, and two in each window of 167 ms after it.
    expect((times.at(-1) ?? 0) - began).toBeGreaterThan(59 * 160);
    // How fast they are depends on the machine, so it is printed, and the simulation has a bound.
    const seconds = ((times[110] ?? 0) - (times[20] ?? 0)) / 1000;
    const reached = Math.round((90 / seconds / RATE) * 100);
    process.stdout.write(`four workers: ${reached} % of the rate of the account\n`);
  });

  test('a 429 at one worker pauses all of them, and lowers the rate', { timeout: LONG }, async () => {
    const figures = figuresOf(sites(120), '2026-01-01', 1, () => 1);
    let refusedAt = Number.POSITIVE_INFINITY;
    const afterwards: number[] = [];
    const { run, start, status } = await fleetWith(async request => {
      if (request.method !== 'POST') return respondFrom(figures)(request);
      const now = performance.now();
      if (refusedAt === Number.POSITIVE_INFINITY && JSON.parse(request.body).domain_id >= 20) {
        refusedAt = now;
        return {
          status: 429,
          headers: { 'retry-after': '3' },
          body: '{"error":{"code":"rate_limit_exceeded"}}',
        };
      }
      if (now > refusedAt) afterwards.push(now - refusedAt);
      return respondFrom(figures)(request);
    }, 1);
    await run(['submit', '--account-rate', '20', '--quiet']);
    const workers = Array.from({ length: 2 }, () => start(['worker', '--until-empty', '--quiet']));
    const ended = await Promise.all(workers.map(({ ended }) => ended));
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    expect(ended.map(({ stderr }) => stderr).join('')).toContain('all workers of the account pause for 3');
    // Without a pause there would be 54; those that had started when the response came may be sent.
    expect(afterwards.filter(ms => ms < 2700).length).toBeLessThan(40);
    const rate = Number((await status()).rate);
    expect([rate > 16, rate < 18]).toEqual([true, true]);
  });
}
