import { resolve } from 'node:path';
import { type ContentEvent, contentEvent, EventRefused } from '../../../../apis/cdn/events/content-event.ts';
import { type EventMap, type FanOut, fanOut } from '../../../../apis/cdn/events/fan-out.ts';
import { invalidInput } from '../../../../errors/usage.ts';
import { readText } from '../../../../files/text-source.ts';
import { isList, jsonIn } from '../../../../json/index.ts';
import { pluralize } from '../../../../terminal/numbers.ts';
import type { Context } from '../../../framework/context.ts';
import type { PurgeFlags } from '../flags.ts';
import { COLUMNS } from './explain.ts';
import { purgeTargetsOf } from './planned-targets.ts';
import { readMap } from './site-source.ts';

/** Purges what the events of `--event` lead to. Throws UsageError for what is no event, and where an event leads nowhere. */
export async function purgeEvents(flags: PurgeFlags, context: Context): Promise<void> {
  const domain = await context.domain(flags.domain);
  const found = await fanOuts(flags, domain, context);
  const urls = [...new Set(found.flatMap(({ urls, listings, always }) => [...urls, ...listings, ...always]))];
  const keys = [...new Set(found.flatMap(each => each.keys))];
  if (urls.length + keys.length === 0)
    return context.log.note('no event purges a URL or a key; nothing was sent');
  await purgeTargetsOf({ urls, keys, place: 'the map' }, domain, flags, context, () => ({
    keys,
    onStart: async () => {},
    onCleared: () => {},
    onEnd: async () => {},
  }));
}

/** Prints what the events of `--event` lead to, and sends nothing. */
export async function explainEvents(flags: PurgeFlags, context: Context): Promise<void> {
  const found = await fanOuts(flags, await context.domain(flags.domain), context);
  const rows = found.flatMap(({ urls, listings, always, keys, rule }) => {
    const { number, on } = rule;
    const named = { rule: `${number}: ${[...on.type, ...on.event].join(', ') || 'all events'}` };
    return [
      ...urls.map(target => ({ kind: 'URL', target, ...named })),
      ...listings.map(target => ({ kind: 'listing', target, ...named })),
      ...always.map(target => ({ kind: 'always', target, ...named })),
      ...keys.map(target => ({ kind: 'key', target, ...named })),
    ];
  });
  await context.out.print(rows, { columns: COLUMNS, empty: 'a rule ignores this event' });
  context.log.note(`${pluralize(rows.length, 'target')}; nothing was sent`);
}

/** What each event leads to; nothing for those that a rule ignores. */
async function fanOuts(
  { event: file = '', map = '' }: PurgeFlags,
  domain: string,
  context: Context,
): Promise<readonly FanOut[]> {
  const { events, site = `https://${domain}` } = await readMap(map, context);
  if (events.rules.length === 0)
    throw invalidInput(`${map} has no rule for events`, 'add a rule with on, such as on: {type: article}');
  const source = file === '-' ? context.io.stdin : resolve(context.io.cwd, file);
  const text = await readText(source, { signal: context.signal });
  const document = jsonIn(text, file);
  const described = isList(document) ? document : [document];
  if (described.length === 0) throw invalidInput(`${file} has no event`, 'nothing was sent');
  return described.flatMap((each, index) => {
    try {
      const delivery = { id: `${file}:${index + 1}`, time: context.clock.now() };
      return leadsTo(contentEvent(each, delivery, site), { ...events, site });
    } catch (error) {
      if (!(error instanceof EventRefused)) throw error;
      throw invalidInput(`event ${index + 1} of ${file}: ${error.message}`, 'nothing was sent');
    }
  });
}

function leadsTo(event: ContentEvent, map: EventMap): readonly FanOut[] {
  const found = fanOut(event, map);
  if (found === undefined) return [];
  const [first] = found.unusable;
  if (first !== undefined)
    throw new EventRefused(
      'leads_to_nothing',
      `a target of the event cannot be purged: ${first.target} ${first.problem}`,
    );
  return [found];
}
