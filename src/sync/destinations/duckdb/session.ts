import { basename } from 'node:path';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { FileError, UsageError } from '../../../errors/index.ts';
import { quoteName, quoteText } from '../../../text/sql.ts';

type Library = typeof import('@duckdb/node-api');

/** Extensions come with the library or not at all: nothing is loaded from the network. */
const CONFIG = { autoinstall_known_extensions: 'false', autoload_known_extensions: 'false' };

/** Loads DuckDB, which users install themselves. Throws UsageError if it is missing. */
export async function loadDuckDb(): Promise<Library> {
  try {
    const [library, accessors] = await Promise.all([
      import('@duckdb/node-api'),
      import('@duckdb/node-api/lib/vectors/dataAccessors.js'),
    ]);
    // The library's own drops U+FEFF at the beginning of a text.
    const decoding = ('default' in accessors ? accessors.default : accessors) as {
      textDecoder: InstanceType<typeof TextDecoder>;
    };
    decoding.textDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
    return library;
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string };
    const isMissing = code.endsWith('MODULE_NOT_FOUND');
    // The library itself was found, but not the part for this platform.
    const isOther = message.includes('@duckdb/node-bindings-');
    throw new UsageError(
      isOther
        ? 'DuckDB is installed for another platform'
        : isMissing
          ? 'DuckDB is not installed'
          : `cannot load DuckDB: ${firstLine(error)}`,
      {
        code: 'missing_dependency',
        hints: [`install it${isMissing && !isOther ? '' : ' again'}: npm install -g @duckdb/node-api`],
        cause: error,
      },
    );
  }
}

interface SessionOptions {
  readonly readOnly?: boolean;
  /** Options of DuckDB, such as memory_limit. */
  readonly config?: Readonly<Record<string, string>>;
}

/** An open DuckDB database with one connection. */
export class DuckDbSession {
  readonly connection: DuckDBConnection;
  readonly #instance: DuckDBInstance;
  readonly #name: string;

  private constructor(name: string, instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#name = name;
    this.#instance = instance;
    this.connection = connection;
  }

  /**
   * Opens a database file, or `:memory:`. `name` is the file as messages name it. While it is open, this process must not open the file
   * itself: closing it would release DuckDB's lock. Throws UsageError for a file in use and for one that is no database, and FileError.
   */
  static async open(
    path: string,
    name: string,
    { readOnly = false, config = {} }: SessionOptions = {},
  ): Promise<DuckDbSession> {
    const { DuckDBInstance } = await loadDuckDb();
    const access: Record<string, string> =
      path === ':memory:' ? {} : { access_mode: readOnly ? 'READ_ONLY' : 'READ_WRITE' };
    let instance: DuckDBInstance;
    try {
      instance = await DuckDBInstance.create(path, { ...CONFIG, ...access, ...config });
    } catch (error) {
      throw openError(name, error);
    }
    return new DuckDbSession(name, instance, await instance.connect());
  }

  /** Attaches a database file under a name, to read it. Throws as `open` does. */
  async attach(path: string, displayName: string, as: string): Promise<void> {
    try {
      await this.connection.run(`ATTACH ${quoteText(path)} AS ${quoteName(as)} (READ_ONLY)`);
    } catch (error) {
      throw openError(displayName, error);
    }
  }

  /** Runs one or several statements. Throws FileError. */
  async run(sql: string, values: DuckDBValue[] = []): Promise<void> {
    try {
      if (values.length === 0) await this.connection.run(sql);
      else await this.connection.run(sql, values);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** The rows of a query: numbers of more than 32 bits and decimals as text. Throws FileError. */
  async rows<Row>(sql: string, values: DuckDBValue[] = []): Promise<readonly Row[]> {
    try {
      const read =
        values.length === 0
          ? await this.connection.runAndReadAll(sql)
          : await this.connection.runAndReadAll(sql, values);
      return read.getRowObjectsJson() as Row[];
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Runs `work` in a transaction. Throws its errors, after a rollback. */
  async transaction<Value>(work: () => Promise<Value>): Promise<Value> {
    await this.run('BEGIN');
    let value: Value;
    try {
      value = await work();
    } catch (error) {
      await this.run('ROLLBACK').catch(() => undefined);
      throw error;
    }
    await this.run('COMMIT');
    return value;
  }

  close(): void {
    this.connection.closeSync();
    this.#instance.closeSync();
  }

  #failure(error: unknown): FileError {
    if (error instanceof FileError) return error;
    const message = firstLine(error);
    const isFull = /no space left|disk quota/i.test(message);
    return new FileError(isFull ? `no space left to write ${this.#name}` : `${this.#name}: ${message}`, {
      path: this.#name,
      code: isFull ? 'disk_full' : 'file_error',
      cause: error,
    });
  }
}

function firstLine(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line;
}

const NAME_ANOTHER = 'name another file, which is created';
const UNUSABLE_FILES: readonly (readonly [pattern: RegExp, problem: string, hint: string])[] = [
  [/is a directory/i, 'is a folder, not a DuckDB file', NAME_ANOTHER],
  [/not a valid DuckDB database/, 'is not a DuckDB database', NAME_ANOTHER],
  [
    /with version number|newer version of DuckDB|storage version/i,
    'was written by a newer version of DuckDB',
    'install that version: npm install -g @duckdb/node-api@latest',
  ],
];

/** What prevents a file from being opened. */
function openError(name: string, error: unknown): UsageError | FileError {
  const message = firstLine(error);
  if (/could not set lock|being used by another process/i.test(message)) {
    const [, program, pid] = /held in (.*?) \(PID (\d+)\)/.exec(message) ?? [];
    const who = program === undefined ? 'another process' : `${basename(program)} (process ${pid})`;
    return new UsageError(`${name} is in use by ${who}`, {
      code: 'locked',
      hints: ['close it there, then run the command again: DuckDB lets one process write to a file'],
      cause: error,
    });
  }
  for (const [pattern, problem, hint] of UNUSABLE_FILES)
    if (pattern.test(message))
      return new UsageError(`${name} ${problem}`, { code: 'invalid_input', hints: [hint], cause: error });
  const isDenied = /permission denied/i.test(message);
  return new FileError(isDenied ? `no permission to open ${name}` : `cannot open ${name}: ${message}`, {
    path: name,
    code: isDenied ? 'permission_denied' : 'file_error',
    cause: error,
  });
}
