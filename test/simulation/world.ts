/** What may go wrong at a step, which is a call of the disk or a request. */
export const FAULT_KINDS = [
  // The process ends before the call, after it, or, for a write, in the middle of it.
  'kill before',
  'kill after',
  'kill within',
  // The power fails: all processes end, and the disk keeps what was synced and some of the rest.
  'cut before',
  'cut after',
  // The call fails once, or for want of room, as all later ones do until the next process starts.
  'fail',
  'full',
  // Of requests: it does not arrive, its answer does not, takes minutes or breaks off, or the gateway refuses it.
  'lose request',
  'lose answer',
  'late answer',
  'cut answer',
  'refuse 429',
  'refuse 503',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Fault {
  /** The number of the step, from 0. */
  readonly at: number;
  readonly kind: FaultKind;
}

/** Who an event belongs to: it is not run once that is dead. */
export interface Owner {
  readonly isDead: boolean;
}

interface Event {
  readonly at: number;
  readonly order: number;
  readonly owner: Owner | undefined;
  readonly run: () => void | Promise<void>;
}

/** Nothing is left to happen, although somebody waits. */
export class Deadlock extends Error {}

const START = Date.UTC(2026, 2, 14, 12);
/** More steps than any history has. */
const MOST_STEPS = 40_000;

/** Time, chance and the order of events in one history: all of it follows from a seed. */
export class World {
  /** Milliseconds since the epoch. */
  now = START;
  /** What happened, if it is wanted. */
  readonly lines: string[] | undefined;
  /** The number of the next step. */
  step = 0;
  /** Where processes were ended and calls failed, for the number of distinct places. */
  readonly struck: string[] = [];
  readonly #faults: ReadonlyMap<number, FaultKind>;
  readonly #events: Event[] = [];
  #state: number;
  #order = 0;
  #hash = 0x811c9dc5;
  #hash2 = 0x1234567;

  constructor(seed: number, faults: readonly Fault[], isTraced = false) {
    this.#state = (seed * 0x9e3779b1) >>> 0;
    this.#faults = new Map(faults.map(({ at, kind }) => [at, kind]));
    this.lines = isTraced ? [] : undefined;
  }

  /** A number in [0, 1). */
  random = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  /** An integer from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.random() * end);
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }

  /** The fault of the next step, which `what` names. */
  nextStep(what: string): FaultKind | undefined {
    const fault = this.#faults.get(this.step);
    this.note(`${this.step} ${what}${fault === undefined ? '' : ` [${fault}]`}`);
    this.step += 1;
    if (this.step > MOST_STEPS) throw new Deadlock('a history never ends');
    return fault;
  }

  /** Adds to the trace. */
  note(text: string): void {
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      this.#hash = Math.imul(this.#hash ^ code, 0x01000193);
      this.#hash2 = Math.imul(this.#hash2 + code, 0x85ebca6b) ^ (this.#hash2 >>> 13);
    }
    this.lines?.push(`${(this.now - START).toFixed(1).padStart(10)} ${text}`);
  }

  /** A hash of the trace. */
  get hash(): string {
    return ((this.#hash >>> 0).toString(16) + (this.#hash2 >>> 0).toString(16)).padStart(16, '0');
  }

  /** Runs something in `ms` milliseconds, unless its owner is dead by then. */
  after(ms: number, owner: Owner | undefined, run: Event['run']): Event {
    const event = { at: this.now + Math.max(0, ms), order: this.#order++, owner, run };
    push(this.#events, event);
    return event;
  }

  /** Lets things happen until something is so. Throws Deadlock when nothing is left to happen before. */
  async until(isSo: () => boolean): Promise<void> {
    for (;;) {
      await new Promise(resolve => setImmediate(resolve));
      if (isSo()) return;
      let event = pop(this.#events);
      while (event?.owner?.isDead) event = pop(this.#events);
      if (event === undefined) throw new Deadlock('nothing is left to happen');
      this.now = Math.max(this.now, event.at);
      await event.run();
    }
  }
}

/** Whether one event is before another. */
const isBefore = (one: Event, other: Event) =>
  one.at < other.at || (one.at === other.at && one.order < other.order);

function push(heap: Event[], event: Event): void {
  let at = heap.push(event) - 1;
  while (at > 0) {
    const up = (at - 1) >> 1;
    if (isBefore(heap[up] as Event, event)) break;
    heap[at] = heap[up] as Event;
    at = up;
  }
  heap[at] = event;
}

function pop(heap: Event[]): Event | undefined {
  const [first] = heap;
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let down = 2 * at + 1;
    if (down >= heap.length) break;
    if (down + 1 < heap.length && isBefore(heap[down + 1] as Event, heap[down] as Event)) down += 1;
    if (isBefore(last, heap[down] as Event)) break;
    heap[at] = heap[down] as Event;
    at = down;
  }
  heap[at] = last;
  return first;
}
