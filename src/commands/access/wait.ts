import { meaningOf } from '../../apis/subscriptions/meanings.ts';
import type { Json } from '../../json/index.ts';
import { checkAccess } from '../../operations/access/check-access.ts';
import { type AccessChange, waitForAccess } from '../../operations/access/wait-for-access.ts';
import type { Context } from '../framework/context.ts';
import { defineCommand, duration, oneOf } from '../framework/define-command.ts';
import { listOf } from '../framework/output-schema.ts';
import {
  EMAIL_ARGUMENT,
  maskedIf,
  READER_FLAGS,
  readerFromFlags,
  shownReader,
  siteFrom,
  TARGET_FLAGS,
  targetFrom,
} from '../framework/reader-flags.ts';
import { headingOf } from './flags.ts';
import { ignoreBrokenPipe, NO_ACCESS } from './outcome.ts';

export const wait = defineCommand({
  name: 'wait',
  effect: 'read',
  summary: "wait until a reader's access changes",
  description:
    'Checks access every few seconds and prints the first decision and each change. Exits 0 when access matches --until, and 3 when the time limit is reached. Failed checks are repeated; if the last check before the limit failed, the command exits with its code.',
  arguments: { reader: EMAIL_ARGUMENT },
  options: {
    ...TARGET_FLAGS,
    ...READER_FLAGS,
    until: oneOf('--until <access>', 'allowed (default), or denied: any other decision', [
      'allowed',
      'denied',
    ]),
    for: duration('--for <time>', 'stop after this time: 90s, 15m, 1h', {
      min: 0,
      fallback: 900_000,
      shownDefault: '15m',
    }),
    every: duration('--every <time>', 'pause between checks', {
      min: 1000,
      fallback: 5000,
      shownDefault: '5s',
    }),
  },
  examples: {
    'gatectl access wait reader@example.com --product premium':
      'after a payment, until the reader has access',
    'gatectl access wait reader@example.com --product premium --until denied --for 1m --every 2s':
      'in a test: fail unless access has ended within a minute',
  },
  output: listOf({
    at: ['string', 'RFC 3339: when the decision was first seen'],
    decision: ['string', "the API's decision"],
    reasonCode: ['string', "the API's reason for it"],
    allowed: ['boolean', 'whether the decision is allowed'],
    meaning: ['string', 'the decision in plain words'],
  }),
  async run(flags, context) {
    const target = targetFrom(flags);
    const reader = await readerFromFlags(flags, context);
    const site = await siteFrom(flags.domain, context);
    const sender = await context.gateway();
    const masked = await maskedIf(flags.mask, context);
    const changes = waitForAccess(() => checkAccess(sender, site, reader, target), {
      until: flags.until ?? 'allowed',
      timeLimit: flags.for,
      interval: flags.every,
      clock: context.clock,
      signal: context.signal,
      onFailure: ({ message }) => context.log.warn(`a check failed and will be repeated: ${message}`),
    });
    const outcome = { isAwaited: false };
    await ignoreBrokenPipe(
      context.out.printRows(rowsOf(changes, { outcome, masked, isItem: 'item' in target }, context), {
        heading: `${masked(headingOf([target], site))} for ${shownReader(reader, flags.mask)}`,
        columns: [
          { key: 'at', title: 'Time', kind: 'time' },
          { key: 'allowed', title: 'Allowed', kind: 'flag' },
          { key: 'decision', title: 'Decision', kind: 'text' },
          { key: 'reasonCode', title: 'Reason', kind: 'text' },
          { key: 'meaning', title: 'Meaning', kind: 'text' },
        ],
      }),
    );
    if (outcome.isAwaited) return undefined;
    context.log.info(`time limit reached: access is still not ${flags.until ?? 'allowed'}`);
    return NO_ACCESS;
  },
});

/** A row for each change; a note too, as a table is printed at the end. */
async function* rowsOf(
  changes: AsyncIterable<AccessChange>,
  {
    outcome,
    masked,
    isItem,
  }: { outcome: { isAwaited: boolean }; masked: <T>(data: T) => T; isItem: boolean },
  { log }: Pick<Context, 'log'>,
): AsyncGenerator<Json> {
  for await (const { at, access, isAwaited } of changes) {
    outcome.isAwaited = isAwaited;
    const time = new Date(at).toISOString();
    const { data, allowed, decision, reasonCode } = access;
    const meaning = meaningOf(decision, reasonCode, isItem);
    if (!isAwaited) log.note(`${time}: ${decision} (${meaning}); waiting`);
    yield { at: time, ...masked(data), allowed, meaning };
  }
}
