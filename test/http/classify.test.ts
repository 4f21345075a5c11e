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

describe('each response has one meaning', () => {
  const API = new Set(['auth', 'rejected', 'rate_limited', 'unavailable'] as const);
  const judge = (status: number, text: string, { fault, headers = {}, undecodable, maxValues }: Told = {}) =>
    classify(
      { status, headers, text, ...(undecodable && { undecodable }) },
      request,
      () => fault,
      redact,
      maxValues,
    );
  interface Told {
    readonly fault?: ApiFailure;
    readonly headers?: Record<string, string>;
    readonly undecodable?: string;
    readonly maxValues?: number;
  }
  const meaning = (verdict: ReturnType<typeof judge>) =>
    verdict.kind === 'success' ? 'success' : `${verdict.kind} ${verdict.error.kind} ${verdict.error.code}`;

  test.each([
    [200, 'success'],
    [201, 'success'],
    [299, 'success'],
    [300, 'final invalid_response unexpected_status'],
    [399, 'final invalid_response unexpected_status'],
    [400, 'final api rejected'],
    [401, 'final auth unauthorized'],
    [403, 'final auth forbidden'],
    [404, 'final api not_found'],
    [408, 'transient network service_unavailable'],
    [409, 'final api rejected'],
    [429, 'rate_limited rate_limit rate_limit_exceeded'],
    [500, 'transient network service_unavailable'],
    [501, 'final network service_unavailable'],
    [502, 'transient network service_unavailable'],
    [503, 'transient network service_unavailable'],
    [504, 'transient network service_unavailable'],
    [505, 'final network service_unavailable'],
    [522, 'transient network service_unavailable'],
    [524, 'transient network service_unavailable'],
    [599, 'final network service_unavailable'],
  ])('status %i without an envelope: %s', (status, expected) => {
    const verdict = judge(status, '{}');
    expect(meaning(verdict)).toBe(expected);
    if (verdict.kind !== 'success') expect(verdict.error.request).toEqual({ ...request, status });
  });

  test.each([
    ['unauthorized', 'auth', 'final auth unauthorized'],
    ['forbidden', 'auth', 'final auth forbidden'],
    ['rate_limit_exceeded', 'rate_limited', 'rate_limited rate_limit rate_limit_exceeded'],
    ['concurrent_request_limit', 'rate_limited', 'rate_limited rate_limit concurrent_request_limit'],
    ['slow_down', 'rate_limited', 'rate_limited rate_limit rate_limit_exceeded'],
    ['upstream_error', 'unavailable', 'transient network upstream_error'],
    ['internal_error', 'unavailable', 'transient network internal_error'],
    ['out_of_order', 'unavailable', 'transient network service_unavailable'],
    ['not_found', 'rejected', 'final api not_found'],
    ['validation_error', 'rejected', 'final api validation_error'],
    ['teapot', 'rejected', 'final api rejected'],
  ] as const)('the code %s decides, whatever the status is', (code, kind, expected) => {
    expect(API.has(kind)).toBe(true);
    for (const status of [200, 400, 501, 599]) {
      const verdict = judge(status, '{}', { fault: { kind, code, message: 'no' } });
      expect(meaning(verdict)).toBe(expected);
      expect(verdict.kind !== 'success' && verdict.error).toMatchObject({ message: 'no', apiCode: code });
    }
  });

  test('an envelope in a 200 without a kind is a rejection', () => {
    const fault = { message: 'no', details: [{ field: 'a', message: 'b' }] };
    const verdict = judge(200, '{"rest":1}', { fault });
    expect(meaning(verdict)).toBe('final api rejected');
    expect(verdict.kind !== 'success' && verdict.error).toMatchObject({ ...fault, apiCode: undefined });
  });

  test('what an envelope lacks is read from the rest of the body', () => {
    const said = (text: string, fault?: ApiFailure) => {
      const verdict = judge(400, text, { ...(fault && { fault }) });
      return verdict.kind === 'success' ? expect.unreachable() : verdict.error;
    };
    expect(said('{"message":"from the body"}').message).toBe('from the body');
    expect(said('{"message":"from the body"}', { message: 'own' }).message).toBe('own');
    expect(said('{"code":7}').message).toBe('the server responded with 400: {"code":7}');
    expect(said('{"errors":{"visits":"is none"}}')).toMatchObject({
      details: [{ field: 'visits', message: 'is none' }],
    });
    expect(said('{"errors":{"visits":"is none"}}').message).not.toContain('{');
    expect(said('  plain words  ')).toMatchObject({ message: 'plain words', details: [] });
    expect(said('<a/>').message).toBe('the server responded with 400');
    expect(said(`${' '.repeat(16_384)}too late`).message).toBe('the server responded with 400');
  });

  test('a body that says so was sent without a key, with any status', () => {
    for (const status of [200, 302, 503])
      for (const text of ['Developer key is empty.', ' Developer key is empty.\n']) {
        const verdict = judge(status, text);
        expect(meaning(verdict)).toBe('final auth key_not_received');
        expect(verdict.kind !== 'success' && verdict.error.request).toEqual({ ...request, status });
      }
  });

  test('a redirect is not followed, and one without a target or a 304 is not expected', () => {
    const location = { location: 'https://elsewhere.example/' };
    const errorOf = (status: number, headers = {}) => {
      const verdict = judge(status, '', { headers });
      return verdict.kind === 'success' ? expect.unreachable() : verdict.error;
    };
    for (const status of [300, 301, 302, 307, 308, 399])
      expect(errorOf(status, location)).toMatchObject({ code: 'redirect', request: { ...request, status } });
    expect(errorOf(302)).toMatchObject({
      message: 'the server sent status 302 without a target, which gatectl does not expect',
      request: { ...request, status: 302 },
    });
    expect(errorOf(304, location).message).toBe(
      'the server sent status 304 (Not Modified), which gatectl does not expect',
    );
  });

  test.each([
    [205, 'x', 'unexpected_status', 'the server sent a body with status 205 (Reset Content)'],
    [206, '{}', 'partial_content', 'the server sent only a part of the response (206)'],
    [205, '', 'invalid_json', 'the response is empty'],
    [200, ' \n ', 'invalid_json', 'the response is empty'],
    [200, '\u001f\ufffd\b', 'broken_encoding', /gzip|compress/i],
    [200, 'x \u001f\ufffd', 'invalid_json', /not valid JSON/],
  ] as const)('status %i with the body %j is %s', (status, text, code, message) => {
    const verdict = judge(status, text);
    expect(verdict.kind).toBe('final');
    expect(verdict.kind !== 'success' && verdict.error).toMatchObject({
      code,
      request: { ...request, status },
    });
    expect(verdict.kind !== 'success' && verdict.error.message).toMatch(message);
  });

  test('a body that could not be decoded is named without secrets, before it is read', () => {
    const verdict = judge(200, '{}', { undecodable: 'compressed with secret' });
    expect(verdict).toMatchObject({
      kind: 'final',
      error: { message: 'the response is compressed with ***', request: { ...request, status: 200 } },
    });
  });

  test('a body of more values than allowed is no success', () => {
    expect(judge(200, '[1,2,3]', { maxValues: 10 })).toEqual({ kind: 'success', body: expect.anything() });
    expect(judge(200, '[1,2,3]', { maxValues: 2 }).kind).toBe('final');
  });

  test('an excerpt has 80 characters at most', () => {
    const messageOf = (text: string) => {
      const verdict = judge(200, text, { headers: { 'content-type': 'text/plain; secret' } });
      return verdict.kind === 'success' ? expect.unreachable() : verdict.error.message;
    };
    expect(messageOf('x'.repeat(80))).toMatch(
      /^the response is not valid JSON \(text\/plain; \*\*\*; .+\): x{80}$/,
    );
    expect(messageOf(` ${'x'.repeat(81)}`)).toMatch(/: x{80}…$/);
    const untyped = judge(200, 'x');
    expect(untyped.kind !== 'success' && untyped.error.message).toContain('(without a content type; ');
  });

  test("an API's own envelope is marked as its own, and a web page as one", () => {
    const own = judge(400, '{}', { fault: { message: 'no', isOwn: true } });
    expect(own.kind !== 'success' && own.error.request).toEqual({
      ...request,
      status: 400,
      isApiError: true,
    });
  });
});
