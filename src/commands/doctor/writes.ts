import { GatectlError } from '../../errors/index.ts';
import { readWriteLog, writeLogFolder } from '../../operations/writes/write-log.ts';
import { pluralize } from '../../terminal/numbers.ts';
import type { Context } from '../framework/context.ts';
import { lockMachine } from '../framework/lock-machine.ts';
import { Area, type Finding } from './finding.ts';

/** What may be changed from here, and whether the log of what was changed is as it was written. */
export async function writeFindings(context: Context): Promise<readonly Finding[]> {
  const area = new Area('writes');
  try {
    const policies = await (await context.writes()).policies();
    if (policies.length === 0) area.ok('policy', 'none: whoever has the key may change anything');
    for (const { path, rules, otherwise } of policies)
      area.ok('policy', `${path}: ${pluralize(rules.length, 'rule')}, otherwise ${otherwise}`);
  } catch (error) {
    if (!(error instanceof GatectlError)) throw error;
    area.wrong('policy', { error, advice: 'nothing is changed until the policy can be used' });
  }
  try {
    const folder = writeLogFolder(lockMachine(context));
    const { entries, faults } = await readWriteLog(folder);
    if (faults.length === 0) area.ok('log', `${pluralize(entries, 'line')}, none changed`);
    else
      area.warning('log', 'entries were changed or removed', 'run gatectl log verify, and find out by whom');
  } catch (error) {
    if (!(error instanceof GatectlError)) throw error;
    area.wrong('log', { error, advice: 'make the folder of the log readable' });
  }
  return area.findings;
}
