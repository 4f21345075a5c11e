import { existsSync } from 'node:fs';
import type { CommanderError } from 'commander';
import { readDatePhrase } from '../analysis/relative-dates.ts';
import { maskAddresses } from '../apis/subscriptions/mask-addresses.ts';
import { type Argument, flagName, type Leaf, type Option } from '../commands/framework/define-command.ts';
import type { Outlined } from '../commands/framework/outline.ts';
import { UsageError } from '../errors/index.ts';
import { nearest } from '../errors/nearest.ts';
import { invalidUsage, missingArgument } from '../errors/usage.ts';
import { isDocumentedColumn, presentationOf } from '../output/presentation/index.ts';
import { continuedValue } from './continued-values.ts';
import { GLOBAL_OPTIONS, HELP_FLAG } from './globals.ts';
import { commandFor, optionHint, synonymLine } from './synonyms.ts';

/** The command that was named, with the words that name it: `gatectl cdn purge`. */
export interface Named {
  readonly leaf: Leaf;
  readonly words: string;
}

/** The words of a command line: all, and after the command those without a flag, and the options. */
export interface Given {
  readonly argv: readonly string[];
  readonly args: readonly string[];
  readonly options: readonly string[];
}

/** Converts an error of commander to a UsageError with a hint. */
export function usageError(error: CommanderError, named: Named | undefined, given: Given): UsageError {
  if (error.code === 'commander.optionMissingArgument') return withoutValue(error, named);
  if (named !== undefined && error.code === 'commander.missingArgument') return missing(error, named);
  if (named !== undefined && error.code === 'commander.excessArguments') {
    rejectContinued(given.argv, named, given.args);
    return tooMany(named, given);
  }
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

/** Quotes the excess words only where none may be a secret. */
function tooMany({ leaf, words }: Named, given: Given): UsageError {
  const most = Object.keys(leaf.arguments).length;
  const count = given.args.length;
  const line = lineWithFlags(leaf, words, given);
  const hints =
    line === undefined
      ? [
          ...(most === 0 ? [] : [`type ${usage(leaf, words)}`]),
          ...(most === 0 && 'metric' in leaf.options ? ['to name a metric, type -m visits'] : []),
          ...exampleOf(leaf, words),
          `quote words that contain blanks${most === 0 ? '; add --help to see the flags' : ''}`,
        ]
      : [`type ${line}`];
  const accepted = most === 0 ? 'only flags' : most === 1 ? 'one argument' : `${most} arguments`;
  const were =
    most > 0
      ? `${count} were given`
      : count === 1
        ? 'a word without a flag was given'
        : `${count} words without a flag were given`;
  return new UsageError(`${words} accepts ${accepted}, but ${were}`, { code: 'unexpected_argument', hints });
}

/**
 * Rejects an option of a command before its subcommand, which does not have it, such as `gatectl access --exit-code audit`, and words that
 * continue a value. Throws UsageError.
 */
export function rejectMisplaced(
  other: Option<unknown> | undefined,
  argv: readonly string[],
  named: Named,
  args: readonly string[],
): void {
  if (other !== undefined) throw unknownOption(flagName(other.flags), named);
  rejectContinued(argv, named, args);
}

/** Throws UsageError for words that stand after the value of an option and belong to it, where they are not files: `--sort visits desc`. */
function rejectContinued(argv: readonly string[], { leaf }: Named, args: readonly string[]): void {
  const found = continuedValue(argv, leaf);
  if (found === undefined || args.some(word => existsSync(word))) return;
  const { before, after, option, count, words } = found;
  const [start, end] = [repeatable(before), repeatable(after)];
  const line = start === undefined || end === undefined ? words : ['gatectl', ...start, ...words, ...end];
  throw new UsageError(
    maskAddresses(`${count === 1 ? 'a word' : `${count} words`} without a flag after ${option.join(' ')}`),
    { code: 'unexpected_argument', hints: [maskAddresses(`type ${line.join(' ')}`)] },
  );
}

/** Words between the names of columns, and what a change is asked about with: `visits by country`, `why visits fell`. */
const BETWEEN =
  /^(?:by|for|of|per|the|in|on|during|from|why|did|has|have|fall|fell|fallen|drop|dropped|rise|rose|risen|grew|changed?|declined|down|up)$/;

/**
 * The command line in which words are the values of flags: numbers of --limit, documented metrics of -m, dimensions of -d. Undefined if
 * this leaves too many words.
 */
function lineWithFlags(leaf: Leaf, words: string, { args, options }: Given): string | undefined {
  const values = new Map<string, string[]>();
  const others: string[] = [];
  const days = daysIn(args, leaf);
  for (const word of (days?.others ?? args).filter(each => !BETWEEN.test(each))) {
    const flag = flagOf(word, leaf);
    if (flag === undefined) others.push(word);
    else values.set(flag, [...(values.get(flag) ?? []), word]);
  }
  if (others.length > Object.keys(leaf.arguments).length) return undefined;
  const flags = [...values].flatMap(([flag, names]) => [flag, names.join()]);
  const lacksDays = 'last' in leaf.options && others.length === 0 && !options.some(each => DAYS.test(each));
  const period = days?.flag ?? (lacksDays ? ['--last', '7d'] : []);
  const rest = repeatable([...others, ...flags, ...period, ...options]);
  return rest === undefined ? undefined : [words, ...rest].join(' ');
}

/** Flags that select days. */
const DAYS = /^--(?:last|from|period|month|this|previous)\b/;

/** The words of days, as the flag that selects them: `last 7 days`, `yesterday`; undefined for none. */
function daysIn(
  args: readonly string[],
  { options }: Leaf,
): { readonly flag: readonly string[]; readonly others: readonly string[] } | undefined {
  if (!('period' in options)) return undefined;
  for (const [at] of args.entries())
    for (let end = args.length; end > at; end -= 1) {
      const phrase = args.slice(at, end).join('-').toLowerCase();
      if (/^\d+$/.test(phrase) || readDatePhrase(phrase, '2026-01-01') === undefined) continue;
      return { flag: ['--period', phrase], others: [...args.slice(0, at), ...args.slice(end)] };
    }
  return undefined;
}

function flagOf(word: string, { options }: Leaf): string | undefined {
  if (/^\d+$/.test(word)) return 'limit' in options ? '--limit' : undefined;
  if (!isDocumentedColumn(word)) return undefined;
  if (presentationOf(word).figure !== undefined) return 'metric' in options ? '-m' : undefined;
  return 'dimension' in options ? '-d' : undefined;
}

/** A flag, a name, a number, a span of days, a day or the name of a file. */
const PLAIN =
  /^(?:--?[a-z][a-z-]*|[a-z][a-z_-]*(?:-\d{1,3}-[a-z]+)?(?:[:,][a-z_]+)*|\d{1,6}[a-z]?|\d{4}(?:-\d\d){1,2}|[\w-]{1,40}\.[a-z]{2,7})$/;

/** Words to repeat in a hint; undefined if one of them may be a secret. */
function repeatable(words: readonly string[]): readonly string[] | undefined {
  return words.every(word => PLAIN.test(word) && !KEY_OPTION.test(word)) ? words : undefined;
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
  const column = withoutDashes(name).replaceAll('-', '_');
  if (names.includes('--filter') && isDocumentedColumn(column)) return [`type --filter ${column}=VALUE`];
  const similar = name.startsWith('--') ? nearest(name.slice(2), names.map(withoutDashes)) : undefined;
  return [similar === undefined ? 'add --help to see the options' : `did you mean --${similar}?`];
}

function withoutDashes(name: string): string {
  return name.slice(2);
}

/** The error for an unknown word in a group with the commands `children`; `after` are the words after it. */
export function unknownCommand(
  group: readonly string[],
  given: string | undefined,
  after: readonly string[],
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
  const target =
    synonymLine(group.join(' '), word, path => isCommand(path, outline)) ??
    (group.length === 0 ? inOnlyGroup([word], outline) : undefined)?.join(' ') ??
    similarCommand(group, word, children)?.join(' ');
  const hint =
    target === undefined
      ? listOf(command, children)
      : `did you mean gatectl ${withWords(target, word, after)}?`;
  const message = group.length === 0 ? `unknown command '${word}'` : `${command} has no command '${word}'`;
  return new UsageError(message, { code: 'unknown_command', hints: [hint] });
}

/** A command with the words after it, if it is of the typed name; `…` if one of them may be a secret. */
function withWords(target: string, word: string, after: readonly string[]): string {
  // An address is one of a reader, which no such command accepts.
  if (/^(?:bda|cdn) /.test(target) && after.some(each => maskAddresses(each) !== each)) return 'reader';
  if (!target.endsWith(` ${word}`)) return target;
  return [target, ...(repeatable(after) ?? ['…'])].join(' ');
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

/** The path of a command with its group, if only one group has a command of that name: `bda top` for `top`. */
export function inOnlyGroup(
  path: readonly string[],
  outline: readonly Outlined[],
): readonly string[] | undefined {
  const groups = outline.filter(({ commands = [] }) => commands.some(({ name }) => name === path[0]));
  return groups.length === 1 ? [...groups.map(({ name }) => name), ...path] : undefined;
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
