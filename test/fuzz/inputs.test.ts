import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { runs } from '../support/runs.ts';
import { type WireServer, wireServer } from '../support/wire-server.ts';
import { runBounded } from './bounded.ts';
import { anyJson, anyText, NAUGHTY } from './texts.ts';

let server: WireServer;
beforeAll(async () => {
  server = await wireServer(({ target }) => ({
    body: target.includes('/cdnservices/')
      ? '{"Success":true,"Error":""}'
      : '{"success":true,"data":{"decision":"allowed"},"rows":[],"total_rows":0}',
  }));
});
afterAll(() => server.close());

/** Runs a command with this text in a file of its own, whose name is the last word. */
async function withFile(
  args: readonly string[],
  content: string | Uint8Array,
  env: Record<string, string> = {},
) {
  const folder = temporaryFolder();
  const path = join(folder, 'input');
  writeFileSync(path, content);
  return await runBounded([...args, path], {
    env: {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
      GATECTL_CONFIG_DIR: join(folder, 'config'),
      ...env,
    },
  });
}

/** Bytes of any kind, and lists with hostile lines among good ones. */
const bytes: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc
    .array(
      fc.oneof(anyText, fc.constantFrom('https://example.com/a', 'a@example.com', 'key-1', '# note', '')),
      { maxLength: 20 },
    )
    .map(lines => Buffer.from(lines.join('\n'))),
);

const LISTS: readonly (readonly string[])[] = [
  ['cdn', 'purge', '--file'],
  ['cdn', 'purge', '--skip-invalid', '--any-domain', '--file'],
  ['cdn', 'purge', '--key-file'],
  ['cdn', 'purge', '--sitemap'],
  ['access', '--product', 'p', '--from-file'],
  ['access', 'audit', '--product', 'p', '--expect-column', 'plan', '--skip-invalid', '--from-file'],
  ['reply', 'edit', 'denied', '--file'],
];

describe('a list of anything', () => {
  test.each(LISTS)(
    'for %s %s %s exits with a documented code, and only clean URLs are sent',
    async (...args) => {
      await fc.assert(
        fc.asyncProperty(bytes, async content => {
          const before = server.received.length;
          await withFile(args, content);
          for (const { body } of server.received.slice(before)) {
            if (body === '') continue;
            const { urls = [], url, keys } = JSON.parse(body);
            for (const each of url === undefined ? urls : [url])
              expect(each).toMatch(/^https?:\/\/[^\s\p{Cc}]+$/u);
            if (keys !== undefined) expect(keys).toMatch(/^[^\s\p{Cc}]+$/u);
          }
        }),
        { numRuns: runs(40) },
      );
    },
  );

  test('each of the naughty strings, as a URL of a purge and as a reader', async () => {
    for (const args of [LISTS[1] ?? [], LISTS[4] ?? []]) await withFile(args, NAUGHTY.join('\n'));
    for (const text of NAUGHTY.filter((_, i) => i % 8 === 0)) await withFile(LISTS[0] ?? [], text);
  });
});

const sitemap = fc
  .array(
    fc.oneof(
      anyText,
      fc.constantFrom(
        'https://example.com/a',
        '<loc>',
        ']]>',
        '&amp;',
        '&x;',
        '<!DOCTYPE a [<!ENTITY x "y">]>',
      ),
    ),
  )
  .map(
    parts =>
      `<?xml version="1.0"?><urlset>${parts.map(part => `<url><loc>${part}</loc></url>`).join('')}</urlset>`,
  );

test('a sitemap of anything, packed or not, ends with a documented code', async () => {
  await fc.assert(
    fc.asyncProperty(sitemap, fc.boolean(), fc.nat(40), async (text, packed, lost) => {
      const content = packed ? gzipSync(text) : Buffer.from(text);
      await withFile(['cdn', 'purge', '--sitemap'], content.subarray(0, content.length - lost));
    }),
    { numRuns: runs(50) },
  );
});

const DOCUMENTS: readonly (readonly string[])[] = [
  ['bda', 'query'],
  ['bda', 'query', '--print'],
  ['bda', 'segment', 'create'],
  ['bda', 'report', 'create'],
  ['bda', 'report', 'run', '--request'],
  ['bda', 'migrate-query', '--report', 'Countries'],
  ['bda', 'migrate-query', '--as', 'gatectl'],
  ['api', 'POST', '/bdaservices/getdata/', '--input'],
];

/** Requests that come near those of v1 and v2. */
const nearRequest = fc.record(
  {
    StartDate: fc.oneof(fc.constant('2026-03-01'), anyJson),
    EndDate: fc.oneof(fc.constant('2026-03-02'), anyJson),
    DimensionColumns: fc.oneof(anyJson, fc.array(fc.record({ Data: anyJson, Type: anyJson }))),
    MetricColumns: anyJson,
    Filters: anyJson,
    Segments: anyJson,
    SortColumns: anyJson,
    data_set: fc.oneof(fc.constant('pageview'), anyJson),
    date_range: fc.oneof(fc.constant({ start_date: '2026-03-01', end_date: '2026-03-02' }), anyJson),
    dimensions: fc.oneof(fc.constant(['a']), anyJson),
    metrics: fc.oneof(fc.constant(['b']), anyJson),
    filters: anyJson,
    sort: anyJson,
    limit: anyJson,
    offset: anyJson,
  },
  { requiredKeys: [] },
);
const document = fc.oneof(nearRequest, anyJson).map(value => JSON.stringify(value));

