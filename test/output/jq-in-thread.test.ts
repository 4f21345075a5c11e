import { expect, test } from 'vitest';
import { JqError } from '../../src/output/jq.ts';
import { JqThread } from '../../src/output/jq-in-thread.ts';

test('an expression that never ends is ended, and those after it run', async () => {
  const thread = new JqThread(2000, 60_000);
  expect(await thread.run('{"n": 12345678901234567890}', '.n')).toBe('12345678901234567890\n');
  let turns = 0;
  const turning = setInterval(() => {
    turns += 1;
  }, 10);
  const endless = thread.run('1', 'last(range(infinite))');
  const next = thread.run('{"a": "ü"}', '.a');
  await expect(endless).rejects.toThrow('it takes more than 2 s');
  clearInterval(turning);
  // Meanwhile the program does other things.
  expect(turns).toBeGreaterThan(2);
  expect(await next).toBe('ü\n');
});

test('an expression that fails says why, and those after it run', async () => {
  const thread = new JqThread(60_000, 60_000);
  await expect(thread.run('1', 'error("not this one")')).rejects.toThrow(new JqError('not this one'));
  expect(await thread.run('[1,2]', '.[]')).toBe('1\n2\n');
});

test('an expression that waits too long for one before it is told so, and those after it run', async () => {
  const thread = new JqThread(2000, 100);
  await thread.run('1', '.');
  const endless = thread.run('1', 'last(range(infinite))');
  const late = thread.run('1', '.');
  await expect(late).rejects.toMatchObject({ end: 'queue' });
  await expect(endless).rejects.toMatchObject({ end: 'time' });
  expect(await thread.run('2', '.')).toBe('2\n');
});
