import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { type Reply, type WireServer, wireServer } from '../support/wire-server.ts';
import { runBounded } from './bounded.ts';
import { anyJson, anyText } from './texts.ts';

const SEGMENT = '{"SegmentName":"x","SegmentMultiFilters":{}}';
const DAYS = ['--from', '2026-03-01', '--to', '2026-03-02'];

/** Commands that ask, and what they get on stdin. */
const COMMANDS: readonly (readonly [args: readonly string[], input?: string])[] = [
  [['access', '--product', 'p', '--email', 'a@example.com']],
  [['access', '--product', 'p', '--from-file', '-'], 'a@example.com\nb@example.com\n'],
  [['products', '--email', 'a@example.com']],
  [['purchases', '--email', 'a@example.com']],
  [['reader', '--email', 'a@example.com', '--product', 'p']],
  [['token', '--email', 'a@example.com']],
  [['cdn', 'ping']],
  [['cdn', 'purge', 'https://example.com/a', 'https://example.com/b']],
  [['cdn', 'purge', '--key', 'k', '--domain', 'example.com']],
  [['bda', 'domains']],
  [['bda', 'columns']],
  [['bda', 'data-sets']],
  [['bda', 'date-range']],
  [['bda', 'query', '--data-set', 'd', '-d', 'a', '-m', 'b', ...DAYS]],
  [['bda', 'query', '--data-set', 'd', '-m', 'b', '--all', '--page-size', '2', ...DAYS]],
  [['bda', 'report', 'list']],
  [['bda', 'report', 'show', 'r']],
  [['bda', 'report', 'run', 'r', ...DAYS]],
  [['bda', 'report', 'run', '-d', 'a', '-m', 'b', '--all', '--page-size', '2', ...DAYS]],
  [['bda', 'report', 'create', '-'], '{"ReportName":"x"}'],
  [['bda', 'segment', 'list']],
  [['bda', 'segment', 'create', '-'], SEGMENT],
  [['bda', 'segment', 'create', '--name', 'x', '--country', 'US']],
  [['bda', 'filter', 'list']],
  [['bda', 'multifilter', 'list']],
  [['bda', 'multifilter', 'types']],
  [['api', 'GET', '/bdaservices/v2/domains']],
  [['api', 'POST', '/gateway/bdaservices/v2/query', '--paginate', '-f', 'a=b']],
  [['doctor']],
];
const FORMATS = [
  ['-o', 'table'],
  ['-o', 'json'],
  ['-o', 'ndjson'],
  ['--csv'],
  ['-o', 'tsv'],
  ['-o', 'md'],
  ['-o', 'html'],
  ['--jq', '.'],
];

/** Answers that come near the documented ones. */
const nearly = fc.oneof(
  fc.record(
    { success: fc.oneof(fc.boolean(), anyJson), data: anyJson, message: anyJson },
    { requiredKeys: [] },
  ),
  fc.record(
    { Success: fc.oneof(fc.boolean(), anyJson), Error: anyJson, Data: anyJson },
    { requiredKeys: [] },
  ),
  fc.record({ rows: fc.oneof(fc.array(anyJson), anyJson), total_rows: fc.oneof(fc.nat(9), anyJson) }),
  fc.record({
    error: fc.record({ code: anyJson, message: anyJson, details: fc.oneof(anyJson, fc.array(anyJson)) }),
  }),
  fc.record({
    success: fc.constant(true),
    data: fc.record({ decision: fc.oneof(fc.constant('allowed'), anyJson), reasonCode: anyJson }),
  }),
  fc.array(fc.dictionary(anyText, anyJson)),
);

const reply: fc.Arbitrary<Reply> = fc.record({
  status: fc.oneof(
    { weight: 6, arbitrary: fc.constant(200) },
    { weight: 1, arbitrary: fc.constantFrom(201, 204, 301, 400, 401, 403, 404, 422, 429, 500, 503) },
  ),
  body: fc.oneof(
    { weight: 4, arbitrary: nearly.map(value => JSON.stringify(value)) },
    { weight: 2, arbitrary: anyJson.map(value => JSON.stringify(value)) },
    { weight: 1, arbitrary: anyText },
  ),
  headers: fc.constantFrom<Record<string, string>>(
    {},
    { 'content-type': 'text/plain' },
    { 'retry-after': 'x' },
  ),
});

let server: WireServer;
let replies: readonly Reply[] = [];
beforeAll(async () => {
  server = await wireServer((_, index) => replies[index % Math.max(1, replies.length)] ?? {});
});
afterAll(() => server.close());

test('whatever JSON answers, every command ends with a documented code and harmless words', {
  timeout: 120_000,
}, async () => {
  let tried = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...COMMANDS),
      fc.constantFrom(...FORMATS),
      fc.array(reply, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(undefined, 40, 100),
      fc.boolean(),
      async ([args, input], format, given, columns, verbose) => {
        replies = given;
        const env = {
          GATECTL_BASE_URL: server.baseUrl,
          GATECTL_API_KEY: 'some-key',
          GATECTL_DOMAIN: 'example.com',
          GATECTL_CONFIG_DIR: temporaryFolder(),
        };
        await runBounded([...args, ...format, '--retries', '1', ...(verbose ? ['-v'] : [])], {
          env,
          ...(input !== undefined && { input }),
          ...(columns !== undefined && { columns }),
        });
        tried += 1;
      },
    ),
    { numRuns: 250 },
  );
  expect(tried).toBeGreaterThanOrEqual(250);
});
