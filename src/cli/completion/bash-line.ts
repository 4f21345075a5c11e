/** How a place in a bash command line is quoted: not at all, or inside `'…'`, `"…"` or `$'…'`. */
export type Quoting = 'none' | 'single' | 'double' | 'ansi';

/** A bash command line up to the cursor, as bash will read it. */
interface BashLine {
  /** The words before the cursor's, without quotes; the first is the program. */
  readonly words: readonly string[];
  /** The word at the cursor up to it, without quotes. */
  readonly current: string;
  /** What `current` has before the text that bash replaces. */
  readonly kept: string;
  /** How the beginning of the replaced text is quoted. */
  readonly quoting: Quoting;
}

/**
 * Reads a command line of which bash replaces the last `replaced` characters. Undefined where it cannot be told how bash will read the
 * text (an open substitution, a comment, several commands), or where a redirection expects a file.
 */
export function readBashLine(line: string, replaced: number): BashLine | undefined {
  const reader = new Reader(line, line.length - replaced);
  return reader.read() ? reader.result() : undefined;
}

/**
 * Text as it is typed where the quoting is `quoting`, for bash to read exactly this text, history expansion included. Undefined where
 * that is impossible: readline drops a quote at the beginning after an open one. Readline closes an open quote after the text, except
 * after text that ends with the same quote.
 */
export function bashText(text: string, quoting: Quoting): string | undefined {
  const inserted = quotedText(text, quoting);
  return quoting !== 'none' && inserted.startsWith(OPENING[quoting]) ? undefined : inserted;
}

/** The quote that readline finds before the text. */
const OPENING: Readonly<Record<Quoting, string>> = { none: '', single: "'", double: '"', ansi: "'" };

