import type { Operation, Task } from '../history.ts';
import type { Process } from '../machine.ts';

const FILE = '/data/file';
const TASKS = 7;
const MOST_AT_ONCE = 3;
/** Longer than all others hold it. */
const WAIT_MS = 20_000;

/** Processes that take one lock, hold it for a few writes, and may be ended while they take, hold or release it. */
export const lock: Operation = {
  name: 'lock',
  steps: 130,
  async run(stage) {
    const { world } = stage;
    let holder: Process | undefined;
    let done = 0;
    const start = (): Task => {
      const task: Task = stage.task(async ({ withLock, writeAtomic }, machine) => {
        await withLock(FILE, { machine, wait: WAIT_MS }, async () => {
          stage.must(holder === undefined || holder.isDead, 'the lock has two holders');
          holder = task.process;
          try {
            for (let count = world.below(3); count >= 0; count -= 1) {
              await writeAtomic(FILE, `${task.process.pid} ${count}\n`);
              stage.must(holder === task.process, 'the lock was taken from its holder');
            }
            done += 1;
          } finally {
            holder = undefined;
          }
        });
      });
      return task;
    };
    const tasks: Task[] = [];
    while (tasks.length < TASKS) {
      const running = tasks.filter(({ process }) => !process.isDead);
      if (running.length < Math.min(MOST_AT_ONCE, TASKS - tasks.length + running.length)) tasks.push(start());
      const due = world.now + world.below(20);
      world.after(due - world.now, undefined, () => {});
      await stage.until(() => world.now >= due || tasks.every(({ process }) => process.isDead));
    }
    await stage.until(() => tasks.every(({ process }) => process.isDead));
    for (const { error } of tasks)
      if (error?.name === 'Violation' || error?.name === 'LockedError') stage.must(false, error.message);
    // Whatever is left, the next process gets it.
    const before = done;
    for (let count = 0; done === before; count += 1) {
      stage.must(count < TASKS, 'nobody gets the lock');
      const last = start();
      await stage.until(() => last.process.isDead);
      stage.must(
        last.error?.name !== 'LockedError' && last.error?.name !== 'Violation',
        last.error?.message ?? '',
      );
    }
  },
};
