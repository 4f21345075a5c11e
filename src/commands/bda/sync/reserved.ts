import type { Destination } from '../../../sync/destinations/destination.ts';
import type { Context } from '../../framework/context.ts';

/** A function that prints which process holds a destination, before this one waits for it. */
export function waitNote({ log }: Pick<Context, 'log'>): (holder: string) => void {
  return holder => log.note(`${holder}; waiting until it ends`);
}

/** Runs the `work` of a run; with a destination that one run at a time can open, while no other run uses it. Throws the errors of both. */
export async function reserved<Value>(
  destination: Destination,
  context: Context,
  work: () => Promise<Value>,
): Promise<Value> {
  return destination.reserve === undefined
    ? await work()
    : await destination.reserve(waitNote(context), work);
}
