import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import type { Received } from '../../support/wire-server.ts';
import { analytics, BASE, rowsReply, sent } from './analytics.ts';

const LISTING = '[{"id":7,"domain":"example.com"},{"id":12,"domain":"news.example.com"}]';

function server() {
  return analytics(({ target }) =>
    /domains/.test(target) ? { body: LISTING } : rowsReply(['{"visits":1}'], 1),
  );
}

const QUERY = [...BASE, '-m', 'visits', '--csv'];

test.each(['news.example.com', 'https://www.News.example.com/today', 'NEWS.EXAMPLE.COM'])(
  '--domain %s is sent as the number of the site',
  async name => {
    const {
      server: { received },
      gatectl,
    } = await server();
    expect((await gatectl([...QUERY, '--domain', name])).code).toBe(0);
    expect(JSON.parse(received.at(-1)?.body ?? '').domain_id).toBe(12);
  },
);

test('the listing of domains is requested once, then read from the cache', async () => {
  const { server: wire, gatectl } = await server();
  const env = { XDG_CACHE_HOME: temporaryFolder() };
  await gatectl([...QUERY, '--domain', 'example.com'], { env });
  await gatectl([...QUERY, '--domain', 'example.com'], { env });
  expect(wire.received.map(({ target }) => target.replace(/^.*\//, ''))).toEqual([
    'domains',
    'query',
    'query',
  ]);
  expect(sent(wire, 2).domain_id).toBe(7);
});

test('report run sends the number as v1 has it', async () => {
  const { server: wire, gatectl } = await server();
  const args = [
    'bda',
    'report',
    'run',
    '-m',
    'visits',
    '--from',
    '2026-02-01',
    '--to',
    '2026-02-02',
    '--csv',
  ];
  await gatectl([...args, '--domain', 'example.com']);
  expect(JSON.parse(wire.received.at(-1)?.body ?? '').DomainId).toBe(7);
});

test('an unknown name gets the names that are close', async () => {
  const { gatectl } = await server();
  expect(await gatectl([...QUERY, '--domain', 'exampel.com'])).toMatchObject({
    code: 2,
    stderr:
      'error: the account has no site exampel.com\n  did you mean example.com?\n  gatectl bda domains lists the sites\n',
  });
});

test('--domain and --domain-id cannot be combined, and --print looks nothing up', async () => {
  const { server: wire, gatectl } = await server();
  const both = await gatectl([...QUERY, '--domain', 'example.com', '--domain-id', '7']);
  const print = await gatectl([...QUERY, '--domain', 'example.com', '--print']);
  expect([both.code, print.code, wire.received.length]).toEqual([2, 2, 0]);
  expect(print.stderr).toContain('run gatectl bda domains to cache the ids, or pass --domain-id N');
});

describe('several domains', () => {
  /** Each site has so many rows, by number. */
  function sites(
    rows: Readonly<Record<number, number>>,
    envelope = true,
    isFailing: (request: Received) => boolean = () => false,
  ) {
    return analytics(request => {
      const { target, body } = request;
      if (/domains/.test(target)) return { body: LISTING };
      if (body === '') return { body: '{}' };
      if (isFailing(request)) return { status: 503, body: '' };
      const {
        domain_id,
        DomainId,
        limit,
        offset = 0,
        MaxItems = limit,
        StartItem = offset,
      } = JSON.parse(body);
      const id = (domain_id ?? DomainId) as number;
      const all = Array.from(
        { length: rows[id] ?? 0 },
        (_, i) => `{"country":"C${i}","visits":${id}${i}.50}`,
      );
      const page = all.slice(StartItem, StartItem + (MaxItems ?? 100));
      return envelope ? rowsReply(page, all.length) : { body: `[${page}]` };
    });
  }
  const ASKED = [...BASE, '-d', 'country', '-m', 'visits'];
  const BOTH = ['--domain', 'https://www.example.com/,news.example.com', '--domain', 'example.com'];
  const NOTE = 'note: using the domain example.com of https://www.example.com/\n';

  test('have a request each, and the domain is the first column in every format', async () => {
    const { server: wire, gatectl } = await sites({ 7: 2, 12: 1 });
    const csv = await gatectl([...ASKED, ...BOTH, '--csv', '--page-size', '1']);
    expect(csv).toEqual({
      code: 0,
      stdout:
        'domain,country,visits\nexample.com,C0,70.50\nexample.com,C1,71.50\nnews.example.com,C0,120.50\n',
      stderr: NOTE,
    });
    const asked = wire.received.slice(1).map(({ body }) => JSON.parse(body).domain_id);
    expect(asked).toEqual([7, 7, 12]);
    const ndjson = await gatectl([...ASKED, ...BOTH, '-o', 'ndjson']);
    expect(ndjson.stdout.split('\n')[0]).toBe('{"domain":"example.com","country":"C0","visits":70.50}');
    const out = join(temporaryFolder(), 'rows.tsv');
    await gatectl([...ASKED, ...BOTH, '--out', out]);
    expect(readFileSync(out, 'utf8').split('\n')[3]).toBe('news.example.com\tC0\t120.50');
  });

  test('have --limit rows each, and a table shows the first 100 of each', async () => {
    const { gatectl } = await sites({ 7: 150, 12: 3 });
    const limited = await gatectl([...ASKED, ...BOTH, '--csv', '--limit', '2']);
    expect(limited.stdout.match(/^[a-z.]+,/gm)).toEqual([
      'domain,',
      'example.com,',
      'example.com,',
      'news.example.com,',
      'news.example.com,',
    ]);
    expect(limited.stderr).toBe(
      `${NOTE}note: sorted by visits, the largest first; --sort COLUMN sets another order\nnote: example.com: 2 of 150 rows; --all shows all\nnote: news.example.com: 2 of 3 rows; --all shows all\n`,
    );
    const table = await gatectl([...ASKED, ...BOTH]);
    expect(table.stdout.match(/^example\.com /gm)?.length).toBe(100);
    expect(table.stdout.match(/^news\.example\.com /gm)?.length).toBe(3);
    expect(table.stderr).toBe(`${NOTE}warning: example.com: 100 of 150 rows; --all shows all\n`);
    expect((await gatectl([...ASKED, ...BOTH, '--strict'])).code).toBe(7);
  });

  test('are compared each with its own earlier days', async () => {
    const { gatectl } = await sites({ 7: 1, 12: 1 });
    const { stdout } = await gatectl([...ASKED, ...BOTH, '--compare', 'previous', '--csv']);
    expect(stdout.split('\n').map(line => line.split(',').slice(0, 4).join())).toEqual([
      'domain,country,visits,visits_before',
      'example.com,C0,70.50,70.50',
      'news.example.com,C0,120.50,120.50',
      '',
    ]);
  });

  test('work for saved reports, which have no totals', async () => {
    const { gatectl } = await sites({ 7: 2, 12: 1 }, false);
    const days = ['--from', '2026-02-01', '--to', '2026-02-02'];
    const { code, stdout } = await gatectl(['bda', 'report', 'run', 'Countries', ...days, ...BOTH, '--csv']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        'domain,country,visits\nexample.com,C0,70.50\nexample.com,C1,71.50\nnews.example.com,C0,120.50\n',
    });
  });

  test('--curl prints a command for each', async () => {
    const { gatectl } = await sites({ 7: 2, 12: 1 });
    const env = { XDG_CACHE_HOME: temporaryFolder() };
    await gatectl(['bda', 'domains'], { env });
    const { code, stdout } = await gatectl([...ASKED, ...BOTH, '--csv', '--curl'], { env });
    expect({ code, ids: stdout.match(/"domain_id":\d+/g) }).toEqual({
      code: 0,
      ids: ['"domain_id":7', '"domain_id":12'],
    });
  });

  test.each([
    ['csv', 'bda query'],
    ['parquet', 'bda query'],
    ['xlsx', 'bda query'],
    ['ndjson', 'bda report run'],
  ])('in a %s file of %s resume at the page where they were interrupted', async (format, command) => {
    const isQuery = command === 'bda query';
    const rows = { 7: 5, 12: 4 };
    const days = ['--from', '2026-02-01', '--to', '2026-02-02', '-d', 'country', '-m', 'visits'];
    const asked = [...command.split(' '), ...(isQuery ? ['--data-set', 'pageview'] : []), ...days];
    const flags = (out: string) => [
      ...asked,
      ...BOTH,
      '--page-size',
      '2',
      '--concurrency',
      '1',
      '--out',
      out,
    ];
    const env = { XDG_CACHE_HOME: temporaryFolder() };
    const folder = temporaryFolder();

    const whole = await sites(rows, isQuery);
    const expected = join(folder, `whole.${format}`);
    expect((await whole.gatectl(flags(expected), { env })).code).toBe(0);
    const pages = whole.server.received.filter(({ method }) => method === 'POST').length;

    // The requests up to the second page of the second site succeed; then the gateway fails.
    const out = join(folder, `rows.${format}`);
    let isDown = true;
    let served = 0;
    const { gatectl } = await sites(rows, isQuery, () => {
      served += 1;
      // v1 ends the first site with an empty page.
      return isDown && served === (isQuery ? 5 : 6);
    });
    const broken = await gatectl([...flags(out), '--retries', '0'], { env });
    expect(broken.code).not.toBe(0);
    expect(broken.stderr).toContain(
      `warning: 7 rows are kept in ${out}.part; to resume, run: gatectl ${command} `,
    );
    expect(existsSync(out)).toBe(false);
    isDown = false;
    served = 0;
    const resumed = await gatectl([...flags(out), '--resume'], { env });
    expect(resumed.stderr).toContain('note: resuming at row 8\nnote: 9 rows in ');
    expect({ code: resumed.code, served }).toEqual({ code: 0, served: pages - (isQuery ? 4 : 5) });
    expect(readFileSync(out)).toEqual(readFileSync(expected));
  });

  test('of another export are not resumed', async () => {
    const { gatectl } = await sites({ 7: 5, 12: 4 }, true, request => /"offset":2/.test(request.body));
    const out = join(temporaryFolder(), 'rows.csv');
    const rest = ['--page-size', '2', '--concurrency', '1', '--retries', '0', '--out', out];
    await gatectl([...ASKED, '--domain', 'example.com,news.example.com', ...rest]);
    const other = await gatectl([...ASKED, '--domain', 'news.example.com,example.com', ...rest]);
    expect(other.code).toBe(2);
    expect(other.stderr).toContain(
      `error: cannot resume ${out}: domains has changed since the export began\n  domains: then ["example.com","news.example.com"], now ["news.example.com","example.com"]\n`,
    );
  });

  test('in a file warn about rows with the name of their site, and so does the manifest', async () => {
    const { gatectl } = await analytics(({ target, body }) => {
      if (/domains/.test(target)) return { body: LISTING };
      if (body === '') return { status: 404, body: '{}' };
      const total = JSON.parse(body).domain_id === 12 ? 5 : 1;
      return JSON.parse(body).offset === 0
        ? rowsReply(['{"country":"C","visits":1}'], total)
        : rowsReply([], total);
    });
    const out = join(temporaryFolder(), 'rows.csv');
    const { code, stderr } = await gatectl([...ASKED, ...BOTH, '--out', out, '--manifest', '--strict']);
    const flaw = 'news.example.com: received 1 row, expected 5';
    expect(stderr).toContain(`warning: ${flaw}\n`);
    expect(code).toBe(7);
    expect(JSON.parse(readFileSync(`${out}.meta.json`, 'utf8'))).toMatchObject({ rows: 2, flaws: [flaw] });
  });

  test.each([[['-d', 'domain'], 'the rows have a column domain already']])(
    '%j is rejected before rows are requested',
    async (flags, message) => {
      const { server: wire, gatectl } = await sites({});
      const { code, stderr } = await gatectl([...ASKED, ...BOTH, '--csv', ...flags]);
      expect({ code, queries: wire.received.filter(({ target }) => /query/.test(target)).length }).toEqual({
        code: 2,
        queries: 0,
      });
      expect(stderr).toContain(`error: ${message}\n`);
    },
  );
});
