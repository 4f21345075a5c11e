import type { Context } from '../framework/context.ts';

/** On a terminal, offers to install completions for the user's shell where they are not yet there. */
export async function offerCompletions(_context: Context): Promise<void> {}
