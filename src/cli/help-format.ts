import type { Argument, Command, Option as Flag, Help } from 'commander';

const DEFAULT_WIDTH = 80;
/** The description of a longer term starts on the next line. */
const MAX_TERM = 26;
/** With fewer columns for descriptions, each starts on the line after its term. */
const MIN_DESCRIPTION = 24;

/** The line about global options in the help of a command. */
const GLOBAL_OPTIONS_LINE = 'Global options: --profile, --output, --json, --sandbox; see gatectl --help';

interface Item {
  readonly term: string;
  readonly description: string;
}

/** The help of a command: usage, description, arguments, commands, options by group. */
export function formatHelp(command: Command, help: Help): string {
  const isRoot = command.parent === null;
  const args = help.visibleArguments(command).map((argument: Argument) => ({
    term: help.argumentTerm(argument),
    description: help.argumentDescription(argument),
  }));
  const commands = help.visibleCommands(command).map(child => ({
    term: help.subcommandTerm(child),
    description: help.subcommandDescription(child),
  }));
  const flags = help.visibleOptions(command).filter(({ long }) => isRoot || long !== '--help');
  const groups = help.groupItems(
    [...command.options],
    flags,
    (flag: Flag) => flag.helpGroupHeading ?? 'Options:',
  );
  const lists: [heading: string, items: readonly Item[]][] = [
    ['Arguments:', args],
    ['Commands:', commands],
    ...[...groups].map(([heading, members]): [string, Item[]] => [
      heading,
      members.map(flag => ({ term: help.optionTerm(flag), description: help.optionDescription(flag) })),
    ]),
  ];
  const width = help.helpWidth ?? DEFAULT_WIDTH;
  const wrap = (text: string, columns: number) => help.boxWrap(text, Math.max(columns, MIN_DESCRIPTION));
  const terms = lists.flatMap(([, items]) => items).map(({ term }) => term.length);
  const termWidth = Math.max(0, ...terms.filter(length => length <= MAX_TERM));
  return [
    `Usage: ${help.commandUsage(command)}`,
    wrap(help.commandDescription(command), width),
    ...lists
      .filter(([, items]) => items.length > 0)
      .map(([heading, items]) =>
        [heading, ...items.map(item => itemText(item, termWidth, width, wrap))].join('\n'),
      ),
    ...(isRoot ? [] : [wrap(GLOBAL_OPTIONS_LINE, width)]),
  ]
    .map(section => `${section}\n`)
    .join('\n');
}

function itemText(
  { term, description }: Item,
  termWidth: number,
  width: number,
  wrap: (text: string, columns: number) => string,
): string {
  const isNarrow = width - termWidth - 4 < MIN_DESCRIPTION;
  const indent = isNarrow ? 6 : termWidth + 4;
  const lines = wrap(description, width - indent).replaceAll('\n', `\n${' '.repeat(indent)}`);
  if (isNarrow || term.length > termWidth) return `  ${term}\n${' '.repeat(indent)}${lines}`;
  return `  ${term.padEnd(termWidth)}  ${lines}`;
}
