import { readingsOf } from './escapes.ts';

const MASK = '***';
/** API keys in texts such as URLs, curl commands and settings. */
const KEY_PATTERNS = [
  /developer_?key["']?\s*[=:]\s*["']?([^&\s"'\\]+)/gi,
  /x-api-key["']?\s*[=:]\s*["']?([^\s"'\\]+)/gi,
] as const;
/** Shorter values would match ordinary words. */
const MIN_SECRET_LENGTH = 4;
/** Shorter parts of a secret, and shorter secrets in base64, would match ordinary words. */
const MIN_PART_LENGTH = 8;
/** So many forms are searched one after the other, which is faster in a long text. */
const FEW_FORMS = 100;
/** A long text is read in windows that overlap by more than the length of any secret, so that its readings fit into memory. */
const WINDOW = 1024 * 1024;
const OVERLAP = 32 * 1024;

/** Where a text may have been cut: half a secret stands before it. */
const CUTS = /…|\.\.\./g;
const LONGEST_PART = 2000;

type Range = readonly [from: number, to: number];

/**
 * Replaces every secret of this process (API key, reader e-mails and tokens, passwords) in text from outside: as it is, in any letter
 * case, split by a line break, cut off, and however it is escaped or encoded: `readingsOf` lists the escapes, `formsOf` the encodings.
 */
export class Redactor {
  /** Secrets with the number of times they were added, and whether their forms are among `#forms`. */
  readonly #secrets = new Map<string, { count: number; isReady: boolean }>();
  /** Forms in lower case with the number of secrets that have them; by their beginnings, because many readers have many. */
  readonly #forms = new Map<string, number>();
  readonly #starts = new Map<string, Set<string>>();
  #pattern: RegExp | undefined;
  #hide: ((text: string) => string) | undefined;

  /** Redacts whatever matches a pattern with the flag g, after `hide`, instead of an earlier pattern. */
  redactMatches(pattern: RegExp, hide?: (text: string) => string): void {
    this.#pattern = pattern;
    this.#hide = hide;
  }

  /** Registers a secret; empty and very short values are ignored. */
  add(secret: string): void {
    if (secret.length < MIN_SECRET_LENGTH) return;
    const known = this.#secrets.get(secret);
    if (known === undefined) this.#secrets.set(secret, { count: 1, isReady: false });
    else known.count += 1;
  }

  /** Removes a secret that was added as often. */
  remove(secret: string): void {
    const known = this.#secrets.get(secret);
    if (known === undefined) return;
    known.count -= 1;
    if (known.count > 0) return;
    this.#secrets.delete(secret);
    if (known.isReady) for (const form of formsOf(secret)) this.#count(form, -1);
  }

  /** Replaces every registered secret in `text`. Redact before you cut: half a secret may not be recognized. */
  redact(text: string): string {
    const known = this.#secrets.size === 0 ? text : this.#redactForms(text);
    return this.#pattern === undefined
      ? known
      : (this.#hide?.(known) ?? known).replaceAll(this.#pattern, MASK);
  }

  #redactForms(text: string): string {
    this.#prepare();
    const found: Range[] = [];
    for (let start = 0; start === 0 || start < text.length; start += WINDOW) {
      const first = Math.max(0, start - OVERLAP);
      const window = text.length <= WINDOW ? text : text.slice(first, start + WINDOW + OVERLAP);
      for (const reading of readingsOf(window))
        for (const [from, to] of this.#secretsIn(lowerCase(reading.text))) {
          const [at, end] = reading.place(from, to);
          found.push([first + at, first + end]);
        }
    }
    let shown = '';
    let end = 0;
    for (const [from, to] of found.sort((one, other) => one[0] - other[0])) {
      if (from >= end) shown += text.slice(end, from) + MASK;
      end = Math.max(end, to);
    }
    return shown + text.slice(end);
  }

