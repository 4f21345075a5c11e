import { join } from 'node:path';
import { stateFolder } from '../../config/platform.ts';
import { PlanWritten, UsageError } from '../../errors/index.ts';
import { cannotCombine, invalidValue, missingSetting } from '../../errors/usage.ts';
import { readdir, rm, stat } from '../../files/disk.ts';
import { makePrivateFolder } from '../../files/folders.ts';
import type { SentWrite } from '../../http/gateway.ts';
import { readApprovalKey } from '../../operations/writes/approval.ts';
import { newPlan, type Plan, type PlannedWrite, writePlan } from '../../operations/writes/plan.ts';
import { shortened } from '../../text/shortened.ts';
import type { Context } from './context.ts';
import { gatewayName, lockMachine } from './lock-machine.ts';

const DAY = 86_400_000;
const MAX_COMMAND_LENGTH = 500;

/** The values of the flags of plans. */
export interface PlanFlags {
  readonly planOut: string | undefined;
  readonly planFor: number;
}

/** Writes the plan of a request that is not sent, prints what it is, and throws PlanWritten. */
export async function printRequestPlan(
  flags: PlanFlags,
  request: SentWrite['sent'],
  context: Context,
): Promise<never> {
  await printPlan(flags, planned(request), context);
  throw new PlanWritten();
}

/** Throws UsageError for a request of a reader, whose name must not be in a file. */
function planned({
  api,
  method,
  path,
  query = [],
  readerHeaders = {},
  body,
}: SentWrite['sent']): PlannedWrite {
  if (api === 'subscriptions' || Object.keys(readerHeaders).length > 0)
    throw invalidValue('a request of a reader is not planned: the plan would contain who it is');
  return { kind: 'request', method, path, query, body };
}

/** Writes the plan to the file of `--plan-out`, and prints what it is. Throws FileError. */
export async function printPlan(
  { planOut, planFor }: PlanFlags,
  write: PlannedWrite,
  context: Context,
): Promise<void> {
  if (context.globals.curl) throw cannotCombine('--curl and --plan-out');
  const path = planOut ?? '';
  const plan = await makePlan(write, planFor, context);
  await writePlan(path, plan);
  await context.out.print({ plan: path, ...planSummary(plan) }, { columns: [] });
  context.log.note('nothing was sent');
}

/** A plan of this user. Throws UsageError for one that would contain the key. */
export async function makePlan(write: PlannedWrite, validMs: number, context: Context): Promise<Plan> {
  const text = JSON.stringify(write);
  if (context.redactor.redact(text) !== text)
    throw new UsageError('the plan would contain the API key', { code: 'key_on_command_line' });
  const line = context.commandLine({ without: [], withArguments: true, add: [] });
  return newPlan(
    {
      gateway: await gatewayName(context),
      command: shortened(context.redactor.redact(line), MAX_COMMAND_LENGTH),
      write,
      validMs,
      key: (await readApprovalKey(approvalKeyPath(context)))?.key,
    },
    lockMachine(context),
  );
}

/** What a plan is, in a few members. */
export function planSummary({ hash, expires, write }: Plan) {
  const of =
    write.kind === 'request'
      ? { request: `${write.method} ${write.path}` }
      : {
          what: write.what,
          ...(write.domain !== undefined && { domain: write.domain }),
          targets: write.targets.length + write.keys.length,
        };
  return { hash, expires, ...of };
}

/** The file of the key with which this user approves plans. Throws UsageError where there is no folder for it. */
export function approvalKeyPath(context: Context): string {
  return join(planFolder(context), 'approval-key.pem');
}

/** The folder of plans, and of what they take. Throws UsageError where there is none. */
export function planFolder({ io }: Pick<Context, 'io'>): string {
  const folder = stateFolder(io);
  if (folder !== undefined) return join(folder, 'plans');
  throw missingSetting('there is no folder for plans: HOME is not set');
}

/** Where a plan without a file of its own is kept, by its id. */
export function storedPlanPath(id: string, context: Context): string {
  return join(planFolder(context), `${id}.json`);
}

/** Keeps a plan under its id, and removes those that were made more than a day ago. Throws FileError. */
export async function storePlan(plan: Plan, context: Context): Promise<void> {
  const folder = planFolder(context);
  await makePrivateFolder(folder);
  await removeOld(folder, context.io.now() - DAY);
  await writePlan(storedPlanPath(plan.id, context), plan);
}

async function removeOld(folder: string, before: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const made = await stat(path).catch(() => undefined);
    if (name.endsWith('.json') && made !== undefined && made.mtimeMs < before)
      await rm(path, { force: true });
  }
}
