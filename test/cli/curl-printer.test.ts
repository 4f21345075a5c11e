import { expect, test } from 'vitest';
import { curlCommand } from '../../src/cli/curl-printer.ts';
import type { GatewayRequest } from '../../src/http/request.ts';

const base = new URL('https://gateway.example.com/root');
const request: GatewayRequest = {
  method: 'GET',
  path: '/subscriptions/v1/access',
  query: [
    ['domain', 'example.com'],
    ['item', "it's $5 & `more`"],
  ],
  key: { in: 'header', name: 'X-API-Key' },
  effect: 'read',
  idempotent: true,
  readError: () => undefined,
};

test('the key in a header becomes a shell variable, everything else is quoted', () => {
  expect(curlCommand(request, base)).toBe(
    [
      "curl 'https://gateway.example.com/root/subscriptions/v1/access?domain=example.com&item=it%27s+%245+%26+%60more%60'",
      "-H 'Accept: application/json'",
      '-H "X-API-Key: $GATECTL_API_KEY"',
    ].join(' \\\n  '),
  );
});

test('the key in the query becomes a shell variable too', () => {
  const inQuery: GatewayRequest = { ...request, query: [], key: { in: 'query', name: 'developerKey' } };
  expect(curlCommand(inQuery, base).split(' \\\n')[0]).toBe(
    'curl "https://gateway.example.com/root/subscriptions/v1/access?developerKey=$GATECTL_API_KEY"',
  );
});

test('a body is sent byte for byte, and a session token stays out of the command', () => {
  const posted: GatewayRequest = {
    ...request,
    method: 'POST',
    query: [],
    body: '{"name":"it\'s"}',
    readerHeaders: { 'X-Service-Reader-Token': 'secret-token' },
  };
  const command = curlCommand(posted, base, {
    hiddenHeaders: { 'X-Service-Reader-Token': 'GATECTL_READER_TOKEN' },
  });
  expect(command).toContain('curl -X POST https://gateway.example.com/root/subscriptions/v1/access');
  expect(command).toContain(`--data-binary '{"name":"it'\\''s"}'`);
  expect(command).toContain('-H "X-Service-Reader-Token: $GATECTL_READER_TOKEN"');
  expect(command).not.toContain('secret-token');
});
