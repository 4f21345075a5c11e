import { type Completion, isGroup } from '../../commands/framework/define-command.ts';
import { allPages, type FlagShape, GLOBAL_FLAGS, type Page } from '../manual/surface.ts';
import { TOPICS } from '../manual/topics.ts';

/** A command or a topic: its name, and what it is. */
interface TableWord {
  readonly name: string;
  readonly summary: string;
}

export interface TableFlag {
  /** `--dimension`, then `-d`. */
  readonly names: readonly string[];
  /** How many words are its value: `many` are all up to the next flag. */
  readonly takes: 'none' | 'one' | 'many' | 'optional';
  readonly isRepeatable: boolean;
  readonly completes: Completion;
  readonly summary: string;
}

export interface TablePage {
  /** The words of the command, separated by blanks: `cdn purge`; empty for gatectl itself. */
  readonly path: string;
  readonly commands: readonly TableWord[];
  /** Of the JSON that it prints. */
  readonly fields?: readonly string[];
  readonly flags: readonly TableFlag[];
  /** By position; a variadic one is the last. */
  readonly arguments: readonly { readonly completes: Completion; readonly isVariadic: boolean }[];
}

/** All that completion knows about the command line. */
export interface CompletionTable {
  readonly globalFlags: readonly TableFlag[];
  readonly pages: readonly TablePage[];
  readonly topics: readonly TableWord[];
}

/**
 * The table of all commands. The build replaces this module by one that contains the result, so that completion loads neither the
 * commands nor the parser.
 */
export function completionTable(): CompletionTable {
  return {
    globalFlags: GLOBAL_FLAGS.map(tableFlag),
    pages: allPages().map(tablePage),
    topics: TOPICS.map(({ name, summary }) => ({ name, summary })),
  };
}

function tablePage({ path, command, children, flags, arguments: given }: Page): TablePage {
  const fields = isGroup(command)
    ? []
    : Object.keys(command.output?.fields ?? {}).filter(name => /^[\w.-]+$/.test(name));
  return {
    ...(fields.length > 0 && { fields }),
    path: path.join(' '),
    commands: children.map(({ name, summary }) => ({ name, summary })),
    flags: flags.map(tableFlag),
    arguments: given.map(({ completes, isVariadic }) => ({ completes, isVariadic })),
  };
}

function tableFlag(flag: FlagShape): TableFlag {
  const { option, long, short, value, isValueOptional, isVariadic, isRepeatable, summary } = flag;
  const takes = value === undefined ? 'none' : isVariadic ? 'many' : isValueOptional ? 'optional' : 'one';
  const names = short === undefined ? [long] : [long, short];
  return { names, takes, isRepeatable, completes: option.completes, summary };
}
