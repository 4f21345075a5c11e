import type { Unit } from './plan.ts';
import { type FailedPartition, runUnit, type UnitOptions } from './run-unit.ts';
import { type PlanMark, unitsLeft } from './unit-guard.ts';

/** A unit to carry out, wherever it comes from: a plan, a file or a queue. */
export interface UnitToDo {
  readonly unit: Unit;
  /** What it was planned with, where other processes may have written its site since; undefined of a plan that this run has just made. */
  readonly mark: PlanMark | undefined;
}

interface CarryOutOptions extends UnitOptions {
  /** Called with the number of partitions that need no request, because another process has written them since. */
  readonly onLeftOut: (partitions: number) => void;
}

/** What is left of a unit, and what of it cannot be stored. */
interface CarriedOut {
  readonly rest: readonly Unit[];
  readonly failed: readonly FailedPartition[];
}

/**
 * Carries out a unit while no other process writes its site: leaves out what was written since, requests the others and replaces them.
 * Throws as `runUnit` and `unitsLeft` do.
 */
export async function carryOut({ unit, mark }: UnitToDo, options: CarryOutOptions): Promise<CarriedOut> {
  const { destination, signal, onLeftOut } = options;
  const { table, domain, partitions } = unit;
  return await destination.lockSite(table.name, domain.id, async () => {
    signal.throwIfAborted();
    const left =
      mark === undefined
        ? [unit]
        : await unitsLeft(unit, mark, await destination.ledger(table.name, domain.id), destination);
    const due = left.reduce((sum, each) => sum + each.partitions.length, 0);
    if (due < partitions.length) onLeftOut(partitions.length - due);
    const rest: Unit[] = [];
    const failed: FailedPartition[] = [];
    for (const each of left) {
      const result = await runUnit(each, options);
      rest.push(...result.rest);
      failed.push(...result.failed);
    }
    return { rest, failed };
  });
}
