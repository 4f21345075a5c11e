import { writeAtomic } from '../../../files/atomic-file.ts';
import { type Json, type JsonRecord, stringifyJson } from '../../../json/index.ts';
import { type Migration, type Note, type NoteKind, queryRecord } from '../../../migrate/index.ts';
import type { Context } from '../../framework/context.ts';

/** What people are told first: what they may have to act on. */
const ORDER: readonly NoteKind[] = ['lost', 'changed', 'lossless'];

/** Says on stderr what becomes of each field, one a line. */
export function printNotes(notes: readonly Note[], context: Context): void {
  for (const kind of ORDER) {
    for (const note of notes) if (note.kind === kind) context.log.info(shownNote(note));
  }
}

/** A note as one line. */
function shownNote({ kind, field, text }: Note): string {
  return `${kind}: ${field}: ${text}`;
}

/** What is lost, among some notes. */
export function lossesIn(notes: readonly Note[]): readonly Note[] {
  return notes.filter(({ kind }) => kind === 'lost');
}

/** What became of one request, for programs: its queries with their labels, or why there are none, and all notes. */
export function migrationRecord(migration: Migration): JsonRecord {
  const notes = migration.notes.map(note => ({ ...note }));
  if (!migration.ok) return { ok: false, refusals: migration.refusals.map(one => ({ ...one })), notes };
  const queries = migration.queries.map(({ label, query }) => ({ label, query: queryRecord(query) }));
  return { ok: true, queries, notes };
}

/** Writes what `--notes` asks for. Throws FileError. */
export async function writeNotes(path: string | undefined, content: Json): Promise<void> {
  if (path !== undefined) await writeAtomic(path, `${stringifyJson(content, 2)}\n`);
}
