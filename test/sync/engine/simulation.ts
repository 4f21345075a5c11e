import { ENOUGH_UNITS, LOOK_MS } from '../../../src/sync/engine/group-divider.ts';
import { lowered, type RateWindow, windowOf } from '../../../src/sync/engine/rate.ts';
import { groupsOf } from '../../../src/sync/engine/unit-job.ts';
import { tableOf } from '../tables.ts';

/** A fleet in a simulation with a virtual clock, in milliseconds. */
export interface Scenario {
  readonly accounts: number;
  readonly domains: number;
  /** Units of each site: the first shows how many there are. */
  readonly unitsOfDomain: number;
  readonly workers: number;
  readonly concurrency: number;
  /** `--account-rate`, in units a second. */
  readonly rate: number;
  /** Requests a second that the gateway accepts of an account; it refuses more with a 429 that asks for a pause of a second. */
  readonly hardLimit: number;
  /** How long the gateway takes for a request, at a time. */
  readonly latencyAt: (ms: number) => number;
  /** The share of requests that fail, each tried again after 2, 4, 8 … seconds. */
  readonly failures: number;
  /** How many workers are lost each minute; another one takes their units over after 30 s. */
  readonly lostEachMinute: number;
}

/** What came of it. */
export interface SimulationResult {
  readonly seconds: number;
  /** The least time that the limits allow: units by the rate, or by the latency of all places. */
  readonly boundSeconds: number;
  /** The first account that was done, compared with the last one. */
  readonly fairness: number;
  readonly units: number;
  readonly requests: number;
  readonly refused: number;
  /** Requests beyond one for each unit. */
  readonly waste: number;
}

/** How late workers notice the end of a window, in milliseconds: measured with BullMQ on Redis. */
const NOTICE_MS = 5;
/** How long a worker takes to divide a group: measured with BullMQ on PostgreSQL, the slower one. */
const DIVIDE_MS = 50;
const LOST_AFTER_MS = 30_000;
const PAUSE_MS = 1000;

interface WaitingUnit {
  readonly tries: number;
  /** The first of its site, which adds the others. */
  readonly isFirst: boolean;
}

interface Account {
  /** How many units each group has that is not divided yet. */
  groups: number[];
  /** From `next` on; the first one is started first. */
  waiting: WaitingUnit[];
  next: number;
  /** When to start units again, if that is planned. */
  wakesAt: number;
  window: RateWindow;
  windowEnds: number;
  started: number;
  pausedUntil: number;
  /** When the latest requests were accepted. */
  accepted: number[];
  left: number;
  doneAt: number;
  placesFree: number;
}

