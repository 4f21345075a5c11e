import type { WritableFile } from '../../files/writable-file.ts';
import type { Chart } from '../../output/chart/chart.ts';
import { roundDecimals } from '../../output/number.ts';
import { withColumnKernel } from '../parquet/column-kernel.ts';
import type { ColumnProfile } from '../parquet/column-profile.ts';
import { isDoubleExact } from '../parquet/decimal.ts';
import {
  eachStoredRow,
  firstStoredRows,
  profileStoredRows,
  type StoredRows,
  storedColumns,
} from '../stored-rows.ts';
import { isDigit, MINUS, QUOTE } from '../transcode/ascii.ts';
import { utf8Text } from '../transcode/utf8.ts';
import { EXACT_DIGITS } from './cell-writer.ts';
import {
  type CellFigure,
  columnWidth,
  formattedLength,
  numberFormat,
  partSuffix,
  type SheetColumn,
  scaleOf,
} from './sheet-column.ts';
import { GENERAL } from './workbook-parts.ts';
import { type WorkbookOptions, WorkbookWriter } from './workbook-writer.ts';

export interface XlsxOptions extends TableOptions {
  readonly file: WritableFile;
  readonly createdBy: string;
  readonly sheetRows?: number;
}

/** Rows that become the sheets of one table. */
interface TableOptions extends StoredRows {
  /** The columns, in order; empty where the rows name them. */
  readonly columns: readonly string[];
  /** How the numbers of a column are read. */
  readonly figureOf: (column: string) => CellFigure;
  /** What the period of a label in a column lacks of its days, which is written beside it; undefined where none lacks any. */
  readonly partOf?: ((column: string, label: string) => string | undefined) | undefined;
  readonly sheetName: string;
  /** The header of a column; the default is its name. */
  readonly headingOf?: (column: string) => string;
  /** Drawn beside the rows. */
  readonly chart?: Chart | undefined;
  /** What is printed below each page, after the name of the sheet. */
  readonly footer?: string | undefined;
  /** How people read the days of a column; undefined for `YYYY-MM-DD`. */
  readonly datesOf?: ((column: string) => SheetColumn['dates']) | undefined;
  /** What a cell without a value shows; undefined for nothing. */
  readonly dash?: string | undefined;
  /** A sentence in place of rows, where there are none. */
  readonly empty?: string | undefined;
  /** Rounds numbers with decimals to so many. */
  readonly decimals?: number | undefined;
  /** How many rows are written, of how many. */
  readonly onRows: (written: number, all: number) => void;
  /** A column of numbers that is written as text, because a spreadsheet would change `example`. */
  readonly onDigits: (column: string, example: string) => void;
}

const DAY_CHARACTERS = 10;
const NAMED_DAY_CHARACTERS = 'Mon 16 Nov 2026'.length;
/** More digits before the point of a number that is multiplied by a hundred. */
const POINTS_DIGITS = 2;

/**
 * Writes rows as a workbook of typed cells, in constant memory. Throws UnrepresentableValueError, FileError, and the signal's reason.
 */
export async function rowsToXlsx(options: XlsxOptions): Promise<void> {
  const { file, createdBy, sheetRows, chart } = options;
  const charts = chart === undefined ? [] : [chart];
  await writeWorkbook(file, { createdBy, sheetRows, charts }, async writer => {
    await writeTable(writer, options);
  });
}

