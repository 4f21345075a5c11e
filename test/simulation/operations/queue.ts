import type { QueuedEvent } from '../../../src/operations/listen/event-store.ts';
import type { Operation } from '../history.ts';

const FOLDER = '/data/queue';
const EVENTS = 12;
const MOST_TASKS = 14;

const event = (id: number): QueuedEvent =>
  ({
    event: { id: `event-${id}` },
    sender: 'cms',
    accepted_at: '2026-03-14T12:00:00Z',
  }) as unknown as QueuedEvent;

/** A sender that sends each event until it is accepted, and a listener that may be ended: what was accepted is purged. */
export const queue: Operation = {
  name: 'queue',
  steps: 90,
  async run(stage) {
    const { world, machine } = stage;
    const accepted = new Set<string>();
    const purged = new Map<string, number>();
    const most = world.pick([1, 3, 100]);
    for (let count = 0; purged.size < EVENTS; count += 1) {
      stage.must(count < MOST_TASKS, `${EVENTS - purged.size} events that were accepted are never purged`);
      const { process } = stage.task(async ({ EventQueue }, { now, sleep }) => {
        const opened = await EventQueue.open(FOLDER, { now, rememberMs: 600_000, onDamage: () => {} });
        const send = async (id: number) => {
          const sent = event(id);
          if (accepted.has(sent.event.id)) return;
          await sleep(world.below(30));
          await opened.append(sent);
          accepted.add(sent.event.id);
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
          for (const { event: each } of events) purged.set(each.id, (purged.get(each.id) ?? 0) + 1);
          await done();
        }
        await opened.close();
      });
      await stage.until(() => process.isDead);
    }
    machine.cutPower();
    for (const id of accepted) stage.must(purged.has(id), `${id} was accepted and never purged`);
    // What is purged again is what a listener was at when it ended.
    const ends = world.struck.length + 1;
    for (const [id, times] of purged) stage.must(times <= ends, `${id} was purged ${times} times`);
  },
};