test.each(DOCUMENTS)('a request of anything for %s %s %s %s ends with a documented code', async (...args) => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 4, arbitrary: document }, { weight: 1, arbitrary: anyText }),
      async text => {
        await withFile(args, text);
      },
    ),
    { numRuns: runs(40) },
  );
});

const config = fc.oneof(
  anyText,
  anyJson.map(value => JSON.stringify(value)),
  fc
    .record({
      version: fc.oneof(
        { weight: 5, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: anyJson as fc.Arbitrary<unknown> },
      ),
      current: fc.oneof(fc.constant('p'), anyText),
      profiles: fc.record({
        p: fc.dictionary(
          fc.constantFrom(
            'base-url',
            'domain',
            'brand',
            'output',
            'timeout',
            'retries',
            'key-in',
            'key',
            'time-zone',
            'prefix-cdn',
            'ca-file',
            'protected',
          ),
          fc.oneof(
            anyJson,
            fc.constantFrom<fc.JsonValue>('example.com', 'https://example.com', 'json', 5, { kind: 'env' }),
          ),
        ),
      }),
    })
    .map(value => JSON.stringify(value)),
);

test('with any profiles file every command exits with a documented code, and a damaged one is not changed', async () => {
  const commands = [
    ['profile', 'list'],
    ['profile', 'show'],
    ['profile', 'set', 'retries', '2'],
    ['profile', 'remove', 'p'],
    ['access', '--product', 'p', '--email', 'a@example.com'],
    ['doctor'],
  ];
  await fc.assert(
    fc.asyncProperty(config, fc.constantFrom(...commands), async (text, args) => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'config.json'), text, { mode: 0o600 });
      await runBounded(args, {
        env: { GATECTL_CONFIG_DIR: folder, GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: 'some-key' },
      });
    }),
    { numRuns: runs(80) },
  );
});

test.each([{ asked: ['bda', 'report', 'run'] }, { asked: ['bda', 'query', '--data-set', 'd'] }])(
  'a column that is named twice is rejected by $asked',
  async ({ asked }) => {
    const ran = await runBounded([...asked, '-d', 'a,a', '-m', 'b', '--last', '1d', '--csv'], {
      env: { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: 'some-key' },
    });
    expect(ran.code).toBe(2);
  },
);

const environment = fc.dictionary(
  fc.constantFrom(
    ...[
      'GATECTL_PROFILE',
      'GATECTL_API_KEY',
      'GATECTL_DOMAIN',
      'GATECTL_BRAND',
      'GATECTL_OUTPUT',
      'GATECTL_SANDBOX_CLOCK',
      'GATECTL_SANDBOX_RESTATE',
    ],
    ...[
      'HTTP_PROXY',
      'http_proxy',
      'HTTPS_PROXY',
      'NO_PROXY',
      'no_proxy',
      'TZ',
      'LANG',
      'LC_ALL',
      'NO_COLOR',
      'FORCE_COLOR',
      'TERM',
    ],
  ),
  fc
    .oneof(
      anyText,
      fc.constantFrom(
        'http://me:pw@127.0.0.1:9',
        '127.0.0.1:9',
        'socks5://127.0.0.1:9',
        'http://%:%@127.0.0.1:9',
        '*',
        'http://[::1]:9',
      ),
      fc.constantFrom('json', 'csv', 'example.com', 'p', 'dumb', '0', 'C', 'service', '2026-03-01T00:00:00Z'),
    )
    .filter(text => !text.includes('\0')),
);

test('an environment of anything ends every command with a documented code', async () => {
  const commands = [
    ['access', '--product', 'p', '--email', 'a@example.com'],
    ['cdn', 'purge', 'http://127.0.0.1:9/', '--any-domain', '--verify'],
    ['bda', 'query', '--data-set', 'd', '-m', 'b', '--last', '1d'],
    ['bda', 'report', 'list', '--sandbox'],
    ['profile', 'show'],
    ['doctor'],
  ];
  await fc.assert(
    fc.asyncProperty(environment, fc.constantFrom(...commands), async (env, args) => {
      const around = {
        GATECTL_CONFIG_DIR: temporaryFolder(),
        GATECTL_BASE_URL: server.baseUrl,
        GATECTL_API_KEY: 'some-key',
      };
      await runBounded([...args, '--retries', '0', '--timeout', '0.3'], { env: { ...around, ...env } });
    }),
    { numRuns: runs(60) },
  );
});

test('fixtures of anything are rejected in words, or served', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        anyText,
        anyJson.map(value => JSON.stringify(value)),
      ),
      async text => {
        const ran = await withFile(['sandbox', 'serve', '--port', '0', '--fixtures'], text);
        expect(ran.code).toBe(2);
      },
    ),
    { numRuns: runs(40) },
  );
});
