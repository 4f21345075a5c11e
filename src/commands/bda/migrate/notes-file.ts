import { type Migration, queryJson } from '../../../families/bda/migrate/index.ts';
import { writeWhole } from '../../../files/whole-file.ts';
import { type Json, type JsonRecord, parseJson, stringifyJson } from '../../../json/index.ts';

/** What became of one request, for programs: its queries with their labels, or why there are none, and all notes. */
export function migrationRecord(migration: Migration): JsonRecord {
  const notes = migration.notes.map(note => ({ ...note }));
  if (!migration.ok) return { ok: false, refusals: migration.refusals.map(one => ({ ...one })), notes };
  const queries = migration.queries.map(({ label, query }) => ({
    label,
    query: parseJson(queryJson(query)),
  }));
  return { ok: true, queries, notes };
}

/** Writes what `--notes` asks for. Throws FileError. */
export async function writeNotes(path: string | undefined, content: Json): Promise<void> {
  if (path !== undefined) await writeWhole(path, `${stringifyJson(content, 2)}\n`);
}
