import type { Io } from '../../terminal/io.ts';
import { DataWriter } from '../../terminal/writer.ts';
import { bashText, readBashLine } from './bash-line.ts';
import { type Offer, offerAt } from './candidates.ts';
import type { Candidate } from './cursor.ts';
import { powershellText } from './powershell-text.ts';

/**
 * Called by completion scripts:
 *
 *     __complete bash LINE REPLACED COMP_TYPE COLUMNS
 *     __complete zsh|fish .CURRENT WORD…
 *     __complete powershell QUOTED .CURRENT WORD…
 *
 * The dot preserves an empty word; WORDs are those before it, without gatectl itself. Prints what kind of values there are and what
 * comes before them in the same word, separated by a tab, then one candidate per line. zsh and fish quote candidates themselves;
 * for bash and PowerShell they are printed as the shell has to insert them.
 */
export async function complete(argv: readonly string[], io: Io): Promise<void> {
  const [shell, ...given] = argv;
  const lines = await linesFor(shell, given, io);
  // A shell that no longer waits has closed the pipe.
  await new DataWriter(io).write(lines.map(line => `${line}\n`).join('')).catch(() => undefined);
}

async function linesFor(
  shell: string | undefined,
  given: readonly string[],
  io: Io,
): Promise<readonly string[]> {
  switch (shell) {
    case 'bash':
      return await bashLines(given, io);
    case 'zsh': {
      const offer = await offerAfter(given, io);
      // zsh adds the = to a flag, and removes it when a blank is typed.
      const rows = offer.candidates.map(({ word, about, takesWord }) =>
        row(takesWord && word.startsWith('--') ? `${word}=` : word, about),
      );
      return [headerOf(offer), ...rows];
    }
    case 'fish': {
      const offer = await offerAfter(given, io);
      const full = offer.candidates.map(({ word, about }) => ({ word: offer.before + word, about }));
      // fish leaves a tilde at the beginning alive.
      const literal = full.filter(({ word }) => !word.startsWith('~'));
      return [headerOf(offer), ...literal.map(({ word, about }) => row(word, about))];
    }
    case 'powershell':
      return await powershellLines(given, io);
    default:
      return [];
  }
}

async function offerAfter([current = '', ...words]: readonly string[], io: Io): Promise<Offer> {
  return await offerAt(words, current.slice(1), io);
}

function headerOf({ isFlags, isOpen, paths, before }: Offer): string {
  return row(isFlags ? 'flags' : isOpen ? 'open' : paths === 'none' ? 'values' : paths, before);
}

function row(...fields: readonly (string | undefined)[]): string {
  return fields.map((field = '') => oneLine(field)).join('\t');
}

/** Descriptions come from servers: characters that would end a line, move the cursor or reorder text become blanks. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ');
}

async function bashLines(
  [line = '', replaced = '', type = '', columns = '']: readonly string[],
  io: Io,
): Promise<readonly string[]> {
  const read = line.endsWith(replaced) ? readBashLine(line, replaced.length) : undefined;
  if (read === undefined) return [];
  const { words, current, kept, quoting } = read;
  const offer = await offerAt(words.slice(1), current, io);
  const found = offer.candidates.flatMap(({ word, about }): Candidate[] => {
    const full = offer.before + word;
    const text = full.startsWith(current) ? bashText(full.slice(kept.length), quoting) : undefined;
    return text === undefined ? [] : [{ word: text, about }];
  });
  const plain = found.map(({ word }) => word);
  return [headerOf(offer), ...(SHOWING.includes(type) ? described(found, Number(columns) || 80) : plain)];
}

/** The values of COMP_TYPE for which bash may list the candidates. */
const SHOWING = ['33', '63', '64'];

/** Candidates with their descriptions. Bash inserts what all have in common: the descriptions must not add to that. */
function described(found: readonly Candidate[], columns: number): readonly string[] {
  const plain = found.map(({ word }) => word);
  if (found.length < 2) return plain;
  const longest = Math.max(...plain.map(word => word.length));
  const width = Math.max(0, columns - longest - 6);
  const shown = found.map(({ word, about }) => {
    if (!about) return word;
    const text = oneLine(about);
    return `${word.padEnd(longest)}  (${text.length > width ? `${text.slice(0, width)}…` : text})`;
  });
  return commonStart(shown) === commonStart(plain) ? shown : plain;
}

function commonStart(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  let length = first.length;
  for (const text of others) while (!text.startsWith(first.slice(0, length))) length -= 1;
  return first.slice(0, length);
}

async function powershellLines([quoted, ...given]: readonly string[], io: Io): Promise<readonly string[]> {
  const offer = await offerAfter(given, io);
  const current = (given[0] ?? '').slice(1);
  const rows = offer.candidates.flatMap(({ word, about }) => {
    const full = offer.before + word;
    const text = full.startsWith(current) ? powershellText(full, quoted !== 'no') : undefined;
    return text === undefined ? [] : [row(text, word, about || word)];
  });
  return [headerOf(offer), ...rows];
}
