/** One word of a shell command. */
export interface ShellWord {
  readonly text: string;
  /** Whether the shell would put something else in place of a part of it: a variable or a command's output. */
  readonly expands: boolean;
}

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
 * Parts of a word, and what is between words; the first that matches at a place is it. A line that starts with an option, a quote
 * or a URL goes on with the line before it: pasted commands lose the backslashes at the ends of their lines.
 */
const TOKEN =
  /(?<continuation>\\\r?\n)|(?<end>\n(?!\s*(?:-|\$?['"]|https?:))|&&|\|\|?|[;()]|&(?=[ \t\r\n]|$))|(?<blank>[ \t\r\n])|(?<redirection>\d*(?:<<<|<<-?|<&|<>|<|>>|>&|>\||>)|&>>?)|\$'(?<ansi>(?:[^'\\]|\\[\s\S])*)'|'(?<single>[^']*)'|\$?"(?<double>(?:[^"\\]|\\[\s\S])*)"|\\(?<escaped>[\s\S])|(?<plain>[^ \t\r\n'"\\|;<>()&$]+|\$(?!['"])|&)/y;

/**
 * The simple commands in a text, each as the words that a POSIX shell with `$'…'` makes of it, without redirections. Undefined
 * when a quote is left open.
 */
export function shellCommands(text: string): ShellWord[][] | undefined {
  const commands: ShellWord[][] = [[]];
  let word: ShellWord | undefined;
  let isTarget = false;
  const endWord = () => {
    if (word === undefined) return;
    if (!isTarget) commands.at(-1)?.push(word);
    isTarget = false;
    word = undefined;
  };
  const token = new RegExp(TOKEN);
  for (token.lastIndex = 0; token.lastIndex < text.length; ) {
    if (word === undefined && text[token.lastIndex] === '#') {
      const lineEnd = text.indexOf('\n', token.lastIndex);
      token.lastIndex = lineEnd === -1 ? text.length : lineEnd;
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
    const part = readPart(parts);
    word = { text: (word?.text ?? '') + part.text, expands: (word?.expands ?? false) || part.expands };
  }
  endWord();
  return commands.filter(words => words.length > 0);
}

function readPart(parts: Readonly<Record<string, string | undefined>>): ShellWord {
  if (parts.ansi !== undefined)
    return { text: parts.ansi.replaceAll(ANSI_C_ESCAPE, unescapeAnsiC), expands: false };
  if (parts.double !== undefined) {
    const text = parts.double.replaceAll(/\\(\r?\n|[$`"\\])/g, (_, kept: string) =>
      /\n$/.test(kept) ? '' : kept,
    );
    return { text, expands: /[$`]/.test(parts.double.replaceAll(/\\[\s\S]/g, '')) };
  }
  const plain = parts.plain;
  if (plain !== undefined) return { text: plain, expands: /[$`]/.test(plain) };
  return { text: parts.single ?? parts.escaped ?? '', expands: false };
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
