import { expect, test } from 'vitest';
import { type CallNotification, CallProgress } from '../../../src/commands/mcp/call-progress.ts';

/** The notifications of a call whose jobs do one thing a second. */
async function notifications(
  seconds: readonly ((progress: CallProgress) => void)[],
): Promise<readonly CallNotification[]> {
  const progress = new CallProgress();
  const sent: CallNotification[] = [];
  const ended = new AbortController();
  let second = 0;
  const sleep = async () => {
    const happens = seconds[second];
    second += 1;
    if (happens === undefined) ended.abort();
    else happens(progress);
  };
  await progress.notifyEachSecond({ sleep }, ended.signal, async notification => {
    sent.push(notification);
  });
  return sent;
}

test('an export reports its rows, and increases while it waits and from job to job', async () => {
  let line: ReturnType<CallProgress['follow']>;
  const sent = await notifications([
    () => {},
    progress => {
      line = progress.follow(undefined, 'rows');
      line.advance(100_000);
    },
    () => {
      line.expect(750_000);
      line.advance(150_000);
    },
    () => {},
    progress => progress.follow(10, 'rows converted').advance(2),
  ]);
  expect(sent).toEqual([
    { progress: 1, message: 'waiting for the gateway' },
    { progress: 100_001, message: '100,000 rows' },
    { progress: 250_001, total: 750_001, message: '250,000 of 750,000 rows' },
    { progress: 250_002, total: 750_002, message: '250,000 of 750,000 rows' },
    { progress: 250_004, total: 250_012, message: '2 of 10 rows converted' },
  ]);
});
