import type { LockMachine } from '../../../src/files/lock.ts';
import type { QueuedEvent } from '../../../src/operations/listen/event-store.ts';
import type { Operation, Stage, Task } from '../history.ts';
import type { Process } from '../machine.ts';
import type * as Program from '../program-entry.ts';

const FOLDER = '/data/queue';
const EVENTS = 12;
const MOST_TASKS = 14;
/** Longer than the other one listens. */
const WAIT_MS = 20_000;

const event = (id: number): QueuedEvent =>
  ({
    event: { id: `event-${id}` },
    sender: 'cms',
    accepted_at: '2026-03-14T12:00:00Z',
  }) as unknown as QueuedEvent;

/** What senders and listeners did so far. */
class Tally {
  readonly accepted = new Set<string>();
  readonly purged = new Map<string, number>();

  /** Sends each event that is not accepted yet, and purges what waits, `most` at once, until nothing is left. */
  async listen(
    { EventQueue }: typeof Program,
    { now, sleep }: LockMachine,
    { world }: Stage,
    most: number,
  ): Promise<void> {
    const opened = await EventQueue.open(FOLDER, { now, rememberMs: 600_000, onDamage: () => {} });
    const send = async (id: number) => {
      const sent = event(id);
      if (this.accepted.has(sent.event.id)) return;
      await sleep(world.below(30));
      await opened.append(sent);
      this.accepted.add(sent.event.id);
    };
    const sending = Promise.allSettled(Array.from({ length: EVENTS }, (_, id) => send(id)));
    let isSent = false;
    sending.then(() => {
      isSent = true;
    });
    while (!isSent || opened.waiting > 0) {
      if (opened.waiting === 0) {
        await sleep(5);
        continue;
      }
      const { events, done } = await opened.next(most);
      await sleep(world.below(10));
      for (const { event: each } of events) this.purged.set(each.id, (this.purged.get(each.id) ?? 0) + 1);
      await done();
    }
    await opened.close();
  }

  /** After so many listeners, all is purged. */
  mustEnd(listeners: number, { must }: Stage): void {
    must(listeners < MOST_TASKS, `${EVENTS - this.purged.size} events that were accepted are never purged`);
  }

  check({ world, must }: Stage): void {
    for (const id of this.accepted) must(this.purged.has(id), `${id} was accepted and never purged`);
    // What is purged again is what a listener was at when it ended.
    const ends = world.struck.length + 1;
    for (const [id, times] of this.purged) must(times <= ends, `${id} was purged ${times} times`);
  }
}

/** A sender that sends each event until it is accepted, and a listener that may be ended: what was accepted is purged. */
export const queue: Operation = {
  name: 'queue',
  steps: 90,
  async run(stage) {
    const { world, machine } = stage;
    const tally = new Tally();
    const most = world.pick([1, 3, 100]);
    for (let count = 0; tally.purged.size < EVENTS; count += 1) {
      tally.mustEnd(count, stage);
      const { process } = stage.task((program, own) => tally.listen(program, own, stage, most));
      await stage.until(() => process.isDead);
    }
    machine.cutPower();
    tally.check(stage);
  },
};

/** Two listeners of one folder: one waits, and takes over what the other leaves when it is ended. */
export const listeners: Operation = {
  name: 'listeners',
  steps: 130,
  async run(stage) {
    const { world, machine } = stage;
    const tally = new Tally();
    const most = world.pick([1, 3, 100]);
    let holder: Process | undefined;
    const start = (): Task => {
      const task: Task = stage.task((program, own) =>
        program.withLock(FOLDER, { machine: own, wait: WAIT_MS }, async () => {
          stage.must(holder === undefined || holder.isDead, 'two listeners have the queue');
          holder = task.process;
          try {
            await tally.listen(program, own, stage, most);
          } finally {
            holder = undefined;
          }
        }),
      );
      return task;
    };
    const running: Task[] = [];
    for (let count = 0; tally.purged.size < EVENTS; ) {
      const alive = running.filter(({ process }) => !process.isDead);
      if (alive.length < 2) {
        tally.mustEnd(count, stage);
        count += 1;
        running.push(start());
      }
      const due = world.now + world.below(20);
      world.after(due - world.now, undefined, () => {});
      await stage.until(() => world.now >= due);
    }
    await stage.until(() => running.every(({ process }) => process.isDead));
    for (const { error } of running) if (error?.name === 'Violation') stage.must(false, error.message);
    machine.cutPower();
    tally.check(stage);
  },
};
