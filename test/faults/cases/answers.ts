import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import type { AskingCase, FaultGroup } from '../fault-case.ts';
import { ASKING, type Asking, EVERY_ASKING, goodAnswer, refusal, type Tried, tryAnswer } from '../trial.ts';

type Told = Pick<AskingCase, 'fault' | 'does' | 'exit' | 'says'> &
  Partial<Pick<AskingCase, 'requests' | 'with'>>;

/** The same answer to every request. */
function answered(
  status: number,
  told: Told,
  body: (asking: Asking) => string,
  headers: Readonly<Record<string, string>> = {},
): AskingCase {
  return {
    requests: 1,
    with: EVERY_ASKING,
    ...told,
    attempt: asking => tryAnswer(ASKING[asking], () => ({ status, headers, body: body(asking) })),
  };
}

const said = (asking: Asking) => refusal(asking, 'the server says so');
const V2: readonly Asking[] = ['listing', 'query'];
const RETRIED = 'retries three times with increasing delays; then prints attempts and time';
const text = { 'content-type': 'text/plain' };

export const refusals: FaultGroup = {
  title: 'Requests rejected',
  cases: [
    answered(
      503,
      {
        fault: '503 with the plain text "Developer key is empty."',
        does: 'fails immediately: the gateway received no key; names the origin of the key',
        exit: 4,
        says: 'the gateway received no API key',
      },
      () => 'Developer key is empty.',
      text,
    ),
    ...[401, 403].map(status =>
      answered(
        status,
        {
          fault: `${status}`,
          does: "prints the server's message, the origin of the key and known causes; never the key",
          exit: 4,
          says: status === 401 ? 'it may have been rotated' : 'known causes: ',
        },
        said,
      ),
    ),
    ...['unauthorized', 'forbidden'].map(code =>
      answered(
        400,
        {
          fault: `the code word ${code}, whatever the status`,
          does: 'the same as 401 and 403',
          exit: 4,
          says: 'the key came from environment GATECTL_API_KEY',
          with: V2,
        },
        asking => refusal(asking, 'no entry', code),
      ),
    ),
    ...[400, 404, 405, 410, 413, 422].map(status =>
      answered(
        status,
        {
          fault: `${status}`,
          does: "prints the server's message, escaped; for 404 also the base URL",
          exit: 5,
          says: status === 404 ? 'the base URL in use is' : 'error: the server says so',
        },
        said,
      ),
    ),
    answered(
      200,
      {
        fault:
          'a failure in a response with status 200: `Success: false`, `success: false`, an error envelope',
        does: 'treats it as an error, never as a success',
        exit: 5,
        says: 'error: the server says so',
      },
      said,
    ),
    answered(
      200,
      {
        fault: 'a v2 rate limit error with status 200',
        does: 'uses the error code; waits, retries, then fails',
        exit: 8,
        says: 'the server says so',
        requests: 4,
        with: ['listing'],
      },
      asking => refusal(asking, 'the server says so', 'concurrent_request_limit'),
    ),
    answered(
      400,
      {
        fault: 'an error message with escape sequences, bidi controls and line breaks',
        does: 'prints them escaped, on one line',
        exit: 5,
        says: 'error: \\x1b[2Jgone\\u202e\\r\\n\\x9b31m\\u200b\n',
      },
      asking => refusal(asking, '\u001b[2Jgone\u202e\r\n\u009b31m\u200b'),
    ),
    answered(
      400,
      {
        fault: 'an error message of one megabyte',
        does: 'prints its beginning',
        exit: 5,
        says: 'error: blah blah',
      },
      asking => refusal(asking, 'blah '.repeat(200_000)),
    ),
    answered(
      400,
      {
        fault: 'an error that lists ten thousand fields',
        does: 'lists the first and counts the others',
        exit: 5,
        says: 'and 9980 more',
        with: V2,
      },
      () =>
        JSON.stringify({
          error: {
            code: 'validation_error',
            message: 'all of it is wrong',
            details: Array.from({ length: 10_000 }, (_, i) => ({ field: `metrics[${i}]`, message: 'no' })),
          },
        }),
    ),
  ],
};

