import type { Completion } from '../../commands/framework/define-command.ts';
import type { CompletionTable, TableFlag, TablePage } from './table.ts';

/** A word to complete with. */
export interface Candidate {
  readonly word: string;
  readonly about?: string | undefined;
  /** Whether it is a flag that requires a value. */
  readonly takesWord?: boolean;
}

/** What belongs at the cursor of a command line. */
interface Cursor {
  /** What comes before the value in the same word: `--output=`. */
  readonly before: string;
  readonly kind: 'flags' | 'commands' | 'value';
  /** Flags or commands. */
  readonly words: readonly Candidate[];
  /** Kinds of values. */
  readonly values: readonly Completion[];
  /** Whether gatectl reads a word that starts with a hyphen as a value here. */
  readonly isLiteral: boolean;
}

/** Finds out what belongs at the cursor: `words` are those before it, without gatectl itself, and `current` is the word up to it. */
export function cursorAt(table: CompletionTable, words: readonly string[], current: string): Cursor {
  const { page, seen, position, pending, onlyWords } = walk(table, words);
  if (pending !== undefined && (pending.takes === 'one' || !current.startsWith('-')))
    return valueAt(pending, '', pending.takes === 'one');
  if (!onlyWords && current.startsWith('--') && current.includes('=')) {
    const name = current.slice(0, current.indexOf('='));
    const flag = flagNamed(table, page, name);
    return flag === undefined ? NOTHING : valueAt(flag, `${name}=`, true);
  }
  if (!onlyWords && current.startsWith('-')) {
    const words = flagsOf(table, page)
      .filter(({ names, isRepeatable }) => isRepeatable || !names.some(name => seen.has(name)))
      .flatMap(({ names, takes, summary }) =>
        names.map(word => ({ word, about: summary, takesWord: takes === 'one' || takes === 'many' })),
      );
    return { ...NOTHING, kind: 'flags', words, isLiteral: true };
  }
  const isFirst = position === 0;
  const argument = page.arguments[position] ?? page.arguments.filter(({ isVariadic }) => isVariadic).at(-1);
  const values: Completion[] = argument === undefined ? [] : [argument.completes];
  return {
    before: '',
    kind: isFirst && page.commands.length > 0 ? 'commands' : 'value',
    words: isFirst ? page.commands.map(({ name, summary }) => ({ word: name, about: summary })) : [],
    values: page.path === '' && isFirst ? ['alias', ...values] : values,
    isLiteral: onlyWords,
  };
}

const NOTHING: Cursor = { before: '', kind: 'value', words: [], values: [], isLiteral: false };

function valueAt({ takes, completes }: TableFlag, before: string, isLiteral: boolean): Cursor {
  return takes === 'none' ? NOTHING : { ...NOTHING, before, values: [completes], isLiteral };
}

function flagsOf({ flags, globalFlags }: CompletionTable, page: TablePage): readonly TableFlag[] {
  return [...page.flags.flatMap(index => flags[index] ?? []), ...globalFlags];
}

function flagNamed(table: CompletionTable, page: TablePage, name: string): TableFlag | undefined {
  return flagsOf(table, page).find(({ names }) => names.includes(name));
}

/** What the words before the cursor amount to. */
interface Walked {
  readonly page: TablePage;
  /** The flags that were given. */
  readonly seen: ReadonlySet<string>;
  /** How many arguments were given. */
  readonly position: number;
  /** The flag whose value the next word may be. */
  readonly pending: TableFlag | undefined;
  /** Whether `--` was given. */
  readonly onlyWords: boolean;
}

const EMPTY: TablePage = { path: '', commands: [], flags: [], arguments: [] };

function walk(table: CompletionTable, words: readonly string[]): Walked {
  const pageAt = (path: string) => table.pages.find(page => page.path === path) ?? EMPTY;
  const seen = new Set<string>();
  let page = pageAt('');
  let position = 0;
  let pending: TableFlag | undefined;
  let onlyWords = false;
  for (const word of words) {
    if (pending !== undefined && (pending.takes === 'one' || !word.startsWith('-'))) {
      if (pending.takes !== 'many') pending = undefined;
      continue;
    }
    pending = undefined;
    if (onlyWords) position += 1;
    else if (word === '--') onlyWords = true;
    else if (word.startsWith('--')) {
      const [name = ''] = word.split('=', 1);
      seen.add(name);
      if (name === word) pending = taking(flagNamed(table, page, name));
    } else if (word.startsWith('-') && word !== '-') pending = ofLetters(table, page, word, seen);
    else if (position === 0 && page.commands.some(({ name }) => name === word))
      page = pageAt(`${page.path} ${word}`.trim());
    else position += 1;
  }
  return { page, seen, position, pending, onlyWords };
}

/** Reads `-q`, `-qp` and `-pnews`; returns the flag that takes the next word. */
function ofLetters(
  table: CompletionTable,
  page: TablePage,
  word: string,
  seen: Set<string>,
): TableFlag | undefined {
  for (let at = 1; at < word.length; at += 1) {
    const flag = flagNamed(table, page, `-${word[at]}`);
    seen.add(`-${word[at]}`);
    if (taking(flag) !== undefined) return at === word.length - 1 ? flag : undefined;
  }
  return undefined;
}

function taking(flag: TableFlag | undefined): TableFlag | undefined {
  return flag?.takes === 'none' ? undefined : flag;
}
