import { describe, expect, test } from 'vitest';
import { openApiDocument } from '../../src/wire/openapi/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { OpenApiValidator, type Operation } from '../support/openapi.ts';
import { run } from '../support/run.ts';
import { type Received, type Reply, wireServer } from '../support/wire-server.ts';

const DAYS = ['--from', '2026-03-01', '--to', '2026-03-07'];
const READER = ['--email', 'active@example.com', '--domain', 'example.com'];

const REPORT = JSON.stringify({
  ReportTitle: 'By day',
  ReportDateRange: { BaseSelectId: 'BASE_LAST_7' },
  Charts: [
    {
      Name: 'By day',
      DimensionColumns: [{ Data: 'report_day', Type: 'string' }],
      MetricColumns: [{ Data: 'revenue', Type: 'number' }],
      Segments: [1],
      Order: { ColumnNumber: 1, Direction: 'DESC' },
    },
  ],
});

interface Api {
  readonly tag: string;
  readonly keyIn: readonly ('header' | 'query')[];
  /** Command lines that send every operation of the API, in each form that its request has. */
  readonly commands: readonly (readonly string[])[];
}

const APIS: readonly Api[] = [
  {
    tag: 'Subscriptions',
    keyIn: ['header', 'query'],
    commands: [
      ['access', '--product', 'premium', ...READER],
      ['access', '--item', 'https://example.com/a?b=c', ...READER],
      ['access', '--product', 'premium', '--reader-token', 'aaaa.bbbb.cccc', '--domain', 'example.com'],
      ['products', ...READER],
      ['purchases', ...READER],
      ['reader', '--product', 'premium', ...READER],
      ['token', ...READER],
    ],
  },
  {
    tag: 'CDN',
    keyIn: ['header', 'query'],
    commands: [
      ['cdn', 'ping'],
      ['cdn', 'purge', 'https://example.com/news'],
      ['cdn', 'purge', 'https://example.com/news', 'https://example.com/'],
      ['cdn', 'purge', '--key', 'news,front', '--domain', 'example.com'],
      ['cdn', 'purge', '--all', '--domain', 'example.com', '--yes'],
    ],
  },
  {
    tag: 'BDA v1',
    keyIn: ['query'],
    commands: [
      ['bda', 'domains', '--api', 'v1'],
      ['bda', 'columns', '--api', 'v1'],
      ['bda', 'report', 'list'],
      ['bda', 'report', 'show', 'Daily Revenue'],
      [
        'bda',
        'report',
        'run',
        'Devices',
        ...DAYS,
        '--group-by',
        'month',
        '--segment',
        '2',
        '--domain-id',
        '1',
      ],
      [
        'bda',
        'report',
        'run',
        '--id',
        '101',
        '--platform',
        'service',
        '--query-params',
        'exclude',
        '--fragments',
        'include',
      ],
      ['bda', 'report', 'run', 'Devices', ...DAYS, '--platform', 'original', '--revenue-decimals', '3'],
      [
        'bda',
        'report',
        'run',
        '-d',
        'device',
        '-m',
        'visits',
        ...DAYS,
        '--filter',
        'visits>=10',
        '--sort',
        'visits:desc',
        '--platform',
        'all',
      ],
      ['bda', 'report', 'create', '-'],
      ['bda', 'segment', 'list'],
      ['bda', 'segment', 'create', '--name', 'North America', '--country', 'US,CA'],
      ['bda', 'filter', 'list'],
      ['bda', 'multifilter', 'list'],
      ['bda', 'multifilter', 'types'],
    ],
  },
  {
    tag: 'BDA v2',
    keyIn: ['header'],
    commands: [
      ['bda', 'domains'],
      ['bda', 'columns'],
      ['bda', 'data-sets'],
      ['bda', 'date-range'],
      ['bda', 'query', '--data-set', 'pageview', '-d', 'device', '-m', 'visits', ...DAYS],
      [
        ...['bda', 'query', '--data-set', 'pageview', '-d', 'report_day', '-m', 'visits,revenue', ...DAYS],
        ...[
          '--filter',
          'visits>=10',
          '--filter',
          'country=US,CA',
          '--any-of',
          'device=desktop',
          '--sort',
          'visits:desc',
        ],
        ...['--limit', '3', '--offset', '0', '--domain-id', '1001', '--platform', 'service'],
        ...['--query-params', 'exclude', '--fragments', 'include'],
      ],
    ],
  },
];

const CASES = APIS.flatMap(api =>
  api.keyIn.flatMap(keyIn => ['service', 'acme'].map(brand => ({ ...api, keyIn, brand }))),
);

describe.each(CASES)(
  'a validating gateway for $tag, brand $brand, key in $keyIn',
  ({ tag, keyIn, brand, commands }) => {
    const validator = new OpenApiValidator(openApiDocument({ brand }));
    const expected = validator.operations.filter(operation => operation.tags[0] === tag);

    test('accepts every request of gatectl, and gatectl its documented responses', async () => {
      const problems: unknown[] = [];
      const called = new Set<string>();
      const server = await wireServer(request => {
        const violations = validator.requestViolations(request);
        const operation = validator.operationOf(request);
        const misplaced = keyPlace(request) === keyIn ? [] : ['the key is in the wrong place'];
        problems.push(
          ...[...violations, ...misplaced].map(violation => [request.target, request.body, violation]),
        );
        if (operation === undefined) return { status: 404 };
        called.add(operation.operationId);
        return exampleReply(operation);
      });
      try {
        const env = { GATECTL_CONFIG_DIR: temporaryFolder() };
        const settings = ['--key-in', keyIn, '--brand', brand, '--base-url', server.baseUrl];
        const added = await run(['profile', 'add', 'test', ...settings, '--api-key-stdin'], {
          env,
          input: 'some-key\n',
        });
        expect(added.stderr).toContain('test');
        for (const args of commands) {
          const { code, stderr } = await run([...args, '--json'], { env, input: REPORT });
          // An example has the columns of another query.
          if (code !== 0 && !stderr.includes('"rows_incomplete"')) problems.push([args, code, stderr]);
        }
        expect(problems).toEqual([]);
        expect([...called].sort()).toEqual(expected.map(({ operationId }) => operationId).sort());
      } finally {
        await server.close();
      }
    });
  },
);

function keyPlace({ target, headers }: Received): 'header' | 'query' | undefined {
  if (headers['x-api-key'] !== undefined) return 'header';
  return target.includes('developerKey=') ? 'query' : undefined;
}

/** The first example of a success. */
function exampleReply({ responses }: Operation): Reply {
  const success = responses['200'];
  const [example] = Object.values(success?.content['application/json']?.examples ?? {});
  const headers: Record<string, string> =
    success?.headers?.['Cache-Control'] === undefined ? {} : { 'cache-control': 'no-store' };
  return { headers, body: JSON.stringify(example?.value) };
}
