/** The domains of an account, in the order in which they are replaced; further ones are `site-4.example` and so on. */
const DOMAINS = ['example.com', 'example.org', 'example.net'];
/** Domains that nobody has (RFC 2606) are no secrets. */
const RESERVED = /(?:^|\.)(?:example(?:\.(?:com|org|net))?|test|invalid|localhost)$/;
/** Shorter secrets would match ordinary words. */
const MIN_SECRET_LENGTH = 4;
const FIRST_ID = 1001;
/** Replaces what matches a secret only by Unicode's rules of letter case. */
const UNNAMED = 'made-up';

const EMAIL = /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/giu;
/** A signed or encrypted token: the first part of JSON begins with eyJ. */
const JWT = /eyJ[\w-]{4,}(?:\.[\w-]*){1,4}/g;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/**
 * Made-up names for what must not be recorded: the same one each time for the same address, token, id or domain. Letter case does not
 * count, except in ids.
 */
export class Pseudonyms {
  readonly #byKind = new Map<Kind, Map<string, string>>();
  /** Everything that was made up, so that it is not replaced again. */
  readonly #made = new Set<string>();
  /** Secrets that no pattern finds, in lower case, with their replacements. */
  readonly #known = new Map<string, string>();
  readonly #domains = new Map<string, string>();
  #knownPattern: RegExp | undefined;
  #domainPattern: RegExp | undefined;

  /** Grows with each secret that is registered, so that a text that was replaced earlier can be replaced again. */
  get revision(): number {
    return this.#known.size + this.#domains.size;
  }

  /** How many of each were replaced. */
  get counts(): Readonly<Record<Kind, number>> {
    const count = (kind: Kind) => this.#byKind.get(kind)?.size ?? 0;
    return {
      reader: count('reader'),
      token: count('token'),
      opaque: count('opaque'),
      id: count('id'),
      uuid: count('uuid'),
    };
  }

  /** Registers a secret with its replacement. */
  addSecret(secret: string, replacement: string): void {
    const folded = secret.toLowerCase();
    if (secret.length < MIN_SECRET_LENGTH || this.#known.has(folded) || this.#made.has(folded)) return;
    this.#known.set(folded, replacement);
    this.#made.add(replacement.toLowerCase());
    this.#knownPattern = undefined;
  }

  /** Registers a domain of the account. */
  addDomain(domain: string): void {
    const folded = domain.toLowerCase();
    if (!/^[^\s/@:]+\.[^\s/@:.]+$/.test(folded) || this.#domains.has(folded)) return;
    if (RESERVED.test(folded)) return;
    const index = this.#domains.size;
    const replacement = DOMAINS[index] ?? `site-${index + 1}.example`;
    this.#domains.set(folded, replacement);
    this.#made.add(replacement);
    this.#domainPattern = undefined;
  }

  /** The replacement of an e-mail address, or of what a client sent as one. */
  email(address: string): string {
    const replacement = this.#numbered('reader', address, n => `reader-${n}@example.com`);
    if (!isWhole(EMAIL, address)) this.addSecret(address, replacement);
    return replacement;
  }

  /** The replacement of a token, which has the shape of a token. */
  token(token: string): string {
    const replacement = this.#numbered('token', token, madeUpToken);
    if (!isWhole(JWT, token)) this.addSecret(token, replacement);
    return replacement;
  }

  /** The replacement of text in which a secret is encoded. */
  opaque(text: string): string {
    return this.#numbered('opaque', text, n => `made-up-${n}`);
  }

  /** The replacement of an id: digits for digits. */
  id(id: string): string {
    return this.#numbered('id', id, n => (/^\d+$/.test(id) ? String(FIRST_ID - 1 + n) : `id-${n}`), false);
  }

  /** Whether a registered secret is in a text as it is. */
  hasSecret(text: string): boolean {
    return text.search(this.#secrets()) >= 0;
  }

  /** Replaces secrets that are in a text as they are. */
  replace(text: string): string {
    return text
      .replace(this.#secrets(), found => this.#known.get(found.toLowerCase()) ?? UNNAMED)
      .replace(JWT, found => this.token(found))
      .replace(EMAIL, found => this.email(found))
      .replace(UUID, found => this.#numbered('uuid', found, madeUpUuid))
      .replace(this.#domainNames(), found => this.#domains.get(found.toLowerCase()) ?? UNNAMED);
  }

  /** `fixed` is false for ids: one that was made up may also be another one's original. */
  #numbered(kind: Kind, original: string, make: (n: number) => string, fixed = true): string {
    const known = this.#byKind.get(kind) ?? new Map<string, string>();
    this.#byKind.set(kind, known);
    if (fixed && this.#made.has(original.toLowerCase())) return original;
    const key = kind === 'id' || kind === 'opaque' ? original : original.toLowerCase();
    const replacement = known.get(key) ?? make(known.size + 1);
    known.set(key, replacement);
    this.#made.add(replacement.toLowerCase());
    return replacement;
  }

  #secrets(): RegExp {
    this.#knownPattern ??= alternatives([...this.#known.keys()], text => text);
    return this.#knownPattern;
  }

  /** Domains and their subdomains' ends, but no parts of longer names. */
  #domainNames(): RegExp {
    this.#domainPattern ??= alternatives(
      [...this.#domains.keys()],
      text => `(?<![\\p{L}\\p{N}-])(?:${text})(?![\\p{L}\\p{N}-]|\\.[\\p{L}\\p{N}])`,
    );
    return this.#domainPattern;
  }
}

type Kind = 'reader' | 'token' | 'opaque' | 'id' | 'uuid';

const NOTHING = /(?!)/g;

/** Matches any of the texts, the longest first. */
function alternatives(texts: readonly string[], around: (pattern: string) => string): RegExp {
  if (texts.length === 0) return NOTHING;
  const escaped = [...texts]
    .sort((one, other) => other.length - one.length)
    .map(text => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, character => `\\${character}`));
  return new RegExp(around(escaped.join('|')), 'giu');
}

function isWhole(pattern: RegExp, text: string): boolean {
  return text.replace(pattern, '') === '';
}

function madeUpToken(n: number): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signature = Buffer.from(`made-up signature ${n}`).toString('base64url');
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: `reader ${n}` })}.${signature}`;
}

const madeUpUuid = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
