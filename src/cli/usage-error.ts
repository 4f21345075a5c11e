import type { CommanderError } from 'commander';
import { maskAddresses } from '../apis/subscriptions/mask-addresses.ts';
import { type Argument, flagName, type Leaf, type Option } from '../commands/framework/define-command.ts';
import type { Outlined } from '../commands/framework/outline.ts';
import { UsageError } from '../errors/index.ts';
import { nearest } from '../errors/nearest.ts';
import { invalidUsage, missingArgument } from '../errors/usage.ts';
import { GLOBAL_OPTIONS, HELP_FLAG } from './globals.ts';
import { commandFor, optionHint } from './synonyms.ts';

/** The command that was named, with the words that name it: `gatectl cdn purge`. */
export interface Named {
  readonly leaf: Leaf;
  readonly words: string;
}

/** Converts an error of commander to a UsageError with a hint. */
export function usageError(error: CommanderError, named: Named | undefined): UsageError {
  if (error.code === 'commander.optionMissingArgument') return withoutValue(error, named);
  if (named !== undefined && error.code === 'commander.missingArgument') return missing(error, named);
  if (named !== undefined && error.code === 'commander.excessArguments') return tooMany(error, named);
  if (error.code === 'commander.unknownOption') return unknownOption(quoted(error), named);
  return otherUsageError(error);
}

function missing(error: CommanderError, { leaf, words }: Named): UsageError {
  const name = quoted(error);
  const argument = Object.values(leaf.arguments).find(({ syntax }) => syntax === `<${name}>`);
  const about = argument === undefined ? '' : `: ${argument.summary}`;
  return missingArgument(
    `${name.toUpperCase()} is missing${about}`,
    `type ${usage(leaf, words)}`,
    ...exampleOf(leaf, words),
  );
}

/** Does not quote the excess words, which may be secrets. */
function tooMany(error: CommanderError, { leaf, words }: Named): UsageError {
  const [, given = ''] = / but got (\d+)/.exec(error.message) ?? [];
  const most = Object.keys(leaf.arguments).length;
  const quotes = 'quote words that contain blanks';
  if (most === 0) {
    const what = given === '1' ? 'a word without a flag was' : `${given} words without a flag were`;
    const metric = 'metric' in leaf.options ? ['to name a metric, type -m visits'] : [];
    return new UsageError(`${words} accepts only flags, but ${what} given`, {
      code: 'unexpected_argument',
      hints: [...metric, ...exampleOf(leaf, words), `${quotes}; add --help to see the flags`],
    });
  }
  const room = most === 1 ? 'one argument' : `${most} arguments`;
  return new UsageError(`${words} accepts ${room}, but ${given} were given`, {
    code: 'unexpected_argument',
    hints: [`type ${usage(leaf, words)}`, ...exampleOf(leaf, words), quotes],
  });
}

function exampleOf(leaf: Leaf, words: string): readonly string[] {
  const example = leaf.examples.find(({ command }) => command.startsWith(`${words} `));
  return example === undefined ? [] : [`such as: ${example.command}`];
}

