import { withColumnKernel } from '../../export/parquet/column-kernel.ts';
import { type TypeChoice, typesOfStoredRows, unrepresentable } from '../../export/parquet/found-types.ts';
import { eachStoredRow } from '../../export/stored-rows.ts';
import { LF, TAB } from '../../export/transcode/ascii.ts';
import { ByteBuffer } from '../../export/transcode/byte-buffer.ts';
import { openAtomic } from '../../files/atomic-file.ts';
import type { WritableFile } from '../../files/writable-file.ts';
import { typesIn } from '../column-types.ts';
import type { EncoderOptions } from './encoder.ts';
import { cellWriter, UnwritableError, writeNull } from './tsv-cells.ts';

export interface TsvOptions extends Omit<TypeChoice, 'onMixed'> {
  readonly file: WritableFile;
  /** The columns, in order. */
  readonly columns: readonly string[];
  /** Where the rows go, as messages name it. */
  readonly target: string;
  /** Rejects texts with the character NUL, which PostgreSQL cannot store. */
  readonly rejectsNul: boolean;
  /** Rejects days before the first and after the last one. */
  readonly calendar?: readonly [first: string, last: string] | undefined;
  /** Accepts numbers with more digits than a double has. */
  readonly keepsAllDigits: boolean;
}

const FLUSH_AT = 1024 * 1024;
/** A cell is at most twice as long as its JSON text, or makes room for itself. */
const GROWTH = 2;
/** Room for a null, a tab and the end of the line. */
const MARGIN = 4;

/**
 * Writes rows as PostgreSQL's COPY and ClickHouse's TabSeparated read them: no header, `\N` for null, `\\`, `\t`, `\n` and `\r`
 * escaped, numbers as plain digits, days as YYYY-MM-DD, flags as 1 and 0. The types are those that Parquet would get. Rows are read
 * twice, in constant memory. Throws UnrepresentableValueError, FileError, and the signal's reason.
 */
export async function rowsToTsv(options: TsvOptions): Promise<void> {
  const { columns, file, target } = options;
  const { types } = await withColumnKernel(kernel =>
    typesOfStoredRows(columns, kernel, { ...options, onMixed: () => {} }),
  );
  const writers = types.map(type => cellWriter(type, options));
  const out = new ByteBuffer(FLUSH_AT + 256 * 1024);
  const flush = async () => {
    if (out.length === 0) return;
    await file.write(new Uint8Array(out.view.buffer, out.view.byteOffset, out.length));
    out.clear();
  };
  let column = 0;
  try {
    await eachStoredRow(
      columns,
      options,
      (row, { fieldOf }) => {
        for (column = 0; column < writers.length; column++) {
          const field = fieldOf[column] as number;
          const from = field < 0 ? 0 : (row.valueFrom[field] as number);
          const to = field < 0 ? 0 : (row.valueTo[field] as number);
          out.reserve(GROWTH * (to - from) + MARGIN);
          if (column > 0) out.put(TAB);
          if (field < 0) writeNull(out);
          else writers[column]?.(out, row.text, from, to);
        }
        out.put(LF);
      },
      async () => {
        if (out.length >= FLUSH_AT) await flush();
      },
    );
  } catch (error) {
    if (!(error instanceof UnwritableError)) throw error;
    throw unrepresentable(target, columns[column] ?? '', error.message);
  }
  await flush();
}

/** Writes the rows of a partition as TSV; resolves to its length in bytes. Throws FileError and UnrepresentableValueError. */
export async function encodeTsv({ path, metrics, pin, ...options }: EncoderOptions): Promise<number> {
  const file = await openAtomic(path);
  try {
    await rowsToTsv({
      ...options,
      file,
      figures: metrics,
      chooseTypes: async found => typesIn(await pin(found), found),
    });
    await file.commit();
    return file.position;
  } catch (error) {
    await file.discard();
    throw error;
  }
}
