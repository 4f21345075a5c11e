import {
  type Argument,
  type Command,
  type Completion,
  isGroup,
  type Option,
} from '../../commands/framework/define-command.ts';
import { tree } from '../../commands/tree.ts';
import { GLOBAL_OPTIONS, HELP_FLAG, VERSION_FLAG } from '../globals.ts';
import { DESCRIPTION } from '../parser.ts';

const SUMMARY = 'command line for a publisher-services gateway';

/** A flag with the details that completions, man pages and the schema need. */
export interface FlagShape {
  /** `--dimension`. */
  readonly long: string;
  /** `-d`, or another name: `--vs` of `--compare`. */
  readonly short: string | undefined;
  /** The placeholder of its value: `columns` in `--dimension <columns>`; undefined for a switch. */
  readonly value: string | undefined;
  /** Whether the value may be omitted. */
  readonly isValueOptional: boolean;
  /** Whether one flag accepts all words up to the next flag. */
  readonly isVariadic: boolean;
  readonly isRepeatable: boolean;
  readonly summary: string;
  readonly shownDefault: string | undefined;
  readonly option: Option<unknown>;
}

/** Flags by the heading under which help lists them, in the order of their declaration. */
export function flagGroups(
  flags: readonly FlagShape[],
): readonly (readonly [heading: string, flags: readonly FlagShape[]])[] {
  const groups = new Map<string, FlagShape[]>();
  for (const flag of flags) {
    const heading = flag.option.group ?? 'Options';
    groups.set(heading, [...(groups.get(heading) ?? []), flag]);
  }
  return [...groups];
}

export interface ArgumentShape {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isVariadic: boolean;
  readonly summary: string;
  readonly completes: Completion;
}

/** The words of the command; none for gatectl itself. */
export interface Page {
  readonly path: readonly string[];
  readonly command: Command;
  readonly arguments: readonly ArgumentShape[];
  /** Its own flags, without the global ones. */
  readonly flags: readonly FlagShape[];
  readonly children: readonly Command[];
}

/** The global flags. */
export const GLOBAL_FLAGS: readonly FlagShape[] = [...Object.values(GLOBAL_OPTIONS), HELP_FLAG].map(
  flagShape,
);

/** gatectl itself and each group and command below it, in the order of `--help`. */
function pagesOf(tree: readonly Command[]): readonly Page[] {
  const gatectl = { name: 'gatectl', summary: SUMMARY, description: DESCRIPTION, commands: tree };
  return [{ ...page([], gatectl), flags: [flagShape(VERSION_FLAG)] }, ...pagesBelow([], tree)];
}

function pagesBelow(path: readonly string[], commands: readonly Command[]): Page[] {
  return commands.flatMap(command => {
    const own = [...path, command.name];
    return [page(own, command), ...pagesBelow(own, command.commands ?? [])];
  });
}

function page(path: readonly string[], command: Command): Page {
  if (isGroup(command)) return { path, command, arguments: [], flags: [], children: command.commands };
  return {
    path,
    command,
    arguments: Object.values(command.arguments).map(argumentShape),
    flags: Object.values(command.options).map(flagShape),
    children: command.commands ?? [],
  };
}

function flagShape(option: Option<unknown>): FlagShape {
  const syntax = /^(?:(-\w|--[\w-]+), )?(--[\w-]+)(?: ([<[])(.+)[>\]])?$/;
  const [, short, long = '', bracket, value] = syntax.exec(option.flags) ?? [];
  return {
    long,
    short,
    value: value?.replace(/\.\.\.$/, ''),
    isValueOptional: bracket === '[',
    isVariadic: value?.endsWith('...') ?? false,
    isRepeatable: option.kind === 'list',
    summary: option.summary,
    shownDefault: option.shownDefault,
    option,
  };
}

function argumentShape({ syntax, summary, completes }: Argument<unknown>): ArgumentShape {
  const [, bracket, name = '', dots] = /^([<[])(.+?)(\.\.\.)?[>\]]$/.exec(syntax) ?? [];
  return { name, isRequired: bracket === '<', isVariadic: dots !== undefined, summary, completes };
}

/** The pages of the commands directly below one. */
export function pagesDirectlyBelow({ path }: Page, pages: readonly Page[]): readonly Page[] {
  return pages.filter(
    other => other.path.length === path.length + 1 && path.every((word, index) => other.path[index] === word),
  );
}

/** gatectl itself and each of its commands. */
export function allPages(): readonly Page[] {
  return pagesOf(tree);
}