function quotedText(text: string, quoting: Quoting): string {
  switch (quoting) {
    case 'none':
      return text.replace(/[^\w./:,@%+=\-\u0080-\uffff]|[\u0080-\uffff]/g, char =>
        char < '\u0080' || /\s/.test(char) ? `\\${char}` : char,
      );
    case 'single':
      return text.replaceAll("'", "'\\''").replace(/''$/, "'");
    case 'double':
      return doubleQuoted(text);
    case 'ansi':
      return text.replace(/[\\'!]/g, char => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
  }
}

function doubleQuoted(text: string): string {
  const last = text.at(-1);
  const quoted = text.replace(/[\\"$`]/g, '\\$&').replaceAll('!', '"\\!"');
  if (last === '"') return `${quoted.slice(0, -2)}"\\"`;
  return last === '!' ? `${quoted}"` : quoted;
}

/** A substitution without quotes or other substitutions in it: its text does not matter, and its end is certain. */
const SIMPLE_SUBSTITUTION = /\$\([^()'"`\\$]*\)|\$\{[^{}'"`\\$]*\}|`[^'"`\\$]*`/y;
const ANSI_ESCAPE = /\\(?:([0-7]{1,3})|x([0-9a-f]{1,2})|u([0-9a-f]{1,4})|U([0-9a-f]{1,8})|c(.)|([^']))/isy;
const ANSI_LETTERS: Readonly<Record<string, string>> = {
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

class Reader {
  readonly #line: string;
  readonly #start: number;
  readonly #words: string[] = [];
  #at = 0;
  #quoting: Quoting = 'none';
  /** The word that is being read; undefined between words. */
  #word: string | undefined;
  #isRedirection = false;
  /** How far the current word was, and how it was quoted, at the beginning of the replaced text. */
  #mark: { readonly kept: string; readonly quoting: Quoting; readonly words: number } | undefined;

  constructor(line: string, start: number) {
    this.#line = line;
    this.#start = start;
  }

  /** Reads to the end; false where the rest is uncertain. */
  read(): boolean {
    while (this.#at < this.#line.length) {
      this.#markStart();
      if (!(this.#quoting === 'none' ? this.#unquoted() : this.#quoted())) return false;
    }
    this.#markStart();
    return !this.#isRedirection;
  }

  result(): BashLine | undefined {
    const mark = this.#mark;
    // Otherwise readline's idea of the quotes differs from bash's.
    if (mark === undefined || mark.words !== this.#words.length) return undefined;
    if (!this.#line.slice(0, this.#start).endsWith(OPENING[mark.quoting])) return undefined;
    return { words: this.#words, current: this.#word ?? '', kept: mark.kept, quoting: mark.quoting };
  }

  #markStart(): void {
    if (this.#at !== this.#start) return;
    this.#mark = { kept: this.#word ?? '', quoting: this.#quoting, words: this.#words.length };
  }

  #add(text: string, length = text.length): true {
    this.#word = (this.#word ?? '') + text;
    this.#at += length;
    return true;
  }

  #open(quoting: Quoting, length: number): true {
    this.#quoting = quoting;
    return this.#add('', length);
  }

  #endWord(): void {
    if (this.#word === undefined) return;
    if (!this.#isRedirection) this.#words.push(this.#word);
    this.#isRedirection = false;
    this.#word = undefined;
  }

  #unquoted(): boolean {
    const line = this.#line;
    const char = line[this.#at] ?? '';
    const next = line[this.#at + 1];
    if (/[ \t\n]/.test(char)) {
      this.#endWord();
      this.#at += 1;
      return true;
    }
    if (char === "'") return this.#open('single', 1);
    if (char === '"') return this.#open('double', 1);
    if (char === '$' && next === "'") return this.#open('ansi', 2);
    if (char === '$' && next === '"') return this.#open('double', 2);
    if (char === '\\') return this.#add(next === '\n' ? '' : (next ?? ''), next === undefined ? 1 : 2);
    if (/[<>&]/.test(char)) return this.#redirection();
    if (/[;|()]/.test(char) || (char === '#' && this.#word === undefined)) return false;
    return this.#substitution() ?? this.#add(char);
  }

  #quoted(): boolean {
    const char = this.#line[this.#at] ?? '';
    const next = this.#line[this.#at + 1];
    if (char === (this.#quoting === 'double' ? '"' : "'")) return this.#open('none', 1);
    if (this.#quoting === 'single') return this.#add(char);
    if (this.#quoting === 'ansi') return char === '\\' ? this.#ansiEscape() : this.#add(char);
    if (char === '\\' && next === undefined) return this.#add('', 1);
    if (char === '\\' && /[$`"\\\n]/.test(next ?? '')) return this.#add(next === '\n' ? '' : (next ?? ''), 2);
    return this.#substitution() ?? this.#add(char);
  }

  /** Passes over a substitution; false if its end is uncertain, undefined if there is none. */
  #substitution(): boolean | undefined {
    if (!/^(?:`|\$[({])/.test(this.#line.slice(this.#at, this.#at + 2))) return undefined;
    SIMPLE_SUBSTITUTION.lastIndex = this.#at;
    const [found] = SIMPLE_SUBSTITUTION.exec(this.#line) ?? [];
    return found === undefined ? false : this.#add(found);
  }

  /** `>`, `2>&1`, `&>>`; the next word is a file or a descriptor. */
  #redirection(): boolean {
    const [operator = ''] = /^(?:&>>?|<<<|<>|[<>]&|>>|>\||[<>](?!\())/.exec(this.#line.slice(this.#at)) ?? [];
    if (operator === '' || this.#isRedirection) return false;
    if (/^\d+$/.test(this.#word ?? '')) this.#word = undefined;
    this.#endWord();
    this.#isRedirection = true;
    this.#at += operator.length;
    return true;
  }

  #ansiEscape(): boolean {
    ANSI_ESCAPE.lastIndex = this.#at;
    const match = ANSI_ESCAPE.exec(this.#line);
    // Readline takes the quote of \' for the end.
    if (match === null) return this.#at === this.#line.length - 1 && this.#add('', 1);
    const [found, octal, hex, short, long, control, other = ''] = match;
    const digits = octal ?? hex ?? short ?? long;
    const isCut = digits !== undefined && this.#at + found.length === this.#line.length;
    if (isCut && found.length < 4) return this.#add('', found.length);
    if (control !== undefined)
      return this.#add(String.fromCharCode(control.toUpperCase().charCodeAt(0) & 31), found.length);
    if (digits === undefined) return this.#add(ANSI_LETTERS[other] ?? plainEscape(other), found.length);
    const code = Number.parseInt(digits, octal === undefined ? 16 : 8) & (octal === undefined ? -1 : 255);
    return code >= 0 && code <= 0x10ffff && this.#add(String.fromCodePoint(code), found.length);
  }
}

/** Only quotes and backslashes lose the backslash before them. */
function plainEscape(char: string): string {
  return /["?\\]/.test(char) ? char : `\\${char}`;
}
