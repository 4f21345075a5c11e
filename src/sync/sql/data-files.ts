import { basename, join } from 'node:path';
import { FileError, InvalidResponseError, UsageError } from '../../errors/index.ts';
import { contentByName, type FileFormat } from '../../export/output-path.ts';
import { rowsToParquet } from '../../export/parquet/rows-to-parquet.ts';
import { UnrepresentableValueError } from '../../export/unrepresentable-value.ts';
import { atomically } from '../../files/atomic-file.ts';
import { createReadStream } from '../../files/disk.ts';
import { fileError } from '../../files/file-error.ts';
import { quoteName, quoteText } from '../../text/sql.ts';
import type { DuckDbSession } from '../destinations/duckdb/session.ts';

/** A file of rows, as a table of a query. */
export interface DataFile {
  /** As the user named it. */
  readonly name: string;
  /** The absolute path. */
  readonly path: string;
  /** The name of its table. */
  readonly table: string;
}

const READABLE = '.parquet, .csv, .tsv, .ndjson and .json, and the last four with .gz';
const LF = 0x0a;
const MAX_PRECISION = 38;

/** The table of a file: its base name, with `_` for what a name in SQL cannot contain. */
export function tableOfFile(name: string): string {
  const base = basename(name).replace(/(?:\.(?:parquet|csv|tsv|ndjson|jsonl|json))?(?:\.(?:gz|zst))?$/i, '');
  const word = base.replaceAll(/[^\p{L}\p{N}_]+/gu, '_');
  return /^\p{N}/u.test(word) ? `_${word}` : word;
}

/** The format of a file that a query can read. Throws UsageError. */
export function readableFormat(name: string): Exclude<FileFormat, 'xlsx'> {
  const { format, compression } = contentByName(name);
  const isReadable =
    format !== undefined &&
    format !== 'xlsx' &&
    (compression === undefined || (compression === 'gzip' && format !== 'parquet'));
  if (isReadable) return format;
  throw new UsageError(`cannot read ${name} as a table`, {
    code: 'invalid_value',
    hints: [`files that can be read: ${READABLE}`],
  });
}

/**
 * Creates a view of a file. Numbers keep their digits: decimals of CSV are decimals, and JSON is converted to a Parquet file in
 * `folder`. Resolves to the path that the view reads. Throws UsageError and FileError.
 */
export async function viewOfFile(
  session: DuckDbSession,
  file: DataFile,
  folder: string,
  signal: AbortSignal,
): Promise<string> {
  const format = readableFormat(file.name);
  const create = (rows: string) =>
    session.run(`CREATE VIEW ${quoteName(file.table)} AS SELECT * FROM ${rows}`);
  switch (format) {
    case 'parquet':
      await create(`read_parquet(${quoteText(file.path)})`);
      return file.path;
    case 'csv':
    case 'tsv':
      await create(await delimitedRows(session, file, format));
      return file.path;
    case 'json':
    case 'ndjson': {
      const path = join(folder, `${file.table}.parquet`);
      await jsonToParquet(file, format, path, signal);
      await create(`read_parquet(${quoteText(path)})`);
      return path;
    }
  }
}

/**
 * CSV as DuckDB reads it, except that a column of decimals is not a double if a decimal can hold its digits, and that nothing is guessed
 * which decides what a row is: DuckDB skips rows, or takes them for comments, until the others have as many cells. Throws FileError for
 * a row with more or fewer cells than the header.
 */
async function delimitedRows(session: DuckDbSession, file: DataFile, format: 'csv' | 'tsv'): Promise<string> {
  const { delimiter, cells } = await headerOf(file.path, format);
  const cellsAre = `delim = ${quoteText(delimiter)}, ${format === 'tsv' ? `quote = ''` : `quote = '"', escape = '"'`}, comment = ''`;
  // An empty text in quotes is not null. The order of day and month in 01/02/2026 is unknown, so that it is text.
  const options = `${quoteText(file.path)}, header = true, skip = 0, ${cellsAre}, dateformat = '%Y-%m-%d', timestampformat = '%Y-%m-%d %H:%M:%S', sample_size = -1, allow_quoted_nulls = false`;
  const described = await session
    .rows<{ column_name: string; column_type: string }>(`DESCRIBE SELECT * FROM read_csv(${options})`)
    .catch(async error => {
      const columns = Array.from({ length: cells }, (_, index) => `c${index}: 'VARCHAR'`).join(', ');
      await session
        .rows(
          `SELECT count(COLUMNS(*)) FROM read_csv(${quoteText(file.path)}, auto_detect = false, header = true, ${cellsAre}, columns = {${columns}})`,
        )
        .catch(reason => {
          throw unevenRow(file.name, String((reason as Error).cause)) ?? error;
        });
      throw error;
    });
  const doubles = described.filter(({ column_type }) => column_type === 'DOUBLE');
  if (doubles.length === 0) return `read_csv(${options})`;
  const looks = doubles.map(({ column_name }, index) => {
    const digits = `ltrim(${quoteName(column_name)}, '-+')`;
    return `bool_and(regexp_full_match(${digits}, '[0-9]+([.][0-9]+)?')) AS p${index},
      max(length(split_part(${digits}, '.', 1))) AS w${index}, max(length(split_part(${digits}, '.', 2))) AS s${index}`;
  });
  const [found = {}] = await session.rows<Record<string, unknown>>(
    `SELECT ${looks.join(', ')} FROM read_csv(${options}, all_varchar = true)`,
  );
  const types = doubles.flatMap(({ column_name }, index) => {
    const [whole, scale] = [Number(found[`w${index}`]), Number(found[`s${index}`])];
    const fits = found[`p${index}`] === true && whole + scale <= MAX_PRECISION;
    return fits ? [`${quoteText(column_name)}: 'DECIMAL(${whole + scale},${scale})'`] : [];
  });
  return `read_csv(${options}${types.length === 0 ? '' : `, types = {${types.join(', ')}}`})`;
}

