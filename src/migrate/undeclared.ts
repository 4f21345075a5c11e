import { isPresent, isSameField } from '../apis/bda/fields.ts';
import { type Shape, unknownMembers } from '../documents/declaration.ts';
import { isRecord, type Json, type JsonRecord } from '../json/index.ts';
import type { MigrationNotes } from './migration-notes.ts';

interface DeclaredDocument {
  readonly document: JsonRecord;
  readonly shape: Shape;
  /** Prefix of field paths. */
  readonly path: string;
  /** Names that do not block the migration. */
  readonly allowUnknown: readonly string[] | undefined;
  /** Whether the server wrote it: it may spell names in another case, with underscores. */
  readonly isSaved?: boolean;
}

/**
 * A member with a value that a document does not declare, at any depth, blocks the migration: it may select other rows. With `lossy`, or
 * named in `allowUnknown`, it is lost. A key is discarded unread.
 */
export function noteUndeclared(
  { document, shape, path: prefix, allowUnknown = [], isSaved = false }: DeclaredDocument,
  notes: MigrationNotes,
): void {
  const isSame = isSaved ? isSameField : undefined;
  for (const { name, field, path, message } of unknownMembers(document, shape, [], isSame)) {
    if (!isPresent(valueAt(document, path)) && (isSaved || path.length === 1)) continue;
    const place = `${prefix}${field}`;
    if (isKeyName(name)) notes.lossless(place, 'discarded: v2 accepts the key in a header only');
    else if (allowUnknown.includes(name)) notes.lost(place, 'is not documented; ignored, as requested');
    else notes.unsupported(place, message, 'its effect is lost');
  }
}

/** Whether a member holds an API key, by its name in a URL or a header. */
export function isKeyName(name: string): boolean {
  return /^(developer_?key|x-api-key)$/i.test(name);
}

function valueAt(document: JsonRecord, path: readonly (string | number)[]): Json | undefined {
  return path.reduce<Json | undefined>((value, part) => {
    if (typeof part === 'number') return Array.isArray(value) ? value[part] : undefined;
    return isRecord(value) ? value[part] : undefined;
  }, document);
}
