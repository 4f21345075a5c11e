import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { namesThings } from '../../../analysis/column-roles.ts';
import { FileError } from '../../../errors/index.ts';
import { conflict, missingArgument } from '../../../errors/usage.ts';
import type { Plan } from '../../../export/plan.ts';
import type { RowSource } from '../../../export/row-source.ts';
import { stat } from '../../../files/disk.ts';
import { fileError } from '../../../files/file-error.ts';
import { PrivateFolder } from '../../../files/private-folder.ts';
import { readText } from '../../../files/text-source.ts';
import { DuckDbSession } from '../../../sync/destinations/duckdb/session.ts';
import { type DataFile, readableFormat, tableOfFile, viewOfFile } from '../../../sync/sql/data-files.ts';
import type { LakeSnapshot } from '../../../sync/sql/lake-snapshot.ts';
import { lockSession, runSql, type SqlResult } from '../../../sync/sql/query.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { assertDistinctFiles } from '../../framework/file-arguments.ts';
import { checkChartFlags } from '../flags/chart-flags.ts';
import { hasOutFile, isPrintedForPeople, rowCountOf, TABLE_ROWS } from '../flags/row-flags.ts';
import { writeRows } from '../output/write-rows.ts';
import type { SqlFlags } from './sql-flags.ts';

type SqlInput = SqlFlags & { readonly words: readonly string[] };

/** More rows than any result has. */
const ROWS_MAX = 2 ** 31 - 1;
/** SQL is typed by people, or written by programs that know no end. */
const MAX_SQL_BYTES = 1 << 20;

/** Runs a query over files and synced tables, and writes its rows. Throws UsageError and FileError. */
export async function runSqlCommand(flags: SqlInput, context: Context): Promise<void> {
  const { files, text } = givenWords(flags);
  const rowFlags = {
    ...flags,
    ...{ limit: undefined, offset: undefined, pageSize: undefined, concurrency: undefined },
    ...{ strict: false, resume: false, autoResume: true, manifest: false },
    ...{ compare: undefined, matchWeekdays: false, completePeriods: false },
  };
  checkChartFlags(rowFlags);
  const data = dataFiles(files, context);
  assertDistinctFiles(
    data.map(({ name }) => ['FILE', name] as const),
    [['--out', flags.out]],
    context.io,
  );
  const { tableRows } = await rowCountOf(rowFlags, false, context);
  const isForPeople = await isPrintedForPeople(flags, context);
  const query = text ?? (await sqlFrom(flags, context));
  const folder = new PrivateFolder(tmpdir(), 'gatectl-sql-');
  await folder.open(context.clock.now(), context.io.self.uid);
  const config = { temp_directory: join(folder.path, 'spill') };
  let session: DuckDbSession | undefined;
  let snapshot: LakeSnapshot | undefined;
  try {
    session = await DuckDbSession.open(':memory:', 'DuckDB', { config });
    if (flags.sync !== undefined) {
      const { openSyncTables } = await import('./sync-tables.ts');
      const file = flags.sync === true ? undefined : flags.sync;
      snapshot = await openSyncTables(session, { file, files: data, folder: folder.path }, context);
    }
    const paths = await openFiles(session, data, folder.path, context);
    await lockSession(session, { paths, folders: [folder.path, ...(snapshot?.folders ?? [])] });
    const result = await runSql(session, query, context.signal, snapshot);
    await writeRows(
      {
        source: sourceOf(result),
        plan: planOf(isForPeople, flags.all),
        ...(flags.all && { tableRows }),
        // A file keeps the types of all columns.
        figures: result.figures.filter(name => hasOutFile(flags.out) || !namesThings(name)),
        flags: rowFlags,
        request: { sql: query },
        days: null,
        resumeCommand: '',
        readsStdin: false,
      },
      context,
    );
  } finally {
    const changes = snapshot?.changes() ?? 0;
    if (changes > 0)
      context.log.warn(
        `${pluralize(changes, 'file')} of the tables changed during the query, so its rows may mix two versions`,
        ['run it again when no run is under way'],
      );
    session?.close();
    await snapshot?.close();
    await folder.remove();
  }
}

/** The query and the files among the arguments: without `--file`, the first one is the query. */
function givenWords({ words, file, sync }: SqlInput): {
  readonly text: string | undefined;
  readonly files: readonly string[];
} {
  if (file !== undefined) return { text: undefined, files: words };
  const [text, ...files] = words;
  if (text !== undefined && text.trim() !== '') return { text: text === '-' ? undefined : text, files };
  if (text === undefined && typeof sync === 'string')
    throw missingArgument(
      'there is no SQL query: --sync takes the word after it as the name of a sync file',
      "put the query first: gatectl bda sql 'SELECT * FROM pages' --sync",
    );
  throw missingArgument(
    'there is no SQL query',
    "type one: gatectl bda sql 'SELECT * FROM pages' pages.csv",
    'or read it from a file: --file report.sql',
  );
}

async function sqlFrom({ file = '-' }: SqlInput, { io, signal }: Context): Promise<string> {
  const source = file === '-' ? io.stdin : resolve(io.cwd, file);
  return await readText(source, { signal, maxBytes: MAX_SQL_BYTES });
}

/** The files with the names of their tables. Throws UsageError for two with the same name. */
function dataFiles(names: readonly string[], { io, log }: Context): readonly DataFile[] {
  const files = names.map(name => ({ name, path: resolve(io.cwd, name), table: tableOfFile(name) }));
  for (const { name } of files) readableFormat(name);
  const seen = new Map<string, string>();
  for (const { name, table } of files) {
    const other = seen.get(table.toLowerCase());
    if (other !== undefined)
      throw conflict(
        `${other} and ${name} would both be the table ${table}`,
        'rename one of them, or query them one at a time',
      );
    seen.set(table.toLowerCase(), name);
    if (!name.includes(table)) log.note(`${name} is the table ${table}`);
  }
  return files;
}

/** Creates the tables of files; resolves to the paths that a query of them reads. */
async function openFiles(
  session: DuckDbSession,
  files: readonly DataFile[],
  folder: string,
  context: Context,
): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const file of files) {
    await stat(file.path).catch(error => {
      throw fileError(file.name, error, 'read');
    });
    try {
      paths.push(await viewOfFile(session, file, folder, context.signal));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      const problem = error.message.replace(/^DuckDB: /, '').replaceAll(`${dirname(file.path)}/`, '');
      throw new FileError(`cannot read ${file.name}: ${problem}`, {
        path: file.name,
        code: 'invalid_file',
        cause: error,
      });
    }
  }
  return paths;
}

/** A table shows the first rows only; everything else gets all of them. */
function planOf(isForPeople: boolean, all: boolean): Plan {
  return isForPeople && !all
    ? { start: 0, pageSize: TABLE_ROWS, single: true, isWhole: true, endsByItself: true }
    : { start: 0, pageSize: ROWS_MAX, single: !isForPeople, isWhole: true, pagesInFlight: 1 };
}

function sourceOf({ columns, rows, total }: SqlResult): RowSource {
  return {
    columns,
    hasTotal: false,
    readError: () => undefined,
    open: async ({ limit }) => ({
      headers: {},
      body: rows(limit),
      request: { method: 'GET', path: '', origin: '' },
    }),
    total,
  };
}