function withoutValue(error: CommanderError, named: Named | undefined): UsageError {
  const flags = quoted(error);
  const name = flagName(flags);
  const options: readonly Option<unknown>[] = [
    ...Object.values(named?.leaf.options ?? {}),
    ...Object.values(GLOBAL_OPTIONS),
  ];
  const option = options.find(each => each.flags === flags);
  if (option === undefined) return otherUsageError(error);
  const { choices, summary } = option;
  const [, value = 'value'] = /<([^.>]+)/.exec(flags) ?? [];
  const [, next] = / before (\S+)$/.exec(error.message) ?? [];
  const literal = next === undefined ? [] : [`if ${next} is the value, type ${name}=${next}`];
  if (choices !== undefined)
    return missingArgument(`${name} requires a value`, `one of: ${choices.join(', ')}`, ...literal);
  return missingArgument(
    `${name} requires a value: ${summary}`,
    `type ${name} ${value.toUpperCase()}`,
    ...literal,
  );
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

/** Options that people try for the API key. */
const KEY_OPTION =
  /^--?(?:(?:x-?)?(?:api-?)?(?:key|token|secret)|developer-?key|password|passwd|pass|secret-?key)$/i;
const KEY_HINTS = [
  'set GATECTL_API_KEY, or store the key:',
  'gatectl profile add NAME --base-url URL with --api-key-stdin, --api-key-file, --key-command or --keyring',
];

/** The error for an unknown option. It does not quote a value after `=`, which may be a key. */
export function unknownOption(word: string, named: Named | undefined): UsageError {
  const name = maskAddresses(word.replace(/=.*$/s, ''));
  if (isKeyOption(name, named))
    return new UsageError(
      `${name} is not accepted: other users can see keys and passwords on the command line`,
      { code: 'key_on_command_line', hints: KEY_HINTS },
    );
  return new UsageError(`unknown option '${name}'`, {
    code: 'unknown_option',
    hints: hintsForUnknown(name, named),
  });
}

/** Whether an unknown option is meant for the API key; `--token` of a command with a session token is that one. */
function isKeyOption(name: string, named: Named | undefined): boolean {
  if (!KEY_OPTION.test(name)) return false;
  return !(/token$/i.test(name) && named !== undefined && 'readerToken' in named.leaf.options);
}

function hintsForUnknown(name: string, named: Named | undefined): readonly string[] {
  const options = [...Object.values(named?.leaf.options ?? {}), ...Object.values(GLOBAL_OPTIONS), HELP_FLAG];
  const names = options.map(({ flags }) => flagName(flags));
  const hint = optionHint(name, names, named?.words ?? 'gatectl');
  if (hint !== undefined) return [hint];
  const similar = name.startsWith('--') ? nearest(name.slice(2), names.map(withoutDashes)) : undefined;
  return [similar === undefined ? 'add --help to see the options' : `did you mean --${similar}?`];
}

function withoutDashes(name: string): string {
  return name.slice(2);
}

/** The error for an unknown word in a group with the commands `children`. */
export function unknownCommand(
  group: readonly string[],
  given: string | undefined,
  children: readonly string[],
  outline: readonly Outlined[],
): UsageError {
  const word = given === undefined ? undefined : maskAddresses(given);
  const command = ['gatectl', ...group].join(' ');
  if (word === undefined)
    return new UsageError(`${command} requires a command`, {
      code: 'unknown_command',
      hints: [listOf(command, children)],
    });
  if (children.length === 0)
    return new UsageError(`${command} has no subcommands`, { code: 'unknown_command' });
  if (word.startsWith('-')) return optionBeforeCommand(command, word, children);
  const target = synonymFor(group, word, outline) ?? similarCommand(group, word, children);
  const hint = target === undefined ? listOf(command, children) : `did you mean gatectl ${target.join(' ')}?`;
  const message = group.length === 0 ? `unknown command '${word}'` : `${command} has no command '${word}'`;
  return new UsageError(message, { code: 'unknown_command', hints: [hint] });
}

/** An option of a group's command, typed without the command. Its value may be a key and is not repeated. */
function optionBeforeCommand(command: string, word: string, children: readonly string[]): UsageError {
  const [name = ''] = word.split('=');
  if (isKeyOption(name, undefined)) return unknownOption(name, undefined);
  const [child] = children;
  const hint = children.length === 1 ? `type ${command} ${child} ${name} …` : listOf(command, children);
  return new UsageError(`${command} requires a command before ${name}`, {
    code: 'unknown_command',
    hints: [hint],
  });
}

/** The command of which a word is a synonym: `clear` in `cdn` is `cdn purge`. */
export function synonymFor(
  group: readonly string[],
  word: string,
  outline: readonly Outlined[],
): readonly string[] | undefined {
  return commandFor(group.join(' '), word, path => isCommand(path, outline));
}

/** The command of a group whose name is similar to a word. */
export function similarCommand(
  group: readonly string[],
  word: string,
  children: readonly string[],
): readonly string[] | undefined {
  const similar = nearest(word, children);
  return similar === undefined ? undefined : [...group, similar];
}

function isCommand([name, ...rest]: readonly string[], outline: readonly Outlined[]): boolean {
  const command = outline.find(each => each.name === name);
  if (command === undefined) return false;
  return rest.length === 0 || isCommand(rest, command.commands ?? []);
}

/** The most commands to list in a hint. */
const MOST_LISTED = 12;

function listOf(command: string, children: readonly string[]): string {
  return children.length <= MOST_LISTED
    ? `one of: ${children.join(', ')}`
    : `${command} --help lists the commands`;
}

/** Any other error of commander, with its own message. */
function otherUsageError(error: CommanderError): UsageError {
  return invalidUsage(maskAddresses(error.message.replace(/^error: /, '')), 'add --help to see the options');
}
