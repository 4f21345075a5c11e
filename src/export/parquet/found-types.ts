import { eachStoredRow, type StoredRows } from '../stored-rows.ts';
import { LOWER_N } from '../transcode/ascii.ts';
import { utf8Text } from '../transcode/utf8.ts';
import { UnrepresentableValueError } from '../unrepresentable-value.ts';
import type { ColumnProfile } from './column-profile.ts';
import type { ColumnType } from './column-type.ts';
import { isDoubleExact } from './decimal.ts';

/** How the types of columns are chosen. */
export interface TypeChoice {
  /** Numeric columns: an empty one becomes a column of integers. */
  readonly figures: readonly string[];
  /** Called for a column with values of several kinds, which is stored as text. */
  readonly onMixed: (column: string) => void;
  /** Chooses the types of all columns instead, each at least as wide as what was found. */
  readonly chooseTypes?: (found: readonly FoundColumn[]) => Promise<readonly ColumnType[]>;
}

/** What a look at all values of a column found. */
export interface FoundColumn {
  readonly name: string;
  readonly profile: ColumnProfile;
  /** The narrowest type; undefined if only a double, which may not be exact, holds the numbers. */
  readonly type: ColumnType | undefined;
  /** Of such numbers, the one with the most digits. */
  readonly widest?: string;
}

/** The values of columns, and where they go. */
interface ProfiledColumns extends TypeChoice {
  readonly columns: readonly string[];
  /** What a look at the values of each column found. */
  readonly profiles: readonly ColumnProfile[];
  /** Where the values go, as messages name it. */
  readonly target: string;
  /** Whether a file of another format could have the values instead. */
  readonly isFile: boolean;
  /** Whether no number is too long there. */
  readonly keepsAllDigits?: boolean;
  /** Finds a number of a column that a double would not print with the same digits again. */
  readonly inexactIn: (column: string) => Promise<string | undefined> | string | undefined;
}

/** Chooses the types of columns. Throws UnrepresentableValueError for a value that no type holds exactly. */
export async function typesOf(options: ProfiledColumns): Promise<readonly ColumnType[]> {
  const { columns, profiles, figures, keepsAllDigits = false, inexactIn, onMixed } = options;
  const refuse = (column: string, why: string) => unrepresentable(options.target, column, why, options);
  const found = profiles.map((profile, index) => {
    const name = columns[index] ?? '';
    if (profile.brokenText !== undefined)
      throw refuse(name, 'a text that is cut in the middle of a character');
    return { name, profile, ...profile.typeFound(figures.includes(name)) };
  });
  const chosen = await options.chooseTypes?.(found);
  const types: ColumnType[] = [];
  for (const [index, { name, ...column }] of found.entries()) {
    const type = chosen?.[index] ?? column.type;
    if (keepsAllDigits) types.push(type ?? { kind: 'double' });
    else if (type === undefined || (chosen !== undefined && type.kind === 'double')) {
      const lost = await inexactIn(name);
      if (lost !== undefined) {
        throw refuse(name, tooLong((column.type === undefined && column.widest) || lost));
      }
      types.push({ kind: 'double' });
    } else {
      if (chosen === undefined && column.type !== undefined && column.isMixed) onMixed(name);
      types.push(type);
    }
  }
  return types;
}

/** Finds a number in a column of stored rows that a double would not print with the same digits again. Throws FileError. */
export async function inexactInStored(rows: StoredRows, column: string): Promise<string | undefined> {
  let lost: string | undefined;
  await eachStoredRow([column], rows, (row, { fieldOf }) => {
    const field = fieldOf[0] as number;
    if (field < 0 || lost !== undefined) return;
    const [from, to] = [row.valueFrom[field] as number, row.valueTo[field] as number];
    if (row.text.getUint8(from) === LOWER_N) return;
    const text = utf8Text(row.text, from, to);
    if (!isDoubleExact(text)) lost = text;
  });
  return lost;
}

/** The error for a value that a file or a destination cannot store; another file format can. */
export function unrepresentable(
  target: string,
  column: string,
  why: string,
  { isFile }: Pick<ProfiledColumns, 'isFile'>,
): UnrepresentableValueError {
  const others = isFile ? '; csv and ndjson can' : '';
  return new UnrepresentableValueError(
    `${target} cannot store the column ${column} as it is: ${why}${others}`,
    { path: target, code: 'unrepresentable_value' },
  );
}

/** Why a number cannot be stored where doubles are the longest. */
export function tooLong(number: string): string {
  const shown = number.length > 50 ? `${number.slice(0, 50)}…` : number;
  return `numbers that are too long for it, such as ${shown}`;
}
