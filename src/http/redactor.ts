const MASK = '***';
/** API keys in texts such as URLs, curl commands and settings. */
const KEY_PATTERNS = [
  /developer_?key["']?\s*[=:]\s*["']?([^&\s"'\\]+)/gi,
  /x-api-key["']?\s*[=:]\s*["']?([^\s"'\\]+)/gi,
] as const;
/** Shorter values would match ordinary words. */
const MIN_SECRET_LENGTH = 4;
/** So many forms are searched one after the other, which is faster in a long text without any. */
const FEW_FORMS = 100;
/** Shorter base64 fragments would match ordinary words. */
const MIN_CORE_LENGTH = 8;

/**
 * Redacts every secret of this process (API key, reader e-mails and tokens, proxy password) in text to print: as plain text,
 * URL-encoded, JSON-escaped, and in base64, alone or within other text, in any letter case.
 */
export class Redactor {
  /** All forms in lower case by their first characters, because a list of readers has many. */
  readonly #forms = new Map<string, Forms>();
  /** Number of forms. */
  #count = 0;
  #pattern: RegExp | undefined;

  /** Redacts whatever matches a pattern with the flag g, instead of an earlier pattern. */
  redactMatches(pattern: RegExp): void {
    this.#pattern = pattern;
  }

  /** Registers a secret; empty and very short values are ignored. */
  add(secret: string): void {
    if (secret.length < MIN_SECRET_LENGTH) return;
    for (const form of formsOf(secret)) this.#addForm(form);
  }

  /** Removes a secret that was added as often. */
  remove(secret: string): void {
    if (secret.length < MIN_SECRET_LENGTH) return;
    for (const form of formsOf(secret)) this.#removeForm(form);
  }

  /** Replaces every registered secret in `text` by `***`, leftmost first, and the longest of several at the same place. */
  redact(text: string): string {
    const known = this.#redactEscaped(this.#redactForms(text));
    return this.#pattern === undefined ? known : known.replaceAll(this.#pattern, MASK);
  }

  /** Redacts secrets that are escaped in JSON in another way than `JSON.stringify` does; other text does not change. */
  #redactEscaped(text: string): string {
    if (this.#forms.size === 0 || !text.includes('\\')) return text;
    const plain = withoutEscapes(text);
    const redacted = this.#redactForms(plain);
    return redacted === plain ? text : redacted;
  }

  #redactForms(text: string): string {
    if (this.#forms.size === 0) return text;
    const folded = lowerCase(text);
    if (this.#count <= FEW_FORMS && !this.#isIn(folded)) return text;
    let shown = '';
    let from = 0;
    for (let at = 0; at + MIN_SECRET_LENGTH <= text.length; ) {
      const forms = this.#forms.get(folded.slice(at, at + MIN_SECRET_LENGTH));
      const found = forms && longestFirst(forms).find(form => isAt(folded, at, form));
      if (found === undefined) {
        at += 1;
        continue;
      }
      shown += text.slice(from, at) + MASK;
      at += found.length;
      from = at;
    }
    return shown + text.slice(from);
  }

  #isIn(folded: string): boolean {
    for (const { all } of this.#forms.values())
      for (const form of all.keys()) if (folded.includes(form)) return true;
    return false;
  }

  #addForm(form: string): void {
    const beginning = form.slice(0, MIN_SECRET_LENGTH);
    const forms = this.#forms.get(beginning) ?? { all: new Map(), sorted: undefined };
    this.#forms.set(beginning, forms);
    if (!forms.all.has(form)) this.#count += 1;
    forms.all.set(form, (forms.all.get(form) ?? 0) + 1);
    forms.sorted = undefined;
  }

  #removeForm(form: string): void {
    const beginning = form.slice(0, MIN_SECRET_LENGTH);
    const forms = this.#forms.get(beginning);
    const uses = forms?.all.get(form);
    if (forms === undefined || uses === undefined) return;
    forms.sorted = undefined;
    if (uses > 1) forms.all.set(form, uses - 1);
    else {
      forms.all.delete(form);
      this.#count -= 1;
    }
    if (forms.all.size === 0) this.#forms.delete(beginning);
  }
}

/** Whether a form matches at an index. A short form must be a complete word. */
function isAt(text: string, at: number, form: string): boolean {
  if (!text.startsWith(form, at)) return false;
  if (form.length >= MIN_CORE_LENGTH) return true;
  return !isWordCharacter(text[at - 1]) && !isWordCharacter(text[at + form.length]);
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

interface Forms {
  /** Number of secrets per form. */
  readonly all: Map<string, number>;
  /** The forms, longest first, sorted on first use. */
  sorted: readonly string[] | undefined;
}

function longestFirst(forms: Forms): readonly string[] {
  forms.sorted ??= [...forms.all.keys()].sort((a, b) => b.length - a.length);
  return forms.sorted;
}

/** All representations of a secret in lower case, without duplicates. */
function formsOf(secret: string): ReadonlySet<string> {
  const lower = lowerCase(secret);
  const base64 = lower === secret ? base64Forms(secret) : [...base64Forms(secret), ...base64Forms(lower)];
  const forms = [
    secret,
    encodeURI(secret.toWellFormed()),
    encodeURIComponent(secret.toWellFormed()),
    new URLSearchParams([['', secret]]).toString().slice(1),
    JSON.stringify(secret).slice(1, -1),
    ...base64,
    ...base64.map(form => form.replaceAll('+', '-').replaceAll('/', '_')),
  ];
  return new Set(forms.map(lowerCase));
}

/** A character that JSON need not escape, escaped as some servers do: `\\/` and `\\u002b`. */
const NEEDLESS_ESCAPE = /\\(?:\/|u([0-9a-f]{4}))/gi;

/** JSON without needless escapes. */
function withoutEscapes(text: string): string {
  return text.replaceAll(NEEDLESS_ESCAPE, (escaped, code: string | undefined) => {
    const character = code === undefined ? '/' : String.fromCharCode(Number.parseInt(code, 16));
    return /[\p{Cc}"\\]/u.test(character) ? escaped : character;
  });
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
 * A secret in base64, alone and within other text: the part that is independent of its neighbours, for each of three byte
 * offsets.
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const whole = bytes.toString('base64');
  const cores = [0, 1, 2].map(before => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  return [whole, whole.replace(/=+$/, ''), ...cores.filter(core => core.length >= MIN_CORE_LENGTH)];
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
