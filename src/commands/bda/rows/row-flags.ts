import { QUERY_LIMIT_MAX } from '../../../contract/bda-v2.ts';
import { UsageError } from '../../../errors/index.ts';
import { integer, text, toggle } from '../../define.ts';

/** The flags that say how many rows come and where they go; with `--all`, so many at once where nothing is said. */
export const rowFlags = (pageSize: number) => ({
  limit: integer('--limit <n>', `how many rows (default 100, at most ${QUERY_LIMIT_MAX}; --all for more)`, {
    min: 1,
    max: QUERY_LIMIT_MAX,
  }),
  offset: integer('--offset <n>', 'rows to leave out at the beginning', { min: 0 }),
  all: toggle('--all', 'all rows, page by page'),
  pageSize: integer('--page-size <n>', `with --all: rows asked for at once (default ${pageSize})`, {
    min: 1,
    max: QUERY_LIMIT_MAX,
  }),
  out: text(
    '--out <file>',
    'write the rows to a file: .csv, .tsv, .ndjson or .json, with .gz or .zst compressed, or .parquet',
    {
      completes: 'file',
    },
  ),
  resume: toggle('--resume', 'with --all and --out: go on where an earlier run was interrupted'),
  manifest: toggle(
    '--manifest',
    'with --out: also write FILE.meta.json, which tells query, rows, days and SHA-256',
  ),
  strict: toggle(
    '--strict',
    'exit 7 when rows or columns are missing, rows come twice, the data moved while it was read, or the default limit left rows behind',
  ),
});

export interface RowFlags {
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  readonly all: boolean;
  readonly pageSize: number | undefined;
  readonly out: string | undefined;
  readonly resume: boolean;
  readonly manifest: boolean;
  readonly strict: boolean;
}

/** Throws UsageError for flags that don't go together. */
export function checkRowFlags(flags: RowFlags): void {
  if (flags.all && flags.limit !== undefined)
    throw new UsageError("--all and --limit don't go together", {
      hints: ['leave one out; --page-size says how many rows --all asks for at once'],
    });
  if (flags.pageSize !== undefined && !flags.all)
    throw new UsageError('--page-size goes with --all', { hints: ['type --limit for the number of rows'] });
  if (flags.resume && !(flags.all && flags.out !== undefined))
    throw new UsageError('--resume goes with --all and --out', {
      hints: ['repeat the whole earlier command with --resume'],
    });
  if (flags.manifest && flags.out === undefined)
    throw new UsageError('--manifest goes with --out', { hints: ['type --out FILE'] });
}
