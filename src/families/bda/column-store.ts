import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { FileError } from '../../errors/index.ts';
import { makePrivateFolder } from '../../files/lock.ts';
import { readText } from '../../files/text-source.ts';
import { writeWhole } from '../../files/whole-file.ts';

const VERSION = 1;

/** A column as far as completion, suggestions and filter values need it. */
export interface KnownColumn {
  readonly name: string;
  readonly type?: string;
  readonly unit?: string;
  readonly dataSets?: readonly string[];
}

/** Whose columns they are. */
export interface ColumnOwner {
  /** The gateway's root. */
  readonly baseUrl: string;
  readonly profile: string | undefined;
}

/** The file for one owner's columns in a cache folder. */
export function columnsPath(folder: string, { baseUrl, profile }: ColumnOwner): string {
  const owner = createHash('sha256').update(JSON.stringify([baseUrl, profile ?? null]));
  return join(folder, `columns-${owner.digest('hex').slice(0, 16)}.json`);
}

/** The columns as they were last listed, however long ago; undefined where they were not, or can't be read. */
export async function readColumns(path: string): Promise<readonly KnownColumn[] | undefined> {
  try {
    const { version, columns } = JSON.parse(await readText(path));
    return version === VERSION && Array.isArray(columns) ? columns.filter(isColumn) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof FileError) return undefined;
    throw error;
  }
}

/** Keeps columns for this user alone. `now` is milliseconds since the epoch. Throws FileError. */
export async function writeColumns(
  path: string,
  columns: readonly KnownColumn[],
  now: number,
): Promise<void> {
  await makePrivateFolder(dirname(path));
  const content = { version: VERSION, listed_at: new Date(now).toISOString(), columns };
  await writeWhole(path, `${JSON.stringify(content)}\n`, { mode: 0o600 });
}

function isColumn(value: unknown): value is KnownColumn {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';
}
