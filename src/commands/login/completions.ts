import { hasCompletions, installCompletions } from '../completion/install.ts';
import { type Context, SHELLS } from '../framework/context.ts';

/** On a terminal, offers to install completions for the user's shell unless they are installed. */
export async function offerCompletions(context: Context): Promise<void> {
  const { prompt, io } = context;
  const shell = SHELLS.find(name => name === io.env.SHELL?.split('/').at(-1));
  if (prompt === undefined || shell === undefined || io.homedir === undefined) return;
  if (await hasCompletions(shell, context)) return;
  if (!(await prompt.confirm(`Install completions for ${shell}?`))) return;
  for (const { path, change } of await installCompletions(shell, context))
    context.log.note(`${change} ${path}`);
}
