import { boolean, inGroup, optionalString, string, type ValuesOf } from '../../framework/define-command.ts';
import { CHART_FLAGS } from '../flags/chart-flags.ts';

/** The flags of a chart that do not depend on days. */
const { chart, title, ascii } = CHART_FLAGS;

/** The flags of `bda sql`. */
export const SQL_FLAGS = {
  ...inGroup('Query', {
    sync: optionalString('--sync [file]', 'query the tables of a sync file (default gatectl.sync.yaml)'),
    file: string('--file <file>', 'read the SQL from a file, or - for stdin'),
  }),
  ...inGroup('Rows', {
    all: boolean('--all', 'all rows, in table, md and html too'),
    out: string('--out <file>', '.csv .tsv .ndjson .json (.gz .zst) .parquet .xlsx'),
  }),
  chart,
  title,
  ascii,
};

export type SqlFlags = ValuesOf<typeof SQL_FLAGS>;
