import { GatectlError } from '../../../errors/index.ts';
import { isList, isRecord, type JsonRecord, textOf } from '../../../json/index.ts';
import type { EventPurge, EventTargets } from '../../../operations/listen/purge-events.ts';
import { purgeTargets } from '../../../operations/purge/purge-targets.ts';
import type { Context } from '../../framework/context.ts';
import { untypedValues } from '../../framework/define-command.ts';
import { purgeOwner, purgeWork } from '../../framework/purge-work.ts';
import { OPTIONS } from '../purge/flags.ts';
import { watchStages } from '../purge/stage-watch.ts';

/** Purges what events lead to, as one entry of the history, and with `verify` fetches pages before and after. */
export async function purgeEventTargets(
  { urls, keys }: EventTargets,
  { domain, verify }: { readonly domain: string; readonly verify: boolean },
  context: Context,
): Promise<EventPurge> {
  const cleared: string[] = [];
  let id: string | undefined;
  let described: JsonRecord = {};
  const work = purgeWork(context);
  const targets =
    urls.length > 0
      ? ({ what: 'URL', targets: urls, keys, domain } as const)
      : ({ what: 'key', targets: keys, keys: [], domain } as const);
  const outcome = (failures: EventPurge['failures'], error: GatectlError | undefined): EventPurge => ({
    ...{ id, cleared, failures, error, pages: pagesIn(described) },
  });
  try {
    const tally = await purgeTargets(targets, {
      ...work,
      report: () => {},
      note: () => {},
      isResumable: false,
      owner: salt => purgeOwner(domain, salt, context),
      onCleared: each => {
        cleared.push(...each);
      },
      record: async (facts, recorded) => {
        id = await work.record(facts, recorded);
        return id;
      },
      ...(verify && {
        watch: async (left, run) => {
          const flags = { ...untypedValues(OPTIONS), urls: [], verify };
          const result = { describe: (fields: JsonRecord) => (described = fields) };
          return await watchStages(
            left,
            { run, result, domain, isEverything: false, isConfirmed: false },
            flags,
            context,
          );
        },
      }),
    });
    return outcome(tally.failures, undefined);
  } catch (error) {
    if (!(error instanceof GatectlError) || error.kind === 'interrupted') throw error;
    return outcome([], error);
  }
}

/** The verdicts in the output of a verification. */
function pagesIn({ verification }: JsonRecord): EventPurge['pages'] {
  const pages = isRecord(verification) && isList(verification.pages) ? verification.pages : [];
  return pages.filter(isRecord).map(({ url, verdict, reason, redirect }) => ({
    ...{ url: textOf(url), verdict: textOf(verdict), reason: textOf(reason) },
    ...(isRecord(redirect) && { redirect: textOf(redirect.sentence) }),
  }));
}
