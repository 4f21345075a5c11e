import { writeAtomic } from '../../../files/atomic-file.ts';
import { type Json, type JsonRecord, stringifyJson } from '../../../json/index.ts';
import { type Migration, type Note, type NoteKind, planRecord } from '../../../migrate/index.ts';
import type { Context } from '../../framework/context.ts';

/** Order of the notes: first those that may require action. */
const ORDER: readonly NoteKind[] = ['lost', 'changed', 'lossless'];

/** Prints the notes to stderr, one per line. */
export function printNotes(notes: readonly Note[], context: Context): void {
  for (const kind of ORDER) {
    for (const note of notes) if (note.kind === kind) context.log.info(formatNote(note));
  }
}

function formatNote({ kind, field, text }: Note): string {
  return `${kind}: ${field}: ${text}`;
}

/** The notes on losses. */
export function lossesIn(notes: readonly Note[]): readonly Note[] {
  return notes.filter(({ kind }) => kind === 'lost');
}

/** The JSON form of notes. Those that say lossless tell whether the rows of v1 and v2 were found to agree. */
export function noteRecords(notes: readonly Note[], isVerified: boolean): JsonRecord[] {
  return notes.map(note => ({ ...note, ...(note.kind === 'lossless' && { verified: isVerified }) }));
}

/** The JSON form of a migration: its labelled queries, or what blocks it, and all notes. */
export function migrationRecord(migration: Migration, isVerified = false): JsonRecord {
  const notes = noteRecords(migration.notes, isVerified);
  if (!migration.ok) return { ok: false, blockers: migration.blockers.map(one => ({ ...one })), notes };
  return { ok: true, ...planRecord(migration.parts), notes };
}

/** Writes the file of `--notes`. Throws FileError. */
export async function writeNotes(path: string | undefined, content: Json): Promise<void> {
  if (path !== undefined) await writeAtomic(path, `${stringifyJson(content, 2)}\n`);
}
