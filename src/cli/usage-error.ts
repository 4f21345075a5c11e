import type { CommanderError } from 'commander';
import { type Argument, flagName, type Leaf, type Option } from '../commands/framework/define-command.ts';
import { UsageError } from '../errors/index.ts';
import { nearest } from '../errors/nearest.ts';
import { GLOBAL_OPTIONS, HELP_FLAG } from './globals.ts';

/** The command that was named, with the words that name it: `gatectl cdn purge`. */
export interface Named {
  readonly leaf: Leaf;
  readonly words: string;
}

/** What commander refused, in gatectl's words, with what to type instead. */
export function usageError(error: CommanderError, named: Named | undefined): UsageError {
  if (error.code === 'commander.optionMissingArgument') return withoutValue(error, named);
  if (named !== undefined && error.code === 'commander.missingArgument') return missing(error, named);
  if (named !== undefined && error.code === 'commander.excessArguments') return tooMany(error, named);
  if (error.code === 'commander.unknownOption') return unknownOption(quoted(error), named);
  return inItsWords(error);
}

function missing(error: CommanderError, { leaf, words }: Named): UsageError {
  const name = quoted(error);
  const argument = Object.values(leaf.arguments).find(({ syntax }) => syntax === `<${name}>`);
  const about = argument === undefined ? '' : `: ${argument.summary}`;
  const example = leaf.examples.find(({ command }) => command.startsWith(`${words} `));
  return new UsageError(`${name.toUpperCase()} is missing${about}`, {
    hints: [`type ${usage(leaf, words)}`, ...(example === undefined ? [] : [`such as: ${example.command}`])],
  });
}

/** What was given is not repeated: it may be anything that was meant for another place. */
function tooMany(error: CommanderError, { leaf, words }: Named): UsageError {
  const [, given = ''] = / but got (\d+)/.exec(error.message) ?? [];
  const most = Object.keys(leaf.arguments).length;
  const quotes = 'put quotes around what holds a blank';
  if (most === 0) {
    const what = given === '1' ? 'a word without a flag was' : `${given} words without a flag were`;
    return new UsageError(`${words} takes flags alone, and ${what} given`, {
      hints: [`${quotes}; add --help to see the flags`],
    });
  }
  const room = most === 1 ? 'one argument' : `${most} arguments`;
  return new UsageError(`${words} takes ${room}, and ${given} were given`, {
    hints: [`type ${usage(leaf, words)}`, quotes],
  });
}

function withoutValue(error: CommanderError, named: Named | undefined): UsageError {
  const flags = quoted(error);
  const name = flagName(flags);
  const options: readonly Option<unknown>[] = [
    ...Object.values(named?.leaf.options ?? {}),
    ...Object.values(GLOBAL_OPTIONS),
  ];
  const option = options.find(each => each.flags === flags);
  if (option === undefined) return inItsWords(error);
  const { choices, summary } = option;
  const [, value = 'value'] = /<([^.>]+)/.exec(flags) ?? [];
  if (choices !== undefined)
    return new UsageError(`${name} needs a value`, { hints: [`one of: ${choices.join(', ')}`] });
  return new UsageError(`${name} needs a value: ${summary}`, {
    hints: [`type ${name} ${value.toUpperCase()}`],
  });
}

function usage(leaf: Leaf, words: string): string {
  return [words, ...Object.values(leaf.arguments).map(inCapitals)].join(' ');
}

/** `PATH`, `[FILE]`, `[URL…]`. */
function inCapitals({ syntax }: Argument<unknown>): string {
  return syntax
    .replace(/^<(.*)>$/, '$1')
    .replace('...', '…')
    .toUpperCase();
}

function quoted({ message }: CommanderError): string {
  return /'(.*)'/s.exec(message)?.[1] ?? '';
}

/** What somebody types who wants to give the API key. */
const KEY_OPTION = /^--(?:(?:x-)?(?:api-?)?key|developer-?key)$/i;
const WAYS_TO_GIVE_A_KEY = [
  'keys are never taken from the command line, where others can see them: set GATECTL_API_KEY,',
  'or store the key: gatectl profile add NAME --base-url URL with --api-key-stdin, --api-key-file, --key-command or --keyring',
];

/** Options that had another name before version 1.0, by that name. */
const RENAMED_OPTIONS: Readonly<Record<string, string>> = {
  '--again': '--repeat-after',
  '--complete-only': '--complete-periods',
  '--failed-to': '--failed-file',
  '--only': '--label',
};

/** An option that neither the command nor gatectl has. What was given to it with `=` may be a key and is not repeated. */
export function unknownOption(word: string, named: Named | undefined): UsageError {
  const name = word.replace(/=.*$/s, '');
  return new UsageError(`unknown option '${name}'`, { hints: hintsForUnknown(name, named) });
}

function hintsForUnknown(name: string, named: Named | undefined): readonly string[] {
  if (KEY_OPTION.test(name)) return WAYS_TO_GIVE_A_KEY;
  const options = [...Object.values(named?.leaf.options ?? {}), ...Object.values(GLOBAL_OPTIONS), HELP_FLAG];
  const names = options.map(({ flags }) => flagName(flags));
  const present = Object.hasOwn(RENAMED_OPTIONS, name) ? RENAMED_OPTIONS[name] : undefined;
  if (present !== undefined && names.includes(present)) return [`use ${present}`];
  const meant = name.startsWith('--') ? nearest(name, names) : undefined;
  return [meant === undefined ? 'add --help to see what the command takes' : `did you mean ${meant}?`];
}

/** commander's message without its prefix. */
function inItsWords(error: CommanderError): UsageError {
  return new UsageError(error.message.replace(/^error: /, ''), {
    hints: ['add --help to see what the command takes'],
  });
}
