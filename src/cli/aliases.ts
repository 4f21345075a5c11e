import { aliasWords, withArguments } from '../config/alias-words.ts';
import { readAliases } from '../config/aliases.ts';
import { FileError, UsageError } from '../errors/index.ts';
import type { Io } from '../terminal/io.ts';
import { printable } from '../terminal/printable.ts';
import type { CommandLine } from './parser.ts';

/**
 * The command line with the alias at `at` replaced by what it stands for, once: what an alias stands for is a command and
 * never another alias. A word that is no alias is left alone. Throws UsageError and FileError.
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
  throw new UsageError(`the alias ${name} wants ${count}`, {
    code: 'missing_argument',
    hints: [`it stands for: ${words.join(' ')}`],
  });
}

/** Anything more, and the word may be a value that was meant for the alias. */
function isHelp(args: readonly string[]): boolean {
  return args.length === 1 && (args[0] === '--help' || args[0] === '-h');
}

/** The aliases as the help of gatectl as a whole lists them; nothing where there are none or they can't be read. */
export async function aliasesHelp(io: Io): Promise<string> {
  try {
    const aliases = [...(await readAliases(io))];
    const width = Math.max(0, ...aliases.map(([name]) => name.length));
    const lines = aliases.map(([name, text]) => `  ${name.padEnd(width)}  ${printable(text)}\n`);
    return lines.length === 0 ? '' : `\nAliases:\n${lines.join('')}`;
  } catch (error) {
    if (error instanceof FileError) return '';
    throw error;
  }
}

/** The words of a command, those of an alias among them replaced by the command that it stands for. */
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
  return expansion === undefined ? undefined : aliasWords(expansion, io.platform);
}

/** The names at the front: `cdn purge` of `cdn purge --file $1`. */
function commandOf(words: readonly string[]): readonly string[] {
  const end = words.findIndex(word => !/^[a-z][a-z0-9-]*$/.test(word));
  return end === -1 ? words : words.slice(0, end);
}
