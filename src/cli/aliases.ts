import { readAliases } from '../config/config-file.ts';
import { missingArgument } from '../errors/usage.ts';
import type { Io } from '../terminal/io.ts';
import { splitShellWords } from '../text/shell-words.ts';
import type { CommandLine } from './parser.ts';

const PLACEHOLDER = /\$([1-9]\d*)/g;
const REST = '$@';

/**
 * The command line with the alias at position `at` expanded. An alias expands to a command and never to another alias, so this
 * happens once. A word that is not an alias does not change. Throws UsageError and FileError.
 */
export async function withoutAlias(argv: readonly string[], at: number, io: Io): Promise<readonly string[]> {
  const [name = '', ...args] = argv.slice(at);
  const words = await wordsOf(name, io);
  if (words === undefined) return argv;
  if (isHelp(args) && !words.includes('--exit-code'))
    return [...argv.slice(0, at), ...commandOf(words), '--help'];
  const expanded = withArguments(words, args);
  if (typeof expanded !== 'number') return [...argv.slice(0, at), ...expanded];
  const count = expanded === 1 ? '1 argument' : `${expanded} arguments`;
  throw missingArgument(`the alias ${name} requires ${count}`, `it expands to: ${words.join(' ')}`);
}

/** With other arguments, `--help` may be one of them. */
function isHelp(args: readonly string[]): boolean {
  return args.length === 1 && (args[0] === '--help' || args[0] === '-h');
}

/** The names of a command, where `words` may begin with an alias. */
export async function commandOfAlias(
  words: readonly string[],
  { program }: CommandLine,
  io: Io,
): Promise<readonly string[]> {
  const [name] = words;
  if (name === undefined || program.commands.some(command => command.name() === name)) return words;
  const found = await wordsOf(name, io);
  return found === undefined ? words : commandOf(found);
}

async function wordsOf(name: string, io: Io): Promise<readonly string[] | undefined> {
  const expansion = (await readAliases(io)).get(name);
  if (expansion === undefined) return undefined;
  const { words, unclosed } = splitShellWords(expansion, io.platform);
  return unclosed === undefined ? words : undefined;
}

/** The command names at the start: `cdn purge` of `cdn purge --file $1`. */
function commandOf(words: readonly string[]): readonly string[] {
  const end = words.findIndex(word => !/^[a-z][a-z0-9-]*$/.test(word));
  return end === -1 ? words : words.slice(0, end);
}

/**
 * The words of an alias with its placeholders replaced: `$1` by the first argument, `$@` as a separate word by all arguments
 * that no number refers to. Without `$@` those are appended. Returns the number of required arguments if there are fewer.
 */
export function withArguments(words: readonly string[], args: readonly string[]): readonly string[] | number {
  const numbers = words.flatMap(word => [...word.matchAll(PLACEHOLDER)].map(([, digits]) => Number(digits)));
  const required = Math.max(0, ...numbers);
  if (args.length < required) return required;
  const rest = args.slice(required);
  const placed = words.flatMap(word =>
    word === REST ? rest : [word.replace(PLACEHOLDER, (_, digits: string) => args[Number(digits) - 1] ?? '')],
  );
  return words.includes(REST) ? placed : [...placed, ...rest];
}
