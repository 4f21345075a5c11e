import { PartialError } from '../../errors/index.ts';
import { flawsOf, isFlawed, type Remarks } from '../../export/findings.ts';
import type { Plan } from '../../export/plan.ts';
import type { RowSource } from '../../export/row-source.ts';
import type { Json, JsonRecord } from '../../json/index.ts';
import { isForReading } from '../../output/view.ts';
import { grouped } from '../../terminal/grouped.ts';
import type { Context } from '../context.ts';
import { outFile } from './out-file.ts';
import type { RowFlags } from './row-flags.ts';
import { rowsToFile } from './rows-to-file.ts';
import { rowsToScreen } from './rows-to-screen.ts';
import { rowsToStdout } from './rows-to-stdout.ts';

/** Formats whose columns are fixed before the second row. */
const COLUMNAR = ['csv', 'tsv', 'parquet'];

/** Rows that a command asks for, on their way to wherever the flags say. */
export interface Delivery {
  readonly source: RowSource;
  readonly plan: Plan;
  /** Columns that hold figures, which a table groups by thousands. */
  readonly figures: readonly string[];
  readonly flags: Pick<RowFlags, 'out' | 'resume' | 'manifest' | 'strict'>;
  /** The request without paging, for the manifest and for telling one unfinished export from another. */
  readonly request: JsonRecord;
  readonly days: Json;
  /** What to type besides `--resume` to repeat the command later; empty where nothing is needed. */
  readonly resumeWith: string;
}

/** Brings the rows to a file, to stdout or, as a table, to people. Throws PartialError where `--strict` finds a flaw. */
export async function deliverRows(delivery: Delivery, context: Context): Promise<void> {
  const { flags } = delivery;
  const settings = await context.settings();
  const format = settings.output.value;
  const out =
    flags.out === undefined || flags.out === '-' ? undefined : outFile(flags.out, settings, context);
  let remarks: Remarks;
  if (out !== undefined) remarks = await rowsToFile(delivery, out, context);
  else if (isForReading(format) || context.globals.jq !== undefined)
    remarks = await rowsToScreen(delivery, context);
  else remarks = await rowsToStdout(delivery, format, context);
  tellRemarks(remarks, delivery, context);
  const isCut = dropsColumns(remarks, delivery, out?.format ?? format);
  if (isCut)
    context.warn(
      `columns that the first row lacks are left out: ${[...remarks.extra.keys()].join(', ')}; -o ndjson keeps them`,
    );
  if (flags.strict && (isCut || isFlawed(remarks)))
    throw new PartialError('the rows are not complete (--strict)', { code: 'partial' });
}

/** Whether values are lost because the columns are those of the first row, and a later one has more. */
function dropsColumns(remarks: Remarks, { source }: Delivery, format: string): boolean {
  return source.columns.length === 0 && remarks.extra.size > 0 && COLUMNAR.includes(format);
}

function tellRemarks(remarks: Remarks, { plan, source }: Delivery, context: Context): void {
  for (const flaw of flawsOf(remarks)) context.warn(flaw);
  if (source.columns.length > 0 && remarks.extra.size > 0)
    context.note(`the rows have fields that were not asked for: ${[...remarks.extra.keys()].join(', ')}`);
  const { rows, lastTotal } = remarks;
  if (plan.single && lastTotal !== undefined && plan.start + rows < lastTotal)
    context.note(
      `${grouped(rows)} of ${grouped(lastTotal)} rows; --all brings all of them, --limit and --offset others`,
    );
}
