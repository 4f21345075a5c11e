import {
  type Expandable,
  ExpandableBuilder,
  endOfQuoted,
  expansionAt,
  readDoubleQuoted,
} from './shell-expansions.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const BYTES = String.raw`(?:\\x[\da-fA-F]{1,2}|\\[0-7]{1,3})+`;
const CODE_POINT = String.raw`\\u[\da-fA-F]{1,4}|\\U[\da-fA-F]{1,8}`;
const ANSI_C_ESCAPE = new RegExp(`${BYTES}|${CODE_POINT}|\\\\[\\s\\S]`, 'g');

/**
 * Parts of a word outside double quotes and expansions, and separators between words; the first alternative that matches wins.
 * A line that starts with an option, a quote or a URL continues the previous line, because pasted commands often lose their
 * trailing backslashes.
 */
const TOKEN =
  /(?<continuation>\\\r?\n)|(?<end>\n(?!\s*(?:-|\$?['"]|https?:))|&&|\|\|?|[;()]|&(?=[ \t\r\n]|$))|(?<blank>[ \t\r\n])|(?<redirection>\d*(?:<<<|<<-?|<&|<>|<|>>|>&|>\||>)|&>>?)|\$'(?<ansi>(?:[^'\\]|\\[\s\S])*)'|'(?<single>[^']*)'|\\(?<escaped>[\s\S])|(?<plain>[^ \t\r\n'"\\|;<>()&$`]+|\$(?!['"])|&)/y;

/** Maximum nesting of command substitutions. */
const MAX_DEPTH = 8;

/**
 * Splits a script into simple commands and their words, as a POSIX shell with `$'…'` does, without redirections; the commands
 * in `$(…)` and backticks come last. Undefined if a quote is unterminated.
 */
export function shellCommands(text: string, depth = 0): Expandable[][] | undefined {
  const commands: Expandable[][] = [[]];
  const inner: Expandable[][] = [];
  let word: ExpandableBuilder | undefined;
  let isTarget = false;
  const endWord = () => {
    if (word === undefined) return;
    if (!isTarget) commands.at(-1)?.push(word.build());
    isTarget = false;
    word = undefined;
  };
  const add = (part: Expandable) => {
    word ??= new ExpandableBuilder();
    word.add(part);
    for (const { command } of part.expansions)
      if (command !== undefined && depth < MAX_DEPTH)
        inner.push(...(shellCommands(command, depth + 1) ?? []));
  };
  const token = new RegExp(TOKEN);
  for (token.lastIndex = 0; token.lastIndex < text.length; ) {
    const at = token.lastIndex;
    if (word === undefined && text[at] === '#') {
      const lineEnd = text.indexOf('\n', at);
      token.lastIndex = lineEnd === -1 ? text.length : lineEnd;
      continue;
    }
    const special = quotedAt(text, at);
    if (special === undefined) return undefined;
    if (special !== null) {
      add(special.part);
      token.lastIndex = special.end;
      continue;
    }
    const parts = token.exec(text)?.groups;
    if (parts === undefined) return undefined;
    if (parts.continuation !== undefined) continue;
    if (parts.end !== undefined || parts.blank !== undefined || parts.redirection !== undefined) {
      endWord();
      isTarget = parts.redirection !== undefined || (isTarget && parts.blank !== undefined);
      if (parts.end !== undefined) commands.push([]);
      continue;
    }
    const { ansi, plain, single, escaped } = parts;
    const literal =
      ansi === undefined ? (plain ?? single ?? escaped ?? '') : ansi.replaceAll(ANSI_C_ESCAPE, unescapeAnsiC);
    add({ text: literal, expansions: [] });
  }
  endWord();
  return [...commands, ...inner].filter(words => words.length > 0);
}

/** The double-quoted text or expansion at an index; null if there is none, undefined if it is unterminated. */
function quotedAt(text: string, at: number): { part: Expandable; end: number } | null | undefined {
  const start = text[at] === '$' && text[at + 1] === '"' ? at + 1 : at;
  if (text[start] === '"') {
    const end = endOfQuoted(text, start);
    const part = end === undefined ? undefined : readDoubleQuoted(text.slice(start + 1, end - 1));
    return end === undefined || part === undefined ? undefined : { part, end };
  }
  const found = expansionAt(text, at);
  if (!found) return found;
  const end = at + found.length;
  return { part: { text: text.slice(at, end), expansions: [{ ...found, at: 0 }] }, end };
}

function unescapeAnsiC(escaped: string): string {
  const kind = escaped.charAt(1);
  if (kind === 'u' || kind === 'U') {
    const code = Number.parseInt(escaped.slice(2), 16);
    return Number.isNaN(code) || code > 0x10ffff ? escaped : String.fromCodePoint(code);
  }
  if (/[x0-7]/.test(kind)) {
    const bytes = escaped.matchAll(/\\x([\da-fA-F]{1,2})|\\([0-7]{1,3})/g);
    const codes = [...bytes].map(([, hex, octal]) =>
      hex === undefined ? Number.parseInt(octal ?? '0', 8) : Number.parseInt(hex, 16),
    );
    return codes.length === 0 ? escaped : new TextDecoder().decode(Uint8Array.from(codes));
  }
  return ESCAPES[kind] ?? (/['"\\?]/.test(kind) ? kind : escaped);
}
