import type { PurgeMap } from '../../../apis/cdn/changes/purge-map.ts';
import { EventRefused, type RefusalCode } from '../../../apis/cdn/events/content-event.ts';
import type { Sender } from '../../../apis/cdn/events/senders.ts';
import { environmentVariable } from '../../../config/platform.ts';
import { invalidInput, invalidUsage } from '../../../errors/usage.ts';
import { tryParseJson } from '../../../json/index.ts';
import type { JqEnd } from '../../../output/jq.ts';
import type { JqThread } from '../../../output/jq-in-thread.ts';
import type { Context } from '../../framework/context.ts';

/** How long the expression of a sender may take for an event. */
const EXPRESSION_MS = 2000;
/** How long an event waits for the expression of its sender on those before it. */
const PATIENCE_MS = 5000;

/** What a sender is told whose expression has no result. It quotes nothing that was sent. */
const REFUSALS: Readonly<Record<JqEnd, readonly [RefusalCode, string]>> = {
  rejected: ['invalid_event', 'the jq expression of the sender fails on the content'],
  memory: ['invalid_event', 'the jq expression of the sender ran out of memory'],
  time: ['invalid_event', `the jq expression of the sender timed out after ${EXPRESSION_MS / 1000} s`],
  queue: ['busy', 'too many events wait for the jq expression of the sender'],
};

/** The senders of a map, with their secrets of the environment. Throws UsageError. */
export async function sendersOf(
  { senders }: PurgeMap,
  file: string,
  { io, redactor }: Pick<Context, 'io' | 'redactor'>,
): Promise<ReadonlyMap<string, Sender>> {
  if (senders.length === 0)
    throw invalidInput(
      `${file} names no senders`,
      'add senders, such as blog: {format: ghost, env: BLOG_SECRET}',
    );
  const { JqThread } = await import('../../../output/jq-in-thread.ts');
  const found = new Map<string, Sender>();
  for (const [name, { format, env, event, sign }] of senders) {
    const secret = environmentVariable(io.env, env);
    if (secret === undefined)
      throw invalidUsage(
        `the secret of the sender ${name} is missing`,
        `set the environment variable ${env}, which ${file} names`,
      );
    if (format !== 'json' && (event !== undefined || sign !== 'standard'))
      throw invalidInput(`the sender ${name} of ${file} is ${format}, and only json has event and sign`);
    if (format === 'json' && event === undefined)
      throw invalidInput(
        `the sender ${name} of ${file} has no event`,
        'add event, a jq expression that makes the event of the content (. where it is one)',
      );
    redactor.add(secret);
    redactor.add(secret.trimEnd());
    const map =
      event === undefined
        ? undefined
        : await expression(event, name, file, new JqThread(EXPRESSION_MS, PATIENCE_MS));
    found.set(name, { format, secret, isToken: sign === 'token', map });
  }
  return found;
}

/** A jq expression as a function, with a thread of its own: one that does not end delays no other sender. Throws UsageError for an invalid one. */
async function expression(
  text: string,
  name: string,
  file: string,
  thread: JqThread,
): Promise<Sender['map']> {
  const { checkJq, JqError } = await import('../../../output/jq.ts');
  await checkJq(text).catch(error => {
    if (!(error instanceof JqError)) throw error;
    const problem = error.end === 'memory' ? 'cannot be checked' : 'is not a jq expression';
    throw invalidInput(`the event of the sender ${name} of ${file} ${problem}: ${error.message}`);
  });
  return async body => {
    try {
      // A comment may end the text.
      const first = await thread.run(body, `limit(2; ${text}\n) | tojson`);
      const [line = '', ...others] = first.trimEnd().split('\n');
      if (others.length > 0)
        throw new EventRefused('invalid_event', 'the jq expression of the sender makes more than one event');
      return tryParseJson(line);
    } catch (error) {
      if (!(error instanceof JqError)) throw error;
      throw new EventRefused(...REFUSALS[error.end]);
    }
  };
}
