import { UsageError } from '../../../errors/index.ts';
import { cannotCombine, invalidInput } from '../../../errors/usage.ts';
import { jsonIn } from '../../../json/index.ts';
import { isPlan, planRecord, readPlan } from '../../../migrate/index.ts';
import type { Context } from '../../framework/context.ts';
import { flagName, isTyped } from '../../framework/define-command.ts';
import { inputName, readInput } from '../../framework/json-input.ts';
import { QUERY_FLAGS, type QueryFlags } from '../flags/query-flags.ts';
import { printPlan } from '../output/print-plan.ts';

/** Runs the plan in a file that bda migrate-query wrote. Throws UsageError and FileError. */
export async function runPlanFile(
  file: string,
  { print, ...flags }: QueryFlags & { readonly print: boolean },
  context: Context,
): Promise<void> {
  const name = inputName(file);
  const document = jsonIn(await readInput(file, context), name);
  if (!isPlan(document))
    throw invalidInput(
      `${name} is not a plan of several queries`,
      `to run one query: gatectl bda query ${file}`,
    );
  const typed = Object.entries(QUERY_FLAGS).find(
    ([key, option]) => key !== 'strict' && isTyped(option, flags[key as keyof QueryFlags]),
  );
  const curl = context.globals.curl ? '--curl' : undefined;
  const flag = typed === undefined ? curl : flagName(typed[1].flags);
  if (flag !== undefined)
    throw cannotCombine(
      `${flag} and a plan`,
      'change the queries in the file',
      'to export rows: --csv > FILE',
    );
  const { parts, problems } = readPlan(document);
  if (problems.length > 0)
    throw new UsageError(`${name} is not a valid plan`, {
      code: 'invalid_input',
      details: problems.map(({ field, message }) => ({ field, message })),
    });
  if (print) return await context.out.print(planRecord(parts));
  await printPlan(parts, flags, context);
}