/** The error for a row with more or fewer cells than the header, from DuckDB's message. */
function unevenRow(name: string, message: string): FileError | undefined {
  const [, line] = /Error on Line: (\d+)/.exec(message) ?? [];
  const [, expected, found] = /Expected Number of Columns: (\d+) Found: (\d+)/.exec(message) ?? [];
  if (line === undefined || expected === undefined || found === undefined) return undefined;
  const columns = found === '1' ? '1 column' : `${found} columns`;
  return new FileError(`line ${line} has ${columns}, and the header ${expected}`, {
    path: name,
    code: 'invalid_file',
  });
}

const DELIMITERS = [',', ';', '\t', '|'];
/** What is read of a file to find its header. */
const HEADER_BYTES = 1 << 18;

/** The delimiter of a file and the number of cells in its header: the first delimiter of DELIMITERS that is in it, outside quotes. */
async function headerOf(
  path: string,
  format: 'csv' | 'tsv',
): Promise<{ readonly delimiter: string; readonly cells: number }> {
  let text = '';
  for await (const chunk of bytesOf(path)) {
    text += Buffer.from(chunk).toString('latin1');
    if (text.includes('\n') || text.length >= HEADER_BYTES) break;
  }
  const bare = format === 'tsv' ? text : text.replaceAll(/"(?:[^"]|"")*"/g, '');
  const [header = ''] = bare.split(/[\r\n]/, 1);
  const delimiter = format === 'tsv' ? '\t' : (DELIMITERS.find(each => header.includes(each)) ?? ',');
  return { delimiter, cells: header.split(delimiter).length };
}

async function jsonToParquet(
  { name, path }: DataFile,
  format: 'json' | 'ndjson',
  target: string,
  signal: AbortSignal,
): Promise<void> {
  const rowsPath = () => (format === 'json' ? bytesOf(path) : asArray(bytesOf(path)));
  const ignored = { onRows: () => {}, onMixed: () => {} };
  try {
    await atomically(target, file =>
      rowsToParquet({ rowsPath, file, columns: [], figures: [], createdBy: 'gatectl', signal, ...ignored }),
    );
  } catch (error) {
    if (error instanceof InvalidResponseError)
      throw new UsageError(`${name} is not rows of JSON: ${error.message.replace(/^[^:]*: /, '')}`, {
        code: 'invalid_input',
        cause: error,
      });
    if (error instanceof UnrepresentableValueError)
      throw new UsageError(`${name} cannot be read as a table: ${error.message}`, {
        code: 'invalid_input',
        cause: error,
      });
    throw error;
  }
}

async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    const raw = createReadStream(path, { highWaterMark: 1 << 18 });
    if (!/\.gz$/i.test(path)) yield* raw;
    else {
      const { createGunzip } = await import('node:zlib');
      yield* raw.pipe(createGunzip());
    }
  } catch (error) {
    throw fileError(path, error, 'read');
  }
}

/** Lines of JSON as one JSON array: a line break is nowhere else in JSON text than between rows. */
async function* asArray(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield Buffer.from('[');
  let isFirst = true;
  let isLineStart = true;
  for await (const chunk of chunks) {
    const parts: Uint8Array[] = [];
    let from = 0;
    for (let at = 0; at <= chunk.length; at++) {
      if (at < chunk.length && chunk[at] !== LF) continue;
      const line = chunk.subarray(from, at);
      if (line.some(byte => byte > 0x20)) {
        if (isLineStart && !isFirst) parts.push(Buffer.from(','));
        isFirst = false;
        isLineStart = false;
        parts.push(line);
      }
      if (at < chunk.length) isLineStart = true;
      from = at + 1;
    }
    yield Buffer.concat(parts);
  }
  yield Buffer.from(']');
}