/** Writes a workbook; `produce` writes its sheets. After an error nothing reaches the file any more. */
export async function writeWorkbook(
  file: Pick<WritableFile, 'path' | 'write'>,
  options: WorkbookOptions,
  produce: (writer: WorkbookWriter) => Promise<void>,
): Promise<void> {
  const writer = new WorkbookWriter(file, options);
  try {
    await writer.begin();
    await produce(writer);
    await writer.end();
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

/**
 * Adds the sheets of a table. A column of numbers is text where a double cannot hold one of them with all its digits. Throws
 * UnrepresentableValueError, FileError, and the signal's reason.
 */
export async function writeTable(writer: WorkbookWriter, options: TableOptions): Promise<void> {
  const names = options.columns.length > 0 ? options.columns : await storedColumns(options);
  const { profiles, rows } = await withColumnKernel(kernel => profileStoredRows(names, kernel, options));
  const { decimals, partOf } = options;
  const isRounded = (at: number) => decimals !== undefined && (profiles[at]?.decimals ?? 0) > 0;
  const lost = await lostDigits(names, profiles, options, isRounded);
  for (const [column, example] of lost) options.onDigits(names[column] ?? '', example);
  const lengths = await textLengths(names, options);
  const columns = names.map((name, at): SheetColumn => {
    const profile = profiles[at] as ColumnProfile;
    const shown = options.figureOf(name);
    const scale = scaleOf(shown);
    const requested = isRounded(at) ? decimals : undefined;
    const format = profile.hasNumbers
      ? numberFormat(name, shown, requested ?? profile.decimals, decimals)
      : GENERAL;
    const hasDays = profile.isDays;
    const whole = profile.wholeDigits + (scale === 'points' ? POINTS_DIGITS : 0);
    const length = profile.hasNumbers ? formattedLength(format, whole) : 0;
    const dates = options.datesOf?.(name);
    const dayCharacters = dates === undefined ? DAY_CHARACTERS : NAMED_DAY_CHARACTERS;
    const texts = Math.max(hasDays ? dayCharacters : 0, lengths[at] ?? 0);
    const isText = lost.has(at);
    const heading = options.headingOf?.(name) ?? name;
    return {
      name,
      heading,
      hasNumbers: profile.hasNumbers && (lengths[at] ?? 0) === 0,
      hasDays,
      partOf: partOf && (label => partOf(name, label)),
      numbers: isText ? 'text' : 'exact',
      // A format multiplies the numbers of shares by a hundred.
      decimals:
        requested === undefined || shown.figure !== 'ratio' || shown.isChange
          ? requested
          : requested + POINTS_DIGITS,
      scale,
      format,
      dates,
      dash: options.dash,
      width: columnWidth(heading, Math.max(isText ? (lost.get(at) ?? '').length : length, texts)),
    };
  });
  let written = 0;
  writer.beginTable(options.sheetName, columns, options);
  await eachStoredRow(
    names,
    options,
    (row, layout) => {
      writer.put(row, layout);
      written += 1;
    },
    async () => {
      await writer.flush();
      options.onRows(written, rows);
    },
  );
  await writer.endTable(written === 0 ? options.empty : undefined);
}

/** The columns with a number that a double does not keep, each with the first such number. */
async function lostDigits(
  names: readonly string[],
  profiles: readonly ColumnProfile[],
  { decimals, ...stored }: StoredRows & { readonly decimals?: number | undefined },
  isRounded: (column: number) => boolean,
): Promise<Map<number, string>> {
  const lost = new Map<number, string>();
  const doubtful = [...names.keys()].filter(at => mostDigits(profiles[at]) > EXACT_DIGITS);
  if (doubtful.length === 0) return lost;
  await eachStoredRow(
    doubtful.map(at => names[at] ?? ''),
    stored,
    (row, { fieldOf }) => {
      for (const [index, column] of doubtful.entries()) {
        const field = fieldOf[index] as number;
        if (field < 0 || lost.has(column)) continue;
        const [from, to] = [row.valueFrom[field] as number, row.valueTo[field] as number];
        const first = row.text.getUint8(from);
        if (!(isDigit(first) || first === MINUS)) continue;
        const digits = utf8Text(row.text, from, to);
        const text = isRounded(column) ? roundDecimals(digits, decimals ?? 0) : digits;
        if (String(Number(text)) !== text && !isDoubleExact(text)) lost.set(column, text);
      }
    },
  );
  return lost;
}

function mostDigits(profile: ColumnProfile | undefined): number {
  return profile === undefined ? 0 : profile.wholeDigits + profile.decimals;
}

/** The length of the longest text of each column with its mark, in the first rows. */
async function textLengths(
  names: readonly string[],
  { partOf, ...stored }: Pick<TableOptions, 'partOf'> & StoredRows,
): Promise<readonly number[]> {
  const lengths = names.map(() => 0);
  await firstStoredRows(names, stored, (row, { fieldOf }) => {
    for (let column = 0; column < lengths.length; column++) {
      const field = fieldOf[column] as number;
      if (field < 0 || row.text.getUint8(row.valueFrom[field] as number) !== QUOTE) continue;
      const [from, to] = [(row.valueFrom[field] as number) + 1, (row.valueTo[field] as number) - 1];
      const part = partOf?.(names[column] ?? '', utf8Text(row.text, from, to));
      const length = to - from + (part === undefined ? 0 : partSuffix(part).length);
      if (length > (lengths[column] ?? 0)) lengths[column] = length;
    }
  });
  return lengths;
}
