import { expect, test } from 'vitest';
import { responsesChecked } from '../support/responses-checked.ts';
import { run } from '../support/run.ts';

test.each([
  [['products', 'active@example.com']],
  [['cdn', 'ping']],
  [['bda', 'domains']],
  [['bda', 'report', 'list']],
])('the responses to gatectl %j are compared with the document', async args => {
  const before = responsesChecked.count;
  expect((await run([...args, '--sandbox'])).code).toBe(0);
  expect(responsesChecked.count).toBeGreaterThan(before);
});
