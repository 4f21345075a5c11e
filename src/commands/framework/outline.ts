import { type Command, isGroup, type Leaf } from './define-command.ts';

/** A command in a list of commands, with a function that loads its declaration. */
interface OutlinedLeaf {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<Leaf>;
  readonly commands?: readonly Outlined[];
}

export interface OutlinedGroup {
  readonly name: string;
  readonly summary: string;
  readonly description?: string | undefined;
  readonly commands: readonly Outlined[];
}

export type Outlined = OutlinedLeaf | OutlinedGroup;

/** The outline of a command that is loaded already. */
export function outlineOf(command: Command): Outlined {
  const { name, summary, commands } = command;
  const below = commands?.map(outlineOf);
  if (!isGroup(command))
    return { name, summary, load: async () => command, ...(below && { commands: below }) };
  return { name, summary, description: command.description, commands: below ?? [] };
}
