import { describe, expect, test } from 'vitest';
import { errorCodes } from '../../src/cli/error-codes.ts';
import { run } from '../support/run.ts';
import { type Reply, wireServer } from '../support/wire-server.ts';

async function errorOf(args: readonly string[], env: Record<string, string> = {}) {
  const ran = await run([...args, '-o', 'json'], { env });
  const { error } = JSON.parse(ran.stderr.slice(ran.stderr.indexOf('{"error"')));
  return { exit: ran.code, error };
}

async function errorOfReply(reply: Reply, args: readonly string[]) {
  const server = await wireServer(() => reply);
  try {
    return await errorOf(args, { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: 'canary-key-4711' });
  } finally {
    await server.close();
  }
}

const COLUMNS = ['bda', 'columns', '--retries', '0'];

describe('with -o json an error names its cause by a code', () => {
  test.each([
    ['an unknown command', ['cnd', 'purge'], 'unknown_command'],
    ['an unknown option', ['bda', 'columns', '--refersh'], 'unknown_option'],
    ['a missing file', ['bda', 'report', 'create', '--sandbox'], 'missing_argument'],
    ['options that cannot be combined', ['bda', 'columns', '--json', '--csv'], 'conflicting_options'],
    ['an invalid value', ['bda', 'columns', '--timeout', 'soon'], 'invalid_value'],
    ['no base URL', ['bda', 'columns'], 'missing_setting'],
    ['an unknown profile', ['bda', 'columns', '--profile', 'prod'], 'unknown_profile'],
    ['a purge of everything without --yes', ['cdn', 'purge', '--all', '--sandbox'], 'confirmation_required'],
  ])('%s', async (_, args, code) => {
    expect(await errorOf(args)).toMatchObject({ exit: 2, error: { code, exit: 2 } });
  });

  test('no key', async () => {
    const env = { GATECTL_BASE_URL: 'https://gateway.example.com' };
    expect(await errorOf(COLUMNS, env)).toMatchObject({ exit: 4, error: { code: 'no_key', status: null } });
  });

  test.each<[string, Reply, string, number]>([
    ['403', { status: 403, body: '{}' }, 'forbidden', 4],
    ['404', { status: 404, body: '{}' }, 'not_found', 5],
    ['429', { status: 429, body: '{}' }, 'rate_limit_exceeded', 8],
    ['503', { status: 503, body: '{}' }, 'service_unavailable', 6],
    [
      'a web page',
      { status: 200, body: '<html>', headers: { 'content-type': 'text/html' } },
      'html_response',
      6,
    ],
    ['invalid JSON', { status: 200, body: '{' }, 'invalid_json', 6],
    ['a redirect', { status: 302, headers: { location: 'https://www.example.com' } }, 'redirect', 6],
    [
      'a limit by name',
      { status: 429, body: '{"error":{"code":"concurrent_request_limit"}}' },
      'concurrent_request_limit',
      8,
    ],
  ])('%s', async (_, reply, code, exit) => {
    expect(await errorOfReply(reply, COLUMNS)).toMatchObject({ exit, error: { code, exit } });
  });

  test('a code of the API is printed as apiCode, together with a listed code', async () => {
    const body = '{"error":{"code":"brand_new","message":"no"}}';
    const { error } = await errorOfReply({ status: 400, body }, COLUMNS);
    expect(error).toMatchObject({ code: 'rejected', apiCode: 'brand_new', message: 'no', status: 400 });
  });
});

test('gatectl help errors and gatectl schema list every code with its meaning', async () => {
  const { stdout: help } = await run(['help', 'errors']);
  const { stdout: schema } = await run(['schema']);
  expect(JSON.parse(schema).errorCodes).toEqual(errorCodes());
  for (const { code } of errorCodes()) expect(help).toMatch(new RegExp(`^ {2}${code}( |$)`, 'm'));
});
