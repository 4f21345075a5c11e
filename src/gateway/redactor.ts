const MASK = '***';
/** Shorter values would blot out ordinary words. */
const MIN_SECRET_LENGTH = 4;

/**
 * Knows every secret of this process (API key, reader e-mails and tokens, proxy password) and blots each out of any
 * text that is about to become visible, in plain, URL-encoded and base64 form.
 */
export class Redactor {
  readonly #forms = new Set<string>();

  /** Registers a secret; empty and very short values are ignored. */
  add(secret: string): void {
    if (secret.length < MIN_SECRET_LENGTH) return;
    this.#forms.add(secret);
    this.#forms.add(encodeURIComponent(secret.toWellFormed()));
    this.#forms.add(new URLSearchParams([['', secret]]).toString().slice(1));
    this.#forms.add(JSON.stringify(secret).slice(1, -1));
    const bytes = Buffer.from(secret);
    this.#forms.add(bytes.toString('base64'));
    this.#forms.add(bytes.toString('base64url'));
  }

  /** Replaces every registered secret in `text` by `***`, longest form first. */
  redact(text: string): string {
    let shown = text;
    for (const form of [...this.#forms].sort((a, b) => b.length - a.length)) {
      if (shown.includes(form)) shown = shown.replaceAll(form, MASK);
    }
    return shown;
  }
}
