import { describe, expect, test } from 'vitest';
import { classify } from '../../src/http/classify.ts';
import type { ApiFailure } from '../../src/http/request.ts';
import { Redactor } from '../../src/text/redactor.ts';

const request = { method: 'GET', origin: 'https://gateway.example.com', path: '/x' };
const redact = (text: string) => text.replaceAll('secret', '***');

function failure(fault: ApiFailure, status = 400) {
  const verdict = classify({ status, headers: {}, text: '{}' }, request, () => fault, redact);
  return verdict.kind !== 'success' ? verdict.error : expect.unreachable();
}

test('a server message is one short printable line without secrets, wherever it is shown', () => {
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
    kind: 'final',
    error: {
      message: 'the server redirects to https://elsewhere.example/?key=***\\x1b, which is not followed',
    },
  });
});

describe('a response that is not JSON', () => {
  const judged = (text: string, type: string | undefined, status = 200) => {
    const verdict = classify(
      { status, headers: { 'content-type': type }, text },
      request,
      () => undefined,
      redact,
    );
    return verdict.kind !== 'success' ? verdict.error : expect.unreachable();
  };

  test.each([
    ['<!DOCTYPE html><title>Sign in</title>', undefined],
    ['\n  <HTML lang="en"><body>', 'application/json'],
    ['<!-- portal --><p>', undefined],
    ['<p>Sign in', 'text/html'],
    ['<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">', 'application/xhtml+xml'],
  ])('%j, sent as %s, is a web page', (text, type) => {
    expect(judged(text, type).request?.isWebPage).toBe(true);
    expect(judged(text, type, 403).request?.isWebPage).toBe(true);
  });

  test.each([
    ['<?xml version="1.0"?><Error>', 'application/xml'],
    ['Forbidden', 'text/html'],
    ['{"a":', 'text/html'],
    ['', 'text/html'],
  ])('%j, sent as %s, is not one', (text, type) => {
    expect(judged(text, type).request?.isWebPage).toBeUndefined();
    expect(judged(text, type, 403).request?.isWebPage).toBeUndefined();
  });

  test('has a secret in its title that a line break splits', () => {
    const redactor = new Redactor();
    redactor.add('live-key-0123456789abcdef');
    const text = '<title>bad live-key-0123\n  456789abcdef</title>';
    const verdict = classify(
      { status: 502, headers: { 'content-type': 'text/html' }, text },
      request,
      () => undefined,
      each => redactor.redact(each),
    );
    expect(verdict.kind !== 'success' && verdict.error.message).toMatch(/: bad \*\*\*$/);
  });

  test('is shown by its title, or else by its beginning', () => {
    const type = 'text/html';
    expect(judged('<title>\n Access\n denied </title>', type, 403).message).toBe(
      'the server responded with 403 and a web page: Access denied',
    );
    expect(judged(`<title>${'x'.repeat(100)}</title>`, type).message).toBe(
      `the response is a web page (text/html): <title>${'x'.repeat(73)}…`,
    );
    expect(judged('<p>\u001b[31mHello', undefined, 502).message).toBe('the server responded with 502');
    expect(judged('<html>\u001b[31mHello', undefined, 502).message).toBe(
      'the server responded with 502 and a web page: <html>\\x1b[31mHello',
    );
  });

  test.each(Array.from({ length: 12 }, (_, i) => 70 + i))(
    'shows no half of a secret that starts at %i',
    at => {
      const said = `${'x'.repeat(at)}secret`;
      for (const text of [said, `<html>${said.slice(6)}`, `<html><title>${said}</title>`])
        expect(judged(text, 'text/html').message).not.toMatch(/se?c?r?e?t?…?$/);
    },
  );
});
