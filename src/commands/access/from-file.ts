import type { AccessTarget } from '../../apis/subscriptions/requests.ts';
import type { JsonRecord } from '../../json/index.ts';
import { checkTargets, decisionRecords, type TargetDecision } from '../../operations/access/check-access.ts';
import type { Column } from '../../output/view.ts';
import type { Context } from '../framework/context.ts';
import { siteFrom } from '../framework/reader-flags.ts';
import { printReaderList, type ReaderListFlags } from '../framework/reader-list.ts';
import type { AccessFlags } from './flags.ts';
import { decisionColumns, headingOf } from './flags.ts';
import { ignoreBrokenPipe, NO_ACCESS } from './outcome.ts';

/** Checks every reader of a file, in the file's order. A reader that can't be checked is a row with an error. */
export async function printReaders(
  flags: AccessFlags & Pick<ReaderListFlags, 'fromFile' | 'content'>,
  targets: readonly AccessTarget[],
  context: Context,
): Promise<number | undefined> {
  const site = await siteFrom(flags.domain, context);
  const sender = await context.gateway();
  let isRefused = false;
  const { isComplete } = await printReaderList(
    flags,
    {
      heading: headingOf(targets, site),
      async look(reader) {
        const decisions = await checkTargets(sender, site, reader, targets);
        isRefused ||= decisions.some(([, { allowed }]) => !allowed);
        return decisions;
      },
      added: isTable =>
        isTable && targets.length > 1
          ? { columns: productColumns(targets), records: decisions => [productRecord(decisions)] }
          : { columns: decisionColumns(targets), records: decisionRecords },
      decisions: found =>
        found.map(([target, { allowed, reasonCode, decision }]) => ({
          name: nameOf(target),
          reason: allowed ? undefined : (reasonCode ?? decision),
        })),
    },
    context,
    flags.exitCode ? ignoreBrokenPipe : undefined,
  );
  if (!flags.exitCode) return undefined;
  // The checks end early where the pipe of the output was closed: who was not checked has no access.
  return isRefused || !isComplete ? NO_ACCESS : undefined;
}

function nameOf(target: AccessTarget): string {
  return 'product' in target ? target.product : target.item;
}

/** Two columns for each product, so that a line of the list stays one. */
function productColumns(targets: readonly AccessTarget[]): readonly Column[] {
  return targets.flatMap(target => [
    { key: nameOf(target), kind: 'flag' as const },
    { key: `${nameOf(target)} reason`, kind: 'text' as const },
  ]);
}

function productRecord(decisions: readonly TargetDecision[]): JsonRecord {
  return Object.fromEntries(
    decisions.flatMap(([target, { allowed, reasonCode, decision }]) => [
      [nameOf(target), allowed],
      [`${nameOf(target)} reason`, reasonCode ?? decision],
    ]),
  );
}
