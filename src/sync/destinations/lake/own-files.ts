import { FileError } from '../../../errors/index.ts';
import { storedObject } from '../../../json/stored.ts';
import type { ColumnNeeds, TableSchema } from '../../column-types.ts';

const KINDS: ReadonlySet<unknown> = new Set<ColumnNeeds['kind']>(['number', 'day', 'flag', 'text']);
const SIZES: ReadonlySet<unknown> = new Set<TableSchema['partition']>(['month', 'day', undefined]);

/** The format in the marker of a lake. Throws FileError for a damaged one. */
export function parseMarker(text: string, path: string): number {
  const { format } = storedObject(text);
  return isCount(format) && format > 0 ? format : damaged(path);
}

/** The column types in the file of a table. Throws FileError for a damaged one. */
export function parseSchema(text: string, path: string): TableSchema {
  const schema = storedObject(text);
  const { version, columns, partition } = schema;
  const isIntact =
    isCount(version) && Array.isArray(columns) && columns.every(isColumn) && SIZES.has(partition);
  return isIntact ? (schema as unknown as TableSchema) : damaged(path);
}

function isColumn(value: unknown): value is ColumnNeeds {
  const { name, kind, whole, scale } = (value ?? {}) as Partial<ColumnNeeds>;
  return typeof name === 'string' && KINDS.has(kind) && isCount(whole) && isCount(scale);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function damaged(path: string): never {
  throw new FileError(`${path} is damaged`, { path, code: 'damaged_lake' });
}