/** Runs a scenario with the rates, pauses and tries of the real worker, on a virtual clock. */
export async function simulate(scenario: Scenario): Promise<SimulationResult> {
  const {
    accounts: count,
    domains,
    unitsOfDomain,
    workers,
    concurrency,
    rate,
    hardLimit,
    failures,
  } = scenario;
  const random = numbers(42);
  const events = new Events();
  const places = Math.floor((workers * concurrency) / count);
  const groups = await groupSizes(Math.floor(domains / count));
  const accounts: Account[] = Array.from({ length: count }, () => ({
    groups: [...groups],
    waiting: [],
    next: 0,
    wakesAt: Number.POSITIVE_INFINITY,
    window: windowOf(rate),
    windowEnds: 0,
    started: 0,
    pausedUntil: 0,
    accepted: [],
    left: Math.floor(domains / count) * unitsOfDomain,
    doneAt: 0,
    placesFree: places,
  }));
  const units = accounts.reduce((sum, { left }) => sum + left, 0);
  let [requests, refused] = [0, 0];
  // Of each worker, in a millisecond.
  const lossShare = scenario.lostEachMinute / workers / 60_000;

  const wake = (account: Account, at: number): void => {
    if (account.wakesAt <= at) return;
    account.wakesAt = at;
    events.add(at, () => {
      // An earlier one has been planned meanwhile.
      if (account.wakesAt !== at) return;
      account.wakesAt = Number.POSITIVE_INFINITY;
      fill(account, at);
    });
  };

  const look = (account: Account, now: number): void => {
    if (account.left === 0) return;
    const group = account.waiting.length - account.next < ENOUGH_UNITS ? account.groups.shift() : undefined;
    if (group === undefined) events.add(now + LOOK_MS, at => look(account, at));
    else if (random() < lossShare * DIVIDE_MS)
      events.add(now + LOST_AFTER_MS, at => {
        account.groups.push(group);
        look(account, at);
      });
    else
      events.add(now + DIVIDE_MS, at => {
        for (let unit = 0; unit < group; unit++) account.waiting.push({ tries: 0, isFirst: true });
        fill(account, at);
        look(account, at);
      });
  };

  const fill = (account: Account, now: number): void => {
    while (account.placesFree > 0 && account.next < account.waiting.length) {
      const windowIsFull = account.started >= account.window.max && now < account.windowEnds + NOTICE_MS;
      const blockedUntil = Math.max(account.pausedUntil, windowIsFull ? account.windowEnds + NOTICE_MS : 0);
      if (blockedUntil > now) {
        wake(account, blockedUntil);
        return;
      }
      if (now >= account.windowEnds) {
        account.windowEnds = now + account.window.ms;
        account.started = 0;
      }
      account.started += 1;
      account.placesFree -= 1;
      const unit = account.waiting[account.next] as WaitingUnit;
      account.next += 1;
      start(account, unit, now);
    }
  };

  const start = (account: Account, unit: WaitingUnit, now: number): void => {
    requests += 1;
    while ((account.accepted[0] ?? now) <= now - 1000) account.accepted.shift();
    if (account.accepted.length >= hardLimit) {
      refused += 1;
      if (now >= account.pausedUntil) account.window = lowered(account.window);
      account.pausedUntil = Math.max(account.pausedUntil, now + PAUSE_MS);
      account.waiting.push(unit);
      account.placesFree += 1;
      wake(account, account.pausedUntil);
      return;
    }
    account.accepted.push(now);
    const ms = scenario.latencyAt(now) * (0.75 + random() / 2);
    const isLost = random() < lossShare * ms;
    events.add(now + (isLost ? LOST_AFTER_MS + ms * random() : ms), at => {
      account.placesFree += 1;
      if (isLost) account.waiting.push(unit);
      else if (random() < failures)
        events.add(at + 2000 * 2 ** unit.tries, later => {
          account.waiting.push({ ...unit, tries: unit.tries + 1 });
          fill(account, later);
        });
      else finish(account, unit, at);
      fill(account, at);
    });
  };

  const finish = (account: Account, unit: WaitingUnit, now: number): void => {
    account.left -= 1;
    account.doneAt = now;
    if (unit.isFirst)
      for (let rest = 1; rest < unitsOfDomain; rest++) account.waiting.push({ tries: 0, isFirst: false });
  };

  for (const account of accounts)
    for (let worker = 0; worker < Math.floor(workers / count); worker++)
      events.add(random() * LOOK_MS, at => look(account, at));
  events.run();
  const done = accounts.map(({ doneAt }) => doneAt / 1000);
  return {
    seconds: Math.max(...done),
    boundSeconds: boundOf(scenario, units / count, places),
    fairness: Math.min(...done) / Math.max(...done),
    units,
    requests,
    refused,
    waste: requests / units - 1,
  };
}

/** How many units the groups of so many sites have, as `submit` makes them. */
async function groupSizes(sites: number): Promise<readonly number[]> {
  const days = { from: '2026-01-01', to: '2026-01-31' };
  const partitions = [{ key: '2026-01', days, reason: 'new' as const, rows: undefined }];
  const common = { table: tableOf(), days, partitions, rows: undefined, requests: 1 };
  const units = Array.from({ length: sites }, (_, index) => ({
    ...common,
    domain: { id: index + 1, name: `site-${index + 1}.example.com` },
  }));
  const context = {
    ...{ destination: 'lake', today: '2026-02-01', plannedAt: '2026-02-01T12:00:00.000Z', lookback: 7 },
    ...{ latestDays: new Map(), kindOf: () => undefined },
  };
  const batches = (async function* () {
    yield units;
  })();
  const sizes: number[] = [];
  for await (const { data } of groupsOf(batches, 'account', context)) sizes.push(data.units.length);
  return sizes;
}

/** The least seconds for the units of an account, as its limits and the latency of its places allow. */
function boundOf({ rate, hardLimit, latencyAt }: Scenario, units: number, places: number): number {
  let [left, seconds] = [units, 0];
  for (;;) {
    const each = Math.min(rate, hardLimit, (places * 1000) / latencyAt(seconds * 1000));
    if (left <= each) return seconds + left / each;
    left -= each;
    seconds += 1;
  }
}

interface TimedEvent {
  readonly at: number;
  readonly run: (at: number) => void;
}

/** Events of the virtual clock, the earliest first: a binary heap. */
class Events {
  readonly #heap: TimedEvent[] = [];

  add(at: number, run: TimedEvent['run']): void {
    const heap = this.#heap;
    const event = { at, run };
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as TimedEvent;
      if (above.at <= at) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = event;
  }

  run(): void {
    for (let first = this.#take(); first !== undefined; first = this.#take()) first.run(first.at);
  }

  #take(): TimedEvent | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    const at = (place: number) => heap[place]?.at ?? Number.POSITIVE_INFINITY;
    let index = 0;
    for (;;) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      const least = at(right) < at(left) ? right : left;
      if (at(least) >= last.at) break;
      heap[index] = heap[least] as TimedEvent;
      index = least;
    }
    heap[index] = last;
    return first;
  }
}

/** Numbers from 0 to 1, the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
