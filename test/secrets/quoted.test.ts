import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { GatectlError, Gateway } from '../../src/client/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { run } from '../support/run.ts';
import { runs } from '../support/runs.ts';
import { type Received, type Reply, wireServer } from '../support/wire-server.ts';

// Servers that repeat what they received, in the texts that gatectl quotes only in part.

const KEY = 'Zq4711-XkLmNoPqRsTuVwXyZ0815aB';
const EMAIL = 's3cr3t.reader+tag@victim-media.example.com';
const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.c2VzcyI6IjQ3MTEifQ.Qm9ndXNTaWduYXR1cmU';
const PASSWORD = 'hunter2-of-the-warehouse/4711';

/** Parts of eight characters of a secret in a text. */
function leaksOf(secret: string, text: string): string[] {
  const own = secret.replace('.example.com', '');
  const pieces = Array.from({ length: own.length - 7 }, (_, at) => own.slice(at, at + 8));
  return pieces.filter(piece => text.includes(piece));
}

async function serving(reply: (request: Received) => Reply) {
  const server = await wireServer(reply);
  onTestFinished(() => server.close());
  return { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: KEY, GATECTL_DOMAIN: 'example.com' };
}

test.each([
  ['an address', EMAIL, ['--email', EMAIL]],
  ['a token', TOKEN, ['--reader-token', TOKEN]],
])('a decision that repeats %s is quoted without any part of it', async (_, secret, flags) => {
  for (let length = 0; length < 60; length += 1) {
    const decision = `${'x'.repeat(length)} not found for ${secret} in ${'y'.repeat(30)}`;
    const env = await serving(() => ({ body: JSON.stringify({ success: true, data: { decision } }) }));
    const { code, stdout, stderr } = await run(['access', '--product', 'p', ...flags], { env });
    expect(code).toBe(6);
    expect(stderr).toContain('unknown decision');
    expect(leaksOf(secret, stdout + stderr)).toEqual([]);
  }
});

test('a member that occurs twice and contains the key is quoted without any part of it', async () => {
  for (let length = 0; length < 60; length += 1) {
    const name = JSON.stringify(`${'x'.repeat(length)}${KEY} ${'y'.repeat(length)}`);
    const env = await serving(() => ({ body: `{${name}: 1, ${name}: 2}` }));
    for (const words of [
      ['cdn', 'ping'],
      ['bda', 'date-range'],
      ['bda', 'report', 'list'],
    ]) {
      const { code, stderr } = await run(words, { env });
      expect(code).toBe(6);
      expect(leaksOf(KEY, stderr)).toEqual([]);
    }
  }
});

test('a ClickHouse server that repeats the password gets it into no message', async () => {
  const folder = temporaryFolder();
  const env = await serving(() => ({ body: '{"columns":["country","visits"]}' }));
  for (const shown of [
    PASSWORD,
    encodeURIComponent(PASSWORD),
    Buffer.from(`default:${PASSWORD}`).toString('base64'),
  ]) {
    const clickHouse = await wireServer(() => ({
      status: 500,
      headers: { 'x-clickhouse-exception-code': '62', 'content-type': 'text/plain' },
      body: `Code: 62. DB::Exception: Syntax error: failed near ${'a word '.repeat(30)}${shown} and more. (SYNTAX_ERROR) (version 24.8)`,
    }));
    onTestFinished(() => clickHouse.close());
    const destination = clickHouse.baseUrl.replace('http:', 'clickhouse:');
    writeFileSync(
      join(folder, 'sync.yaml'),
      `destination: ${destination}/analytics\ndomains: [example.com]\ntables:\n  pages: {data_set: pageview, dimensions: [report_day, country], metrics: [visits], start: 2026-03-01}\n`,
    );
    const { code, stderr, stdout } = await run(['bda', 'sync', 'status', 'sync.yaml', '-v'], {
      cwd: folder,
      env: { ...env, CLICKHOUSE_PASSWORD: PASSWORD },
    });
    expect({ code, stdout }).not.toMatchObject({ code: 0 });
    expect(stderr).toContain('Syntax error');
    expect(leaksOf(PASSWORD, stdout + stderr)).toEqual([]);
    expect(stderr).not.toContain(shown.slice(0, 12));
  }
});

/** Every text of an error, its causes included. */
function textsOf(error: unknown, depth = 0): string[] {
  if (typeof error === 'string') return [error];
  if (typeof error !== 'object' || error === null || depth > 6) return [];
  return [...Reflect.ownKeys(error)]
    .filter(name => name !== 'stack')
    .flatMap(name => textsOf((error as Record<PropertyKey, unknown>)[name as string], depth + 1));
}

test('no text of an error of the library has a control character or a secret', async () => {
  const hostile = fc.string({
    unit: fc.constantFrom(
      'a',
      '"',
      '{',
      '}',
      '\\',
      ',',
      ' ',
      '\u001b[2J',
      '\u0007',
      '\r\n',
      '\u0085',
      '\u202e',
      '\u2028',
      KEY,
      EMAIL,
    ),
    maxLength: 30,
  });
  const member = hostile.map(text => JSON.stringify(text));
  const body = fc.oneof(
    hostile,
    fc.tuple(member, member).map(([name, value]) => `{${name}: ${value}, ${name}: 1}`),
    member.map(
      text =>
        `{"success": false, "error": {"code": ${text}, "message": ${text}, "details": [{"field": ${text}, "message": ${text}}]}}`,
    ),
    fc
      .tuple(hostile, member)
      .map(([text, name]) => `{"rows":[{"country": "${text}", ${name}: 1}], "total_rows": 1}`),
  );
  let reply: Reply = {};
  const server = await wireServer(() => reply);
  const gateway = new Gateway({ baseUrl: server.baseUrl, apiKey: KEY, domain: 'example.com', retries: 0 });
  onTestFinished(async () => {
    await gateway.close();
    await server.close();
  });
  const query = {
    data_set: 'pageview',
    date_range: { start_date: '2026-03-01', end_date: '2026-03-07' },
    dimensions: ['country'],
    metrics: ['visits'],
  };
  let thrown = 0;
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom(200, 400, 403, 500), async (body, status) => {
      reply = { status, body };
      const calls = [
        () => gateway.subscriptions.access({ email: EMAIL }, { product: 'gold' }),
        async () => {
          for await (const _ of gateway.bda.query(query));
        },
      ];
      for (const call of calls) {
        const error: unknown = await call().catch((error: unknown) => error);
        if (!(error instanceof GatectlError)) continue;
        thrown += 1;
        for (const text of textsOf(error)) {
          expect(text).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
          expect(leaksOf(KEY, text)).toEqual([]);
          // The library knows a reader as long as a call about that reader runs.
          if (call === calls[0]) expect(leaksOf(EMAIL, text)).toEqual([]);
        }
      }
    }),
    { numRuns: runs(1200) },
  );
  expect(thrown).toBeGreaterThan(100);
});
