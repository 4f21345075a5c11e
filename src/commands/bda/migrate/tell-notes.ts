import type { Note, NoteKind } from '../../../families/bda/migrate/index.ts';
import type { Context } from '../../context.ts';

/** What people are told first: what they may have to act on. */
const ORDER: readonly NoteKind[] = ['lost', 'changed', 'lossless'];

/** Says on stderr what becomes of each field, one a line. */
export function tellNotes(notes: readonly Note[], context: Context): void {
  for (const kind of ORDER) {
    for (const note of notes) if (note.kind === kind) context.remark(shownNote(note));
  }
}

/** A note as one line. */
export function shownNote({ kind, field, text }: Note): string {
  return `${kind}: ${field}: ${text}`;
}

/** What is lost, among some notes. */
export function lossesIn(notes: readonly Note[]): readonly Note[] {
  return notes.filter(({ kind }) => kind === 'lost');
}
