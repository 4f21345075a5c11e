import { PartialError } from '../../errors/index.ts';
import { flawsOf, isFlawed, type Remarks } from '../../export/findings.ts';
import type { Plan } from '../../export/plan.ts';
import type { RowSource } from '../../export/row-source.ts';
import type { DayRange } from '../../families/bda/dates.ts';
import type { Json, JsonRecord } from '../../json/index.ts';
import { isForReading } from '../../output/view.ts';
import { grouped } from '../../terminal/grouped.ts';
import type { Context } from '../context.ts';
import type { LookFlags } from './look-flags.ts';
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
  readonly flags: Pick<RowFlags, 'out' | 'resume' | 'manifest' | 'strict'> & Partial<LookFlags>;
  /** The request without paging, for the manifest and for telling one unfinished export from another. */
  readonly request: JsonRecord;
  readonly days: Json;
  /** What to type besides `--resume` to repeat the command later; empty where nothing is needed. */
  readonly resumeWith: string;
  /** What is asked, as far as charts and comparisons need to know; without it the rows have to speak for themselves. */
  readonly question?: Question;
}

export interface Question {
  /** The columns that tell rows apart, in order, as far as the request names them. */
  readonly dimensions: readonly string[];
  /** Undefined where only the API knows them. */
  readonly days: DayRange | undefined;
  /** Whether an order was asked for. */
  readonly isSorted: boolean;
  /** The units of columns, as far as they are known. */
  units(): Promise<ReadonlyMap<string, string>>;
}

/** Brings the rows to a file, to stdout or, as a table, to people. Throws PartialError where `--strict` finds a flaw. */
export async function deliverRows(delivery: Delivery, context: Context): Promise<void> {
  const { flags } = delivery;
  if (flags.chart === undefined) {
    const remarks = await deliver(delivery, context);
    tellRemarks(remarks, delivery, context);
    return refuseFlaws(remarks, delivery);
  }
  const { checkScreen, drawRows } = await import('./draw-rows.ts');
  await checkScreen(delivery, context);
  const drawn = await drawRows(delivery, context);
  tellRemarks(drawn.remarks, delivery, context);
  // On the screen the chart stands for the rows.
  if (flags.chart !== true || (flags.out !== undefined && flags.out !== '-'))
    await deliver(drawn.delivery, context);
  refuseFlaws(drawn.remarks, delivery);
}

async function deliver(delivery: Delivery, context: Context): Promise<Remarks> {
  const { flags } = delivery;
  const settings = await context.settings();
  const format = settings.output.value;
  if (flags.out !== undefined && flags.out !== '-') {
    const out = outFile(flags.out, settings, context);
    return tellDropped(await rowsToFile(delivery, out, context), delivery, out.format, context);
  }
  if (isForReading(format) || context.globals.jq !== undefined) return await rowsToScreen(delivery, context);
  return tellDropped(await rowsToStdout(delivery, format, context), delivery, format, context);
}

/** Values are lost where the columns are those of the first row, and a later one has more: a flaw. */
function tellDropped(remarks: Remarks, { source }: Delivery, format: string, context: Context): Remarks {
  if (source.columns.length > 0 || remarks.extra.size === 0 || !COLUMNAR.includes(format)) return remarks;
  context.warn(
    `columns that the first row lacks are left out: ${[...remarks.extra.keys()].join(', ')}; -o ndjson keeps them`,
  );
  return { ...remarks, dropped: true };
}

function refuseFlaws(remarks: Remarks, { flags }: Delivery): void {
  if (flags.strict && isFlawed(remarks))
    throw new PartialError('the rows are not complete (--strict)', { code: 'partial' });
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
