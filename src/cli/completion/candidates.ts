import type { Completion } from '../../commands/framework/define-command.ts';
import { GatectlError } from '../../errors/index.ts';
import type { Io } from '../../terminal/io.ts';
import { type Candidate, cursorAt } from './cursor.ts';
import { completionTable } from './table.ts';

/** What a shell can offer at the cursor. */
export interface Offer {
  /** What comes before the value in the same word: `--output=`. No candidate contains it. */
  readonly before: string;
  readonly candidates: readonly Candidate[];
  /** Whether a candidate is finished by a space. */
  readonly isOpen: boolean;
  readonly isFlags: boolean;
  /** What else the shell offers itself. */
  readonly paths: 'none' | 'files' | 'folders';
}

/** What can be offered after `words`, which are without gatectl itself, for the word `current`. Nothing is sent. */
export async function offerAt(words: readonly string[], current: string, io: Io): Promise<Offer> {
  const cursor = cursorAt(completionTable(), words, current);
  const { before, kind, values, isLiteral } = cursor;
  const typed = current.slice(before.length);
  const found = [...cursor.words];
  for (const value of values) found.push(...(await candidatesOf(value, typed, words, io)));
  return {
    before,
    candidates: found.filter(({ word }) => isTypeable(word) && (isLiteral || !word.startsWith('-'))),
    isOpen: values.includes('filter'),
    isFlags: kind === 'flags',
    paths: values.includes('file') ? 'files' : values.includes('directory') ? 'folders' : 'none',
  };
}

async function candidatesOf(
  value: Completion,
  typed: string,
  words: readonly string[],
  io: Io,
): Promise<readonly Candidate[]> {
  if (typeof value !== 'string') return value.map(word => ({ word }));
  if (value === 'none' || value === 'file' || value === 'directory') return [];
  if (value === 'command') return commandWords(words);
  if (value === 'field') return fieldNames(words, typed);
  try {
    const { localValues } = await import('./local-values.ts');
    return await localValues(value, typed, words, io);
  } catch (error) {
    // An unreadable profile yields no candidates: completion prints no errors.
    if (error instanceof GatectlError) return [];
    throw error;
  }
}

/** The words that may follow `gatectl help cdn` or `gatectl schema cdn`: commands, and after `help` topics. */
function commandWords(words: readonly string[]): readonly Candidate[] {
  const { pages, topics } = completionTable();
  const [verb, ...path] = words.filter(word => !word.startsWith('-'));
  const commands = pages.find(page => page.path === path.join(' '))?.commands ?? [];
  return [...commands, ...(verb === 'help' && path.length === 0 ? topics : [])].map(({ name, summary }) => ({
    word: name,
    about: summary,
  }));
}

/** The fields that the command prints as JSON, after those that are typed. */
function fieldNames(words: readonly string[], typed: string): readonly Candidate[] {
  const { pages } = completionTable();
  const plain = words.filter(word => !word.startsWith('-'));
  const page = pages.findLast(({ path }) => path !== '' && `${plain.join(' ')} `.startsWith(`${path} `));
  const before = typed.slice(0, typed.lastIndexOf(',') + 1);
  const taken = before.split(',');
  return (page?.fields ?? []).filter(name => !taken.includes(name)).map(name => ({ word: before + name }));
}

/** Names come from servers: one with a line break, a control or a mark that reorders text is not offered. */
function isTypeable(word: string): boolean {
  return word !== '' && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(word);
}
