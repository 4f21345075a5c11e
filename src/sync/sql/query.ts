import type { DuckDBDataChunk, DuckDBResult } from '@duckdb/node-api';
import { FileError, GatectlError, UsageError } from '../../errors/index.ts';
import { quoteText } from '../../text/sql.ts';
import { type DuckDbSession, loadDuckDb } from '../destinations/duckdb/session.ts';
import { cellWriter, isNumeric } from './json-cells.ts';

/** Statements that read, or change what is in memory only. A file that is attached is read only, and settings are locked. */
const ALLOWED = [
  ...[
    'SELECT',
    'EXPLAIN',
    'CREATE',
    'CREATE_FUNC',
    'DROP',
    'ALTER',
    'INSERT',
    'UPDATE',
    'DELETE',
    'MERGE_INTO',
  ],
  ...['SET', 'VARIABLE_SET', 'PREPARE', 'EXECUTE'],
];

/** Blanks, semicolons and comments. */
const EMPTY = /^(?:\s|;|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*$/;

/** What a query may read. */
interface Readable {
  readonly paths: readonly string[];
  readonly folders: readonly string[];
}

/** The result of a query, whose rows are read once. */
export interface SqlResult {
  readonly columns: readonly string[];
  /** The names of the columns whose values are numbers. */
  readonly figures: readonly string[];
  /** How many rows there are, once all were read; undefined before. */
  readonly total: () => number | undefined;
  /** The next rows, at most `limit`, as bytes of one JSON array. Throws UsageError for an error in the query. */
  readonly rows: (limit: number) => AsyncGenerator<Uint8Array>;
}

/** Allows a session nothing but queries of some files: no other file, no network, no extension, no other setting. */
export async function lockSession(session: DuckDbSession, { paths, folders }: Readable): Promise<void> {
  const list = (each: readonly string[]) => `[${each.map(quoteText).join(', ')}]`;
  await session.run(`SET allowed_paths = ${list(paths)};
    SET allowed_directories = ${list(folders)};
    SET enable_external_access = false;
    SET lock_configuration = true`);
}

/** The files of synced tables, for messages. */
interface TableFiles {
  /** The folders that contain them. */
  readonly folders: readonly string[];
  /** A message of DuckDB with the names of files as users know them. */
  readonly displayed: (message: string) => string;
}

/**
 * Runs statements and resolves to the rows of the last one. Throws UsageError for SQL that is not valid, with the place that DuckDB
 * reports, and for statements that write files or change settings; and FileError for a file of `tables` that cannot be read. An abort of
 * `signal` ends the query.
 */
export async function runSql(
  session: DuckDbSession,
  sql: string,
  signal: AbortSignal,
  tables: TableFiles = { folders: [], displayed: message => message },
): Promise<SqlResult> {
  const interrupt = () => session.connection.interrupt();
  signal.addEventListener('abort', interrupt, { once: true });
  const guarded = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof GatectlError
        ? error
        : (fileError(error, tables) ?? sqlError(error, tables.displayed));
    }
  };
  const result = await guarded(() => lastResult(session, sql));
  return await streamed(result, guarded);
}

async function lastResult(session: DuckDbSession, sql: string): Promise<DuckDBResult> {
  const { ResultReturnType, StatementType } = await loadDuckDb();
  if (EMPTY.test(sql)) throw withoutRows('there is no SQL statement');
  const statements = await session.connection.extractStatements(sql);
  for (let index = 0; index < statements.count; index++) {
    const prepared = await statements.prepare(index);
    const type = StatementType[prepared.statementType] ?? '';
    if (!ALLOWED.includes(type))
      throw new UsageError(`bda sql only reads: ${type.replaceAll('_', ' ')} is not allowed`, {
        code: 'invalid_input',
        reason: type === 'COPY' ? 'sql_copies' : undefined,
      });
    const result = await prepared.stream();
    if (index < statements.count - 1) await result.fetchAllChunks();
    else if (result.returnType === ResultReturnType.QUERY_RESULT) return result;
  }
  throw withoutRows('the last statement returns no rows');
}

function withoutRows(message: string): UsageError {
  return new UsageError(message, { code: 'invalid_input', reason: 'sql_without_rows' });
}

async function streamed(
  result: DuckDBResult,
  guarded: <Value>(work: () => Promise<Value>) => Promise<Value>,
): Promise<SqlResult> {
  const library = await loadDuckDb();
  const columns = result.deduplicatedColumnNames();
  const types = result.columnTypes();
  const heads = columns.map((name, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
  const writers = types.map(type => cellWriter(type, library));
  let chunk: DuckDBDataChunk | null = null;
  let at = 0;
  let isAtEnd = false;
  let read = 0;
  const next = async () => {
    while (!isAtEnd && (chunk === null || at >= chunk.rowCount)) {
      chunk = await guarded(() => result.fetchChunk());
      at = 0;
      if (chunk === null || chunk.rowCount === 0) isAtEnd = true;
    }
  };
  return {
    columns,
    figures: columns.filter((_, index) => {
      const type = types[index];
      return type !== undefined && isNumeric(type, library);
    }),
    total: () => (isAtEnd ? read : undefined),
    async *rows(limit) {
      let left = limit;
      let separator = '[';
      await next();
      while (!isAtEnd && chunk !== null && left > 0) {
        const [from, to] = [at, Math.min(chunk.rowCount, at + left)];
        const texts: string[] = Array.from({ length: to - from }, () => '');
        for (const [column, write] of writers.entries()) {
          const values = chunk.getColumnValues(column);
          for (let row = from; row < to; row++)
            texts[row - from] += `${heads[column]}${write(values[row] ?? null)}`;
        }
        yield Buffer.from(`${separator}${texts.join('},')}}`);
        separator = ',';
        at = to;
        left -= to - from;
        read += to - from;
        await next();
      }
      yield Buffer.from(separator === '[' ? '[]' : ']');
    },
  };
}

/** The error for a file of a table that cannot be read; undefined for another one. */
function fileError(error: unknown, { folders, displayed }: TableFiles): FileError | undefined {
  const [first = ''] = String((error as Error).message).split('\n', 1);
  const folder = folders.find(each => first.includes(`${each}/`));
  if (folder === undefined) return undefined;
  return new FileError(`DuckDB: ${displayed(first)}`, { path: folder, code: 'file_error', cause: error });
}

/** An error of DuckDB: its first line, then what it suggests, and the line of the query with a mark below the place. */
function sqlError(error: unknown, displayed: (message: string) => string = message => message): UsageError {
  const text = displayed(error instanceof Error ? error.message : String(error)).replace(
    /^Failed to extract statements: /,
    '',
  );
  const [before = '', ...rest] = text.split(/\n+(?=LINE \d+:)/);
  const [first = '', ...more] = before
    .trim()
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');
  const isFile = /file system operations are disabled|external extensions is disabled/i.test(first);
  const isTable = /^Catalog Error: Table with name /.test(first);
  // DuckDB suggests its own tables too.
  const suggested = more.filter(
    line => !/^Did you mean "(?:pg_|duckdb_|sqlite_|information_schema)/.test(line),
  );
  return new UsageError(first, {
    code: 'invalid_input',
    hints: isFile ? [] : suggested,
    reason: isFile
      ? 'sql_opens_file'
      : isTable && suggested.length === 0
        ? 'sql_of_unknown_table'
        : undefined,
    excerpt: rest.length === 0 ? undefined : rest.join('\n').trimEnd(),
    cause: error,
  });
}
