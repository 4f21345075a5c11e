import { UsageError } from '../../../errors/index.ts';
import type { Json, JsonRecord } from '../../../json/index.ts';
import type { Unit } from '../../../sync/plan.ts';
import { plannedUnits } from '../../../sync/planned-units.ts';
import { planOptions } from '../../../sync/run.ts';
import { reasonsOf, recordOf } from '../../../sync/unit-record.ts';
import type { Context } from '../../framework/context.ts';
import { machineClock } from '../../framework/lock-machine.ts';
import { latestDaysOf, lookbackOf, type PreparedSync, withPreparedSync } from './prepare.ts';
import { refetchDays } from './refetch-days.ts';

interface PlanFlags {
  readonly file: string | undefined;
  readonly table: readonly string[];
  readonly domain: readonly string[];
  readonly lookback: string | undefined;
  readonly refetch: string | undefined;
  readonly units: boolean;
}

/** Prints the units of a plan. */
export async function printPlan(flags: PlanFlags, context: Context): Promise<void> {
  const { output } = context.globals.flags;
  if (flags.units && ((output !== undefined && output !== 'ndjson') || context.globals.jq !== undefined))
    throw new UsageError(`--units and ${output === undefined ? '--jq' : '--output'} cannot be combined`, {
      code: 'conflicting_options',
      hints: ['the units are ndjson'],
    });
  await withPreparedSync(flags, context, prepared => printUnits(prepared, flags, context));
}

async function printUnits(prepared: PreparedSync, flags: PlanFlags, context: Context): Promise<void> {
  const { config, tables, domains, destination, kindOf, today } = prepared;
  const refetch = await refetchDays(flags.refetch, prepared);
  const lookback = await lookbackOf(flags.lookback, prepared, context);
  const latestDays = await latestDaysOf(prepared, lookback, context);
  const options = await planOptions({ tables, destination, today, lookback, refetch, latestDays, kindOf });
  if (flags.units) {
    const plannedAt = new Date(machineClock(context).now()).toISOString();
    const unitContext = { destination: config.destination, today, plannedAt, lookback, latestDays, kindOf };
    await context.out.stream(async write => {
      for await (const unit of plannedUnits(tables, domains, destination, options))
        await write(Buffer.from(`${JSON.stringify(recordOf(unit, unitContext))}\n`));
    });
    return;
  }
  const rows = async function* (): AsyncGenerator<Json> {
    for await (const unit of plannedUnits(tables, domains, destination, options)) yield shown(unit);
  };
  await context.out.printRows(rows(), {
    columns: [
      { key: 'table', title: 'Table', kind: 'text' },
      { key: 'domain', title: 'Site', kind: 'text' },
      { key: 'from', title: 'From', kind: 'text' },
      { key: 'to', title: 'To', kind: 'text' },
      { key: 'partitions', title: 'Partitions', kind: 'number' },
      { key: 'reasons', title: 'Reasons', kind: 'text' },
      { key: 'rows', title: 'Rows', kind: 'number' },
      { key: 'requests', title: 'Requests', kind: 'number' },
    ],
    secondary: ['domain_id'],
    empty: 'nothing to request',
  });
}

function shown(unit: Unit): JsonRecord {
  const { table, domain, days, partitions, rows, requests } = unit;
  return {
    table: table.name,
    domain: domain.name,
    domain_id: domain.id,
    from: days.from,
    to: days.to,
    partitions: partitions.length,
    reasons: reasonsOf(unit),
    rows: rows ?? null,
    requests,
  };
}
