import type { Need, Note, NoteKind, Refusal } from './migration.ts';

/** Gathers what one migration has to say; the same remark twice (from two charts, say) is kept once. */
export class MigrationNotes {
  readonly lossy: boolean;
  readonly #notes = new Map<string, Note>();
  readonly #refusals = new Map<string, Refusal>();
  readonly #needs = new Map<string, Need>();

  constructor(lossy: boolean) {
    this.lossy = lossy;
  }

  get notes(): Note[] {
    return [...this.#notes.values()];
  }

  get refusals(): Refusal[] {
    return [...this.#refusals.values()];
  }

  get needs(): Need[] {
    return [...this.#needs.values()];
  }

  lossless(field: string, text: string): void {
    this.#note('lossless', field, text);
  }

  changed(field: string, text: string): void {
    this.#note('changed', field, text);
  }

  lost(field: string, text: string): void {
    this.#note('lost', field, text);
  }

  /** What no query can do without. */
  refuse(field: string, reason: string): void {
    this.#refusals.set(JSON.stringify([field, reason]), { field, reason });
  }

  /** What a query can do without: refused, or with lossy left out, which has the given consequence. */
  leaveOut(field: string, reason: string, consequence: string): void {
    if (this.lossy) this.lost(field, `${reason}; left out, so ${consequence}`);
    else this.refuse(field, reason);
  }

  need(what: Need['what'], id: string): void {
    this.#needs.set(JSON.stringify([what, id]), { what, id });
  }

  #note(kind: NoteKind, field: string, text: string): void {
    this.#notes.set(JSON.stringify([kind, field, text]), { kind, field, text });
  }
}