export const passing: FaultGroup = {
  title: 'Transient errors',
  cases: [
    ...[408, 500, 502, 503, 504, 522, 524].map(status =>
      answered(
        status,
        { fault: `${status}`, does: RETRIED, exit: 6, says: `: ${status}`, requests: 4 },
        said,
      ),
    ),
    answered(
      429,
      {
        fault: '429',
        does: 'sends fewer requests at once, waits as long as the server requests, retries three times',
        exit: 8,
        says: 'error: the server says so',
        requests: 4,
      },
      said,
    ),
    ...['concurrent_request_limit', 'rate_limit_exceeded'].map(code =>
      answered(
        400,
        {
          fault: `the code word ${code}, whatever the status`,
          does: 'the same as 429',
          exit: 8,
          says: 'error: the server says so',
          requests: 4,
          with: V2,
        },
        asking => refusal(asking, 'the server says so', code),
      ),
    ),
    answered(
      429,
      {
        fault: '429 with a `Retry-After` of an hour',
        does: 'fails without waiting, prints the delay, and sends no other request',
        exit: 8,
        says: 'wait 3600 s',
      },
      said,
      { 'retry-after': '3600' },
    ),
    {
      fault: 'two failures, then a valid response',
      does: 'continues normally; the request for an identity token is never repeated',
      exit: 0,
      says: '',
      requests: 3,
      with: EVERY_ASKING.filter(asking => asking !== 'token'),
      attempt: (asking: Asking) =>
        tryAnswer(ASKING[asking], (_, index) =>
          index < 2 ? { status: 503, body: '' } : { body: goodAnswer(asking) },
        ),
    },
    {
      fault: 'a failure of a request that is not idempotent (an identity token, a create)',
      does: 'sends it once, and reports that it was not retried',
      exit: 6,
      says: ': 503',
      requests: 1,
      with: ['token'],
      attempt: (asking: Asking) => tryAnswer(ASKING[asking], () => ({ status: 503, body: '' })),
    },
  ],
};

const html = { 'content-type': 'text/html; charset=utf-8' };
const unusable = (fault: string, says: string, body: (asking: Asking) => string, given: Partial<Told> = {}) =>
  answered(
    200,
    { fault, does: 'prints the content type and the first characters', exit: 6, says, ...given },
    body,
  );

const LOGIN_PAGE =
  '\n<!doctype html><html><head><title>\n Sign in to the \u001b[31mnetwork</title></head><p>Welcome</html>';
const LED_ASTRAY = 'prints the title of the page, and advises to check the network and the base URL';
const WHO =
  'a proxy, a firewall or a login page responded instead of the gateway: check the network and the base URL (now http';

function webPage(
  status: number,
  told: Pick<AskingCase, 'fault' | 'exit' | 'requests'>,
  says: string,
  headers: Readonly<Record<string, string>>,
): AskingCase {
  return {
    ...told,
    does: LED_ASTRAY,
    says,
    with: EVERY_ASKING,
    async attempt(asking) {
      const ran = await tryAnswer(ASKING[asking], () => ({ status, headers, body: LOGIN_PAGE }));
      expect(ran.stderr).toContain(WHO);
      expect(ran.stderr).not.toContain('it may have been rotated');
      return ran;
    },
  };
}

/** A stream that breaks is asked for again: see the exports. */
const WHOLE = EVERY_ASKING.filter(asking => asking !== 'query' && asking !== 'report');

