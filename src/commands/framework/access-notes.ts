import type { Reader } from '../../apis/subscriptions/reader.ts';
import type { Site } from '../../apis/subscriptions/requests.ts';
import type { Sender } from '../../http/sender.ts';
import { similarHandles, type TargetDecision } from '../../operations/access/check-access.ts';
import type { Context } from './context.ts';

/** Says how typed items and products differ from what the reader bought or holds. */
export async function noteSpelling(
  decisions: readonly TargetDecision[],
  { sender, site, reader }: { readonly sender: Sender; readonly site: Site; readonly reader: Reader },
  { log, globals }: Pick<Context, 'log' | 'globals'>,
): Promise<void> {
  for (const [target, { boughtAs, nearest, other, notCompared }] of decisions) {
    if (!('item' in target)) continue;
    if (boughtAs !== undefined) log.note(`checked ${target.item}, which the reader bought as ${boughtAs}`);
    if (other !== undefined)
      log.note(`${other.item} is another item than ${target.item}: ${other.access.decision}`);
    else if (nearest !== undefined) log.note(`the reader has not bought ${target.item}, but ${nearest}`);
    if (notCompared !== undefined)
      log.warn(`the purchases could not be compared with ${target.item}: ${notCompared}`);
  }
  const unknown = decisions.flatMap(([target, { decision }]) =>
    decision === 'unknown_product' && 'product' in target ? target.product : [],
  );
  if (unknown.length === 0 || globals.quiet) return;
  for (const { similar, isHeld } of await similarHandles(sender, site, reader, unknown))
    log.note(`the reader ${isHeld ? 'holds' : 'has bought'} ${similar}: did you mean --product ${similar}?`);
}