  /** Adds the forms of new secrets: most readers of a list come and go without a text to redact. */
  #prepare(): void {
    for (const [secret, known] of this.#secrets) {
      if (known.isReady) continue;
      known.isReady = true;
      for (const form of formsOf(secret)) this.#count(form, 1);
    }
  }

  #count(form: string, by: 1 | -1): void {
    const start = form.slice(0, MIN_SECRET_LENGTH);
    const starting = this.#starts.get(start) ?? new Set();
    const count = (this.#forms.get(form) ?? 0) + by;
    if (count > 0) {
      this.#forms.set(form, count);
      this.#starts.set(start, starting.add(form));
      return;
    }
    this.#forms.delete(form);
    starting.delete(form);
    if (starting.size === 0) this.#starts.delete(start);
  }

  *#secretsIn(text: string): Iterable<Range> {
    if (this.#forms.size <= FEW_FORMS) {
      for (const form of this.#forms.keys())
        for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1))
          if (isWhole(text, at, form)) yield [at, at + form.length];
    } else
      for (let at = 0; at + MIN_SECRET_LENGTH <= text.length; at += 1)
        for (const form of this.#formsAt(text, at))
          if (text.startsWith(form, at) && isWhole(text, at, form)) yield [at, at + form.length];
    for (const end of [text.length, ...[...text.matchAll(CUTS)].map(({ index }) => index)])
      for (let at = Math.max(0, end - LONGEST_PART); at + MIN_PART_LENGTH <= end; at += 1)
        for (const form of this.#formsAt(text, at)) if (form.startsWith(text.slice(at, end))) yield [at, end];
  }

  #formsAt(text: string, at: number): Iterable<string> {
    return this.#starts.get(text.slice(at, at + MIN_SECRET_LENGTH)) ?? [];
  }
}

/** A short form must be a complete word. */
function isWhole(text: string, at: number, form: string): boolean {
  if (form.length >= MIN_PART_LENGTH) return true;
  return !isWordCharacter(text[at - 1]) && !isWordCharacter(text[at + form.length]);
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

/** All representations of a secret in lower case that no reading of a text undoes, without duplicates. */
function formsOf(secret: string): ReadonlySet<string> {
  const escaped = [
    secret,
    lowerCase(secret),
    encodeURIComponent(secret.toWellFormed()),
    new URLSearchParams([['', secret]]).toString().slice(1),
    JSON.stringify(secret).slice(1, -1),
  ];
  const texts = [...new Set(escaped)];
  const encoded = texts.flatMap(text => encodingsOf(new TextEncoder().encode(text)));
  // Base64 of the text that programs for Windows write. Without the last zero it is a part of both byte orders.
  const wide = texts.flatMap(text => encodingsOf(utf16(text).subarray(0, -1)));
  // A text is read for escapes that it may have by chance, and so is the secret.
  const read = readingsOf(secret).map(reading => reading.text);
  return new Set(
    [...escaped, ...read, ...encoded, ...wide]
      .filter(({ length }) => length >= MIN_SECRET_LENGTH)
      .map(lowerCase),
  );
}

/** Text in lower case, with each character at its place. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return text.replaceAll(/./gsu, character => {
    const small = character.toLowerCase();
    return small.length === character.length ? small : character;
  });
}

/**
 * Bytes as hexadecimal digits and in base64, alone and within other text: the part that is independent of its neighbours, for each of
 * three byte offsets.
 */
function encodingsOf(bytes: Uint8Array): string[] {
  const whole = base64Of(bytes);
  const cores = [0, 1, 2].map(before => {
    const text = base64Of([...new Uint8Array(before), ...bytes]);
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const base64 = [whole, whole.replace(/=+$/, ''), ...cores.filter(core => core.length >= MIN_PART_LENGTH)];
  const url = base64.map(form => form.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
  return [hex, ...base64, ...url];
}

function base64Of(bytes: Iterable<number>): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Low bytes first. */
function utf16(text: string): Uint8Array {
  const byteAt = (_: unknown, at: number) => text.charCodeAt(at >> 1) >> (8 * (at % 2));
  return Uint8Array.from({ length: 2 * text.length }, byteAt);
}

/** Every API key in a text that looks like one, as typed and URL-decoded. */
export function secretsInArgv(text: string): string[] {
  const found = KEY_PATTERNS.flatMap(pattern => [...text.matchAll(pattern)].flatMap(([, key]) => key ?? []));
  return found.flatMap(key => [key, decoded(key)]);
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
