import { UsageError } from '../errors/index.ts';
import { nearest } from '../errors/nearest.ts';
import type { Io } from '../terminal/io.ts';
import { commandOfAlias } from './aliases.ts';
import { aliasesHelp } from './brief-help.ts';
import { TOPICS, topicText } from './manual/topics.ts';
import { outline } from './outline.ts';
import type { CommandLine } from './parser.ts';
import { inOnlyGroup, synonymFor } from './usage-error.ts';

/** The help of a command, or a topic: see `Manual.help`. */
export async function helpFor(
  words: readonly string[],
  line: CommandLine,
  width: number | undefined,
  io: Io,
): Promise<string> {
  const [word, ...more] = words;
  const topic = more.length === 0 ? TOPICS.find(({ name }) => name === word) : undefined;
  if (topic !== undefined) return topicText(topic, width);
  const path = knownPath(await commandOfAlias(words, line, io));
  const help = await line.help(path);
  return words.length === 0 ? help + (await aliasesHelp(io)) : help;
}

/** Adds the group of a command that only one has, and replaces a synonym of a command by the command. Throws UsageError for an unknown word. */
function knownPath(path: readonly string[]): readonly string[] {
  const [word, ...rest] = path;
  const names = outline.map(({ name }) => name);
  if (word === undefined || names.includes(word)) return path;
  const topics = TOPICS.map(({ name }) => name);
  const placed = inOnlyGroup(path, outline);
  if (placed !== undefined && nearest(word, topics) === undefined) return placed;
  const synonym = synonymFor([], word, outline);
  if (synonym !== undefined) return [...synonym, ...rest];
  const similar = nearest(word, [...names, ...topics]);
  throw new UsageError(`no help for '${word}'`, {
    code: 'unknown_command',
    hints: [
      similar === undefined
        ? `gatectl --help lists the commands; the topics are ${topics.join(', ')}`
        : `did you mean gatectl help ${similar}?`,
    ],
  });
}