export const unusableAnswers: FaultGroup = {
  title: 'Invalid responses',
  cases: [
    webPage(
      200,
      { fault: 'a web page under 200 (captive portal, firewall, load balancer)', exit: 6, requests: 1 },
      'the response is a web page (text/html; charset=utf-8): Sign in to the \\x1b[31mnetwork\n',
      html,
    ),
    webPage(
      200,
      { fault: 'a web page with the content type of JSON', exit: 6, requests: 1 },
      ': Sign in to the \\x1b[31mnetwork\n',
      { 'content-type': 'application/json' },
    ),
    webPage(
      200,
      { fault: 'a web page without a content type', exit: 6, requests: 1 },
      ': Sign in to the \\x1b[31mnetwork\n',
      {},
    ),
    ...(
      [
        [500, 6, 4, 'the server responded with 500 and a web page'],
        [502, 6, 4, 'the server responded with 502 and a web page'],
        [503, 6, 4, 'the server responded with 503 and a web page'],
        [401, 4, 1, 'the server responded with 401 and a web page'],
        [403, 4, 1, 'the server responded with 403 and a web page'],
        [404, 5, 1, 'the server responded with 404 and a web page'],
        [429, 8, 4, 'the server responded with 429 and a web page'],
      ] as const
    ).map(([status, exit, requests, says]) =>
      webPage(
        status,
        { fault: `a web page under ${status}`, exit, requests },
        `${says}: Sign in to the \\x1b[31mnetwork\n`,
        html,
      ),
    ),
    {
      fault: 'a web page instead of a later page of rows, with any content type',
      does: `keeps the complete pages; ${LED_ASTRAY}`,
      exit: 6,
      async attempt() {
        let last: Tried | undefined;
        for (const type of ['text/html', 'application/json']) {
          const folder = temporaryFolder();
          const out = join(folder, 'rows.csv');
          const args = [...ASKING.query, '--to', '2026-03-10', '--all', '--page-size', '1', '--out', out];
          last = await tryAnswer(args, (_, index) =>
            index === 0
              ? { body: '{"rows":[{"id":1,"visits":2}],"total_rows":3}' }
              : { headers: { 'content-type': type }, body: LOGIN_PAGE },
          );
          expect(last.stderr).toContain('1 row in 1 page is kept');
          expect(last.stderr).toMatch(
            /error: the response is a web page .*: Sign in to the \\x1b\[31mnetwork\n/,
          );
          expect(last.stderr).toContain(WHO);
          expect(readdirSync(folder).sort()).toEqual(['rows.csv.part', 'rows.csv.part.json']);
        }
        return last ?? expect.unreachable();
      },
    },
    unusable('an empty body', 'the response is empty', () => '', { with: WHOLE }),
    unusable('truncated JSON', 'not valid JSON', asking => goodAnswer(asking).slice(0, -4), {
      with: WHOLE,
    }),
    unusable('`NaN`, `Infinity`, comments, trailing commas', 'not valid JSON', () => '{"data":NaN,}', {
      with: WHOLE,
    }),
    unusable('JSON of another shape', '', () => '[[1,2]]', { with: ['access', 'token', 'purge'] }),
    unusable('JSON without rows', 'no rows in the response', () => '{"something":"else"}', {
      does: 'reports the missing rows',
      with: ['query'],
    }),
    unusable(
      'a decision that is missing, null or unknown',
      'treat it as no access',
      () => '{"success":true,"data":{"decision":"maybe","reasonCode":"allowed"}}',
      { does: 'treats it as no access', with: ['access'] },
    ),
    ...[301, 302, 303, 307, 308].map(status =>
      answered(
        status,
        {
          fault: `a redirect (${status})`,
          does: 'does not follow it; names its target without the key',
          exit: 6,
          says: 'redirects to https://elsewhere.example/?developerKey=***, which is not followed',
        },
        () => '',
        { location: `https://elsewhere.example/?developerKey=canary-key-4711` },
      ),
    ),
    answered(
      304,
      {
        fault: '304 (Not Modified)',
        does: 'rejects it, because no request was conditional',
        exit: 6,
        says: 'the server sent status 304 (Not Modified), which gatectl does not expect',
      },
      () => '',
    ),
    {
      fault: 'a success of the CDN API with an error message',
      does: 'treats it as a success and prints the message as a warning',
      exit: 0,
      async attempt() {
        const urls = Array.from({ length: 250 }, (_, i) => `https://example.com/${i}`).join('\n');
        const ran = await tryAnswer(
          ['cdn', 'purge', '--file', '-', '--quiet'],
          () => ({ body: '{"Success":true,"Error":"region eu-1 is slow"}' }),
          { input: urls },
        );
        expect(ran.stderr).toBe(
          'warning: the API reported success, but also an error: region eu-1 is slow\n',
        );
        expect(ran.requests).toBe(3);
        return ran;
      },
    },
    answered(
      204,
      { fault: '204', does: 'reports that the response is empty', exit: 6, says: 'the response is empty' },
      () => '',
    ),
    answered(
      206,
      {
        fault: 'a part of a response (206), even if it says `allowed`',
        does: 'rejects it, because it requested no part',
        exit: 6,
        says: 'the server sent only a part of the response (206)',
      },
      goodAnswer,
    ),
    answered(
      418,
      { fault: 'any other 4xx', does: "prints the server's message", exit: 5, says: 'short and stout' },
      () => 'short and stout',
      text,
    ),
    answered(
      599,
      { fault: 'any other 5xx', does: 'prints the status; does not retry', exit: 6, says: ': 599' },
      () => '<html>',
      html,
    ),
  ],
};
