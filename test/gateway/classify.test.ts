import { expect, test } from 'vitest';
import { classify } from '../../src/gateway/classify.ts';
import type { ApiFault } from '../../src/gateway/request.ts';

const request = { method: 'GET', origin: 'https://gateway.example.com', path: '/x' };
const redact = (text: string) => text.replaceAll('secret', '***');

function failure(fault: ApiFault, status = 400) {
  const verdict = classify({ status, headers: {}, text: '{}' }, request, () => fault, redact);
  return verdict.kind === 'failure' ? verdict.error : expect.unreachable();
}

test('what a server says is one short printable line without secrets, whoever shows it later', () => {
  const error = failure({ message: `the secret\u001b[2J\n${'long '.repeat(1000)}` });
  expect(error.message).toMatch(/^the \*\*\*\\x1b\[2J\\nlong long /);
  expect(error.message.length).toBeLessThan(600);
});

test('so are the fields that it names', () => {
  const error = failure({ message: 'no', details: [{ field: 'secret\u202e', message: 'a\u0007' }] });
  expect(error).toMatchObject({ details: [{ field: '***\\u202e', message: 'a\\x07' }] });
});

test('and a redirect', () => {
  const answer = {
    status: 302,
    headers: { location: 'https://elsewhere.example/?key=secret\u001b' },
    text: '',
  };
  expect(classify(answer, request, () => undefined, redact)).toMatchObject({
    passing: false,
    error: {
      message: 'the server redirects to https://elsewhere.example/?key=***\\x1b, which is not followed',
    },
  });
});
