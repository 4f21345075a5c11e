import { UsageError } from '../../../errors/index.ts';
import type { Json } from '../../../json/index.ts';
import { plannedUnits } from '../../../sync/planned-units.ts';
import { recordOf, shownUnit } from '../../../sync/unit-record.ts';
import type { Context } from '../../framework/context.ts';
import { filterFlag } from '../../framework/filter-flag.ts';
import { DAYS_COLUMNS, numberColumns, textColumns } from './columns.ts';
import type { PlanFlags, SyncFlags } from './flags.ts';
import { planOf } from './plan-of.ts';
import { type PreparedSync, withPreparedSync } from './prepare.ts';

type PrintFlags = SyncFlags & PlanFlags & { readonly units: boolean };

/** Prints the units of a plan. */
export async function printPlan(flags: PrintFlags, context: Context): Promise<void> {
  const { output } = context.globals.flags;
  if (flags.units && ((output !== undefined && output !== 'ndjson') || context.globals.jq !== undefined))
    throw new UsageError(
      `--units and ${output === undefined ? filterFlag(context.globals) : '--output'} cannot be combined`,
      {
        code: 'conflicting_options',
        hints: ['the units are ndjson'],
      },
    );
  await withPreparedSync(flags, context, prepared => printUnits(prepared, flags, context));
}

async function printUnits(prepared: PreparedSync, flags: PrintFlags, context: Context): Promise<void> {
  const { tables, domains, destination } = prepared;
  const { options, unitContext } = await planOf(prepared, flags, context);
  if (flags.units) {
    await context.out.stream(async write => {
      for await (const unit of plannedUnits(tables, domains, destination, options))
        await write(Buffer.from(`${JSON.stringify(recordOf(unit, unitContext))}\n`));
    });
    return;
  }
  const rows = async function* (): AsyncGenerator<Json> {
    for await (const unit of plannedUnits(tables, domains, destination, options)) yield shownUnit(unit);
  };
  await context.out.printRows(rows(), {
    columns: [
      ...DAYS_COLUMNS,
      ...numberColumns({ partitions: 'Partitions' }),
      ...textColumns({ reasons: 'Reasons' }),
      ...numberColumns({ rows: 'Rows', requests: 'Requests' }),
    ],
    secondary: ['domain_id'],
    empty: 'nothing to request',
  });
}
