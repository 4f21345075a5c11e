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
  /** Indexes in the flags of the table: commands share many. */
  readonly flags: readonly number[];
  /** By position; a variadic one is the last. */
  readonly arguments: readonly { readonly completes: Completion; readonly isVariadic: boolean }[];
}

/** All that completion knows about the command line. */
export interface CompletionTable {
  readonly flags: readonly TableFlag[];
  readonly globalFlags: readonly TableFlag[];
  readonly pages: readonly TablePage[];
  readonly topics: readonly TableWord[];
}

/**
 * The table of all commands. The build replaces this module by one that contains the result, so that completion loads neither the
 * commands nor the parser.
 */
export function completionTable(): CompletionTable {
  const flags = new Map<string, TableFlag>();
  const indexOf = (flag: TableFlag): number => {
    const text = JSON.stringify(flag);
    if (!flags.has(text)) flags.set(text, flag);
    return [...flags.keys()].indexOf(text);
  };
  const pages = allPages().map(page => tablePage(page, indexOf));
  return {
    flags: [...flags.values()],
    globalFlags: GLOBAL_FLAGS.map(tableFlag),
    pages,
    topics: TOPICS.map(({ name, summary }) => ({ name, summary })),
  };
}

function tablePage(
  { path, command, children, flags, arguments: given }: Page,
  indexOf: (flag: TableFlag) => number,
): TablePage {
  const fields = isGroup(command)
    ? []
    : Object.keys(command.output?.fields ?? {}).filter(name => /^[\w.-]+$/.test(name));
  return {
    ...(fields.length > 0 && { fields }),
    path: path.join(' '),
    commands: children.map(({ name, summary }) => ({ name, summary })),
    flags: flags.map(flag => indexOf(tableFlag(flag))),
    arguments: given.map(({ completes, isVariadic }) => ({ completes, isVariadic })),
  };
}

function tableFlag(flag: FlagShape): TableFlag {
  const { option, long, short, value, isValueOptional, isVariadic, isRepeatable, summary } = flag;
  const takes = value === undefined ? 'none' : isVariadic ? 'many' : isValueOptional ? 'optional' : 'one';
  const names = short === undefined ? [long] : [long, short];
  return { names, takes, isRepeatable, completes: option.completes, summary };
}
