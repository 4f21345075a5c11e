import { eachStoredRow, profileStoredRows, type StoredRows } from '../stored-rows.ts';
import { LOWER_N } from '../transcode/ascii.ts';
import { utf8Text } from '../transcode/utf8.ts';
import { UnrepresentableValueError } from '../unrepresentable-value.ts';
import type { ColumnKernel } from './column-kernel.ts';
import type { ColumnProfile } from './column-profile.ts';
import type { ColumnType } from './column-type.ts';
import { isDoubleExact } from './decimal.ts';

/** How the types of columns are chosen. */
export interface TypeChoice extends StoredRows {
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
}

/** The types of all columns, how many rows there are, and the length of the longest that the kernel did not read, in bytes. */
export interface StoredTypes {
  readonly types: readonly ColumnType[];
  readonly rows: number;
  readonly longest: number;
}

/**
 * Chooses the types of all columns by their values. `target` is where the values go, as messages name it; where it `keepsAllDigits`,
 * no number is too long. Throws
 * UnrepresentableValueError for a value that no type holds exactly, FileError, and the signal's reason.
 */
export async function typesOfStoredRows(
  columns: readonly string[],
  kernel: ColumnKernel | undefined,
  options: TypeChoice & { readonly target: string; readonly keepsAllDigits?: boolean },
): Promise<StoredTypes> {
  const { target, keepsAllDigits = false } = options;
  const { profiles, rows, longest } = await profileStoredRows(columns, kernel, options);
  const found = profiles.map((profile, index) => {
    const name = columns[index] ?? '';
    if (profile.brokenText !== undefined)
      throw unrepresentable(target, name, 'a text that is cut in the middle of a character');
    return { name, profile, ...profile.typeFound(options.figures.includes(name)) };
  });
  const chosen = await options.chooseTypes?.(found);
  const types: ColumnType[] = [];
  for (const [index, { name, ...column }] of found.entries()) {
    const type = chosen?.[index] ?? column.type;
    if (keepsAllDigits) types.push(type ?? { kind: 'double' });
    else if (type === undefined || (chosen !== undefined && type.kind === 'double'))
      types.push(await doubleType(name, column.type === undefined ? column.widest : '', options));
    else {
      if (chosen === undefined && column.type !== undefined && column.isMixed) options.onMixed(name);
      types.push(type);
    }
  }
  return { types, rows, longest };
}

/** A double is exact if every number prints with the same digits again. */
async function doubleType(
  name: string,
  widest: string,
  options: StoredRows & { readonly target: string },
): Promise<ColumnType> {
  let lost: string | undefined;
  await eachStoredRow([name], options, (row, { fieldOf }) => {
    const field = fieldOf[0] as number;
    if (field < 0 || lost !== undefined) return;
    const [from, to] = [row.valueFrom[field] as number, row.valueTo[field] as number];
    if (row.text.getUint8(from) === LOWER_N) return;
    const text = utf8Text(row.text, from, to);
    if (!isDoubleExact(text)) lost = text;
  });
  if (lost === undefined) return { kind: 'double' };
  throw unrepresentable(
    options.target,
    name,
    `numbers that are too long for it, such as ${shortened(widest || lost)}`,
  );
}

/** The error for a value that a file or a destination cannot store. */
export function unrepresentable(target: string, column: string, why: string): UnrepresentableValueError {
  return new UnrepresentableValueError(
    `${target} can't keep the column ${column} as it is: ${why}; csv and ndjson can`,
    { path: target, code: 'unrepresentable_value' },
  );
}

function shortened(text: string): string {
  return text.length > 50 ? `${text.slice(0, 50)}…` : text;
}
