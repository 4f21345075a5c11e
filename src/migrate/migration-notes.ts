import type { Blocker, Migration, MissingDefinition, Note, NoteKind } from './migration.ts';

/** Collects the notes, blockers and missing definitions of one migration, without duplicates (from two charts, say). */
export class MigrationNotes {
  readonly lossy: boolean;
  readonly #notes = new Map<string, Note>();
  readonly #blockers = new Map<string, Blocker>();
  readonly #missing = new Map<string, MissingDefinition>();

  constructor(lossy: boolean) {
    this.lossy = lossy;
  }

  get notes(): Note[] {
    return [...this.#notes.values()];
  }

  get blockers(): Blocker[] {
    return [...this.#blockers.values()];
  }

  get missing(): MissingDefinition[] {
    return [...this.#missing.values()];
  }

  /** What `migrate` returns where something blocks it. */
  failure(): Extract<Migration, { ok: false }> {
    return { ok: false, blockers: this.blockers, notes: this.notes, missing: this.missing };
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

  /** Records what makes a query impossible. */
  block(field: string, reason: string): void {
    this.#blockers.set(JSON.stringify([field, reason]), { field, reason });
  }

  /** Records what v2 cannot express: it blocks the migration, or with `lossy` is omitted, with the given consequence. */
  unsupported(field: string, reason: string, consequence: string): void {
    if (this.lossy) this.lost(field, `${reason}; omitted, so ${consequence}`);
    else this.block(field, reason);
  }

  requireDefinition(what: MissingDefinition['what'], id: string): void {
    this.#missing.set(JSON.stringify([what, id]), { what, id });
  }

  #note(kind: NoteKind, field: string, text: string): void {
    this.#notes.set(JSON.stringify([kind, field, text]), { kind, field, text });
  }
}
