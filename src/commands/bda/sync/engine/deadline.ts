import { PartialError } from '../../../../errors/index.ts';
import { pluralize } from '../../../../terminal/numbers.ts';

/** How long a command waits for a queue. */
export interface Deadline {
  /** Throws PartialError once it has passed, with the units that are left. */
  check(left: number): void;
}

/** A deadline that many milliseconds from now; without a time, none. */
export function deadlineOf(ms: number | undefined, clock: { now(): number }): Deadline {
  const end = ms === undefined ? undefined : clock.now() + ms;
  return {
    check: left => {
      if (end === undefined || clock.now() < end) return;
      throw new PartialError(`${pluralize(left, 'unit')} left in the queue at the deadline`, {
        code: 'partial_failure',
      });
    },
  };
}
