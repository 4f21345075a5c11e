import { expect, test } from 'vitest';
import { type RestTimer, readDocument } from '../../src/http/response-body.ts';

test.each([
  ['{"a":[1,2,3]}', true],
  ['{"a":[1,2,3,4,5,6,7,8,9]}', false],
  ['{"a":[1,2,3]', false],
])('whether %s is a complete document of few values: %s', async (text, isComplete) => {
  const answers: (boolean | undefined)[] = [];
  const timer = { start: (check?: () => boolean) => answers.push(check?.()) } as unknown as RestTimer;
  const body = (async function* () {
    yield Buffer.from(text);
  })();
  const request = { method: 'GET', origin: 'https://example.com', path: '/' };
  await readDocument(body, 1000, request, { timer, maxValues: 8 });
  expect(answers).toEqual([isComplete]);
});
