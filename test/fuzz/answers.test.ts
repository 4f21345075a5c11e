import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { runs } from '../support/runs.ts';
import { type Reply, type WireServer, wireServer } from '../support/wire-server.ts';
import { runBounded } from './bounded.ts';
import { COMMANDS } from './commands.ts';
import { anyJson, anyText } from './texts.ts';

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

test('whatever JSON the server sends, every command exits with a documented code and escaped output', {
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
    { numRuns: runs(250) },
  );
  expect(tried).toBeGreaterThanOrEqual(runs(250));
});
