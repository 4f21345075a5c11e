import { describe, expect, test } from 'vitest';
import { openBda } from '../calling.ts';

const bda = openBda();
const MARCH = { start_date: '2026-03-01', end_date: '2026-03-09' };

type Row = Record<string, string | number | null>;

async function rowsOf(fields: Record<string, unknown>): Promise<Row[]> {
  const { status, text, json } = await bda.query({ date_range: MARCH, limit: 100_000, ...fields });
  expect(status, text).toBe(200);
  return json.rows;
}

/** Every combination that these tests group by, as a reference to add up from. */
const reference = rowsOf({
  dimensions: ['report_day', 'country', 'device', 'page_url'],
  metrics: ['visits', 'pageviews'],
});

/** Visits by a key, added up here rather than by the database. */
async function added(key: (row: Row) => string, keep: (row: Row) => boolean = () => true) {
  const sums = new Map<string, number>();
  for (const row of await reference) {
    if (keep(row)) sums.set(key(row), (sums.get(key(row)) ?? 0) + Number(row.visits));
  }
  return Object.fromEntries(sums);
}

async function visitsBy(dimension: string, fields: Record<string, unknown> = {}) {
  const rows = await rowsOf({ dimensions: [dimension], metrics: ['visits'], ...fields });
  return Object.fromEntries(rows.map(row => [row[dimension], row.visits]));
}

describe('a query', () => {
  test('groups by its dimensions and adds up its metrics', async () => {
    expect(await visitsBy('country')).toEqual(await added(row => String(row.country)));
  });

  test('without dimensions returns one row of totals, and none without data', async () => {
    const [total, ...more] = await rowsOf({ metrics: ['visits'] });
    expect(more).toEqual([]);
    expect(total?.visits).toBe((await added(() => 'all')).all);
    const longAgo = { start_date: '2001-01-01', end_date: '2001-12-31' };
    const empty = await bda.query({ date_range: longAgo, metrics: ['visits', 'bounce_rate'] });
    expect(empty.json).toEqual({ rows: [], total_rows: 0 });
  });

  test('without metrics lists what its dimensions hold', async () => {
    expect(await rowsOf({ dimensions: ['device'] })).toEqual([
      { device: 'desktop' },
      { device: 'mobile' },
      { device: 'tablet' },
    ]);
  });

  test('returns columns in the requested order, dimensions first', async () => {
    const [row = {}] = await rowsOf({
      dimensions: ['device', 'report_day'],
      metrics: ['revenue', 'visits'],
      limit: 1,
    });
    expect(Object.keys(row)).toEqual(['device', 'report_day', 'revenue', 'visits']);
  });

  test('groups weeks from their Monday and months by their name', async () => {
    const weeks = await added(row => (String(row.report_day) < '2026-03-02' ? '2026-02-23' : '2026-03-02'));
    weeks['2026-03-09'] = (
      await added(
        () => 'day',
        row => row.report_day === '2026-03-09',
      )
    ).day as number;
    weeks['2026-03-02'] = (weeks['2026-03-02'] as number) - weeks['2026-03-09'];
    expect(await visitsBy('report_week')).toEqual(weeks);
    expect(Object.keys(await visitsBy('report_month'))).toEqual(['2026-03']);
  });

  test('computes quotients from the sums of what they divide, not from averages', async () => {
    const [row] = await rowsOf({
      metrics: [
        'visits',
        'pageviews',
        'engaged_page_pageviews',
        'engaged_pageviews_per_visit',
        'revenue',
        'epmv',
        'bounce_rate',
        'copy_paste_per_pageview',
      ],
    });
    const value = (name: string) => Number(row?.[name]);
    expect(value('engaged_pageviews_per_visit')).toBeCloseTo(
      value('engaged_page_pageviews') / value('visits'),
      12,
    );
    expect(value('epmv')).toBeCloseTo((value('revenue') / value('visits')) * 1000, 9);
    expect(value('bounce_rate')).toBeGreaterThan(0.1);
    expect(value('bounce_rate')).toBeLessThan(0.9);
    expect(value('copy_paste_per_pageview')).toBeGreaterThan(0);
  });

  test('leaves a quotient empty if the divisor is zero', async () => {
    const rows = await rowsOf({
      dimensions: ['report_day', 'page_url', 'country', 'device'],
      metrics: ['visits', 'bounce_rate'],
      date_range: { start_date: '2025-02-04', end_date: '2026-03-10' },
      filters: [{ column: 'visits', operator: 'equals', value: 0 }],
    });
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(row => row.bounce_rate === null)).toBe(true);
  });
});

describe('filters', () => {
  const country = (row: Row) => String(row.country);
  test.each([
    ['greater_than', 'NL', (text: string) => text > 'NL'],
    ['greater_than_or_equal', 'NL', (text: string) => text >= 'NL'],
    ['less_than', 'NL', (text: string) => text < 'NL'],
    ['less_than_or_equal', 'NL', (text: string) => text <= 'NL'],
    ['equals', 'NL', (text: string) => text === 'NL'],
    ['not_equals', 'NL', (text: string) => text !== 'NL'],
    ['contains', 'E', (text: string) => text.includes('E')],
  ])('%s compares text', async (operator, value, keep) => {
    const filters = [{ column: 'country', operator, value }];
    expect(await visitsBy('country', { filters })).toEqual(await added(country, row => keep(country(row))));
  });

  test('in accepts a list of values', async () => {
    const filters = [{ column: 'country', operator: 'in', values: ['US', 'CA', "x'); DROP TABLE fact; --"] }];
    expect(await visitsBy('country', { filters })).toEqual(
      await added(country, row => ['US', 'CA'].includes(country(row))),
    );
  });

  test('all of them must match', async () => {
    const filters = [
      { column: 'device', operator: 'equals', value: 'desktop' },
      { column: 'report_day', operator: 'greater_than', value: '2026-03-05' },
    ];
    expect(await visitsBy('country', { filters })).toEqual(
      await added(country, row => row.device === 'desktop' && String(row.report_day) > '2026-03-05'),
    );
  });

  test('of an any_of group one is enough', async () => {
    const any_of = [
      { column: 'device', operator: 'equals', value: 'tablet' },
      { column: 'country', operator: 'in', values: ['DE'] },
    ];
    expect(await visitsBy('country', { filters: [{ any_of }] })).toEqual(
      await added(country, row => row.device === 'tablet' || row.country === 'DE'),
    );
  });

  test('on a metric apply to the grouped row, also where the metric is not requested', async () => {
    const all = await visitsBy('country');
    const limit = 1500;
    const large = Object.fromEntries(Object.entries(all).filter(([, visits]) => Number(visits) >= limit));
    const filters = [{ column: 'visits', operator: 'greater_than_or_equal', value: limit }];
    expect(Object.keys(large).length).toBeGreaterThan(0);
    expect(Object.keys(large).length).toBeLessThan(Object.keys(all).length);
    expect(await visitsBy('country', { filters })).toEqual(large);
    const named = await rowsOf({ dimensions: ['country'], filters });
    expect(named.map(row => row.country)).toEqual(Object.keys(large).sort());
  });

  test('may mix metrics and grouped dimensions in an any_of group', async () => {
    const all = await visitsBy('country');
    const any_of = [
      { column: 'visits', operator: 'greater_than', value: 3000 },
      { column: 'country', operator: 'equals', value: 'CH' },
    ];
    const expected = Object.entries(all).filter(([name, visits]) => Number(visits) > 3000 || name === 'CH');
    expect(await visitsBy('country', { filters: [{ any_of }] })).toEqual(Object.fromEntries(expected));
  });

  test('compare revenue to the last digit', async () => {
    const { text } = await bda.query({ date_range: MARCH, dimensions: ['country'], metrics: ['revenue'] });
    const exact = /"revenue":([\d.]+)/.exec(text)?.[1] ?? '';
    const asked = (value: string) =>
      bda.v2(
        'POST',
        '/query',
        `{"data_set":"pageview","date_range":${JSON.stringify(MARCH)},"dimensions":["country"],
          "filters":[{"column":"revenue","operator":"equals","value":${value}}]}`,
      );
    expect((await asked(exact)).json.total_rows).toBe(1);
    expect((await asked(`${exact}1`)).json.total_rows).toBe(0);
  });

  test('take percent signs, underscores and quotes literally', async () => {
    const urls = async (value: string) =>
      (
        await rowsOf({
          dimensions: ['page_url'],
          filters: [{ column: 'page_url', operator: 'contains', value }],
        })
      ).map(row => String(row.page_url));
    expect(await urls('%')).toEqual(
      (await rowsOf({ dimensions: ['page_url'] }))
        .map(row => String(row.page_url))
        .filter(url => url.includes('%')),
    );
    expect((await urls('l_s')).every(url => url.includes('l_s'))).toBe(true);
    expect((await urls("it's")).length).toBe(2);
    expect((await urls('"grandmas"')).length).toBe(2);
    expect(await urls("' OR 1=1 --")).toEqual([]);
  });

  test('never match an empty cell', async () => {
    const filters = [{ column: 'author', operator: 'not_equals', value: 'Ada Marsh' }];
    const authors = (await rowsOf({ dimensions: ['author'], filters })).map(row => row.author);
    expect(authors).not.toContain(null);
    expect(authors).toContain('Bo Lind');
    expect((await rowsOf({ dimensions: ['author'] })).map(row => row.author)).toContain(null);
  });
});

describe('sort, limit and offset', () => {
  test('sort by several columns, up and down', async () => {
    const rows = await rowsOf({
      dimensions: ['device', 'country'],
      metrics: ['visits'],
      sort: [
        { column: 'device', direction: 'desc' },
        { column: 'visits', direction: 'asc' },
      ],
    });
    const sorted = [...rows].sort(
      (a, b) => String(b.device).localeCompare(String(a.device)) || Number(a.visits) - Number(b.visits),
    );
    expect(rows.map(row => [row.device, row.visits])).toEqual(sorted.map(row => [row.device, row.visits]));
  });

  test('return 100 rows without a limit, and always count them all', async () => {
    const { json } = await bda.query({ dimensions: ['report_day', 'country'], metrics: ['visits'] });
    expect(json.rows).toHaveLength(100);
    expect(json.total_rows).toBeGreaterThan(5000);
    const past = await bda.query({ dimensions: ['report_day', 'country'], offset: 1_000_000 });
    expect(past.json).toEqual({ rows: [], total_rows: json.total_rows });
  });

  test('2,500 rows by pages equal one page of 2,500, though the sort ties', async () => {
    const fields = {
      dimensions: ['page_url', 'country', 'report_day'],
      metrics: ['visits', 'revenue'],
      sort: [{ column: 'visits', direction: 'desc' }],
      date_range: { start_date: '2026-01-01', end_date: '2026-03-09' },
    };
    const whole = await rowsOf({ ...fields, limit: 2500 });
    expect(whole).toHaveLength(2500);
    const pages: Row[] = [];
    for (let offset = 0; offset < 2500; offset += 400) {
      pages.push(...(await rowsOf({ ...fields, offset, limit: Math.min(400, 2500 - offset) })));
    }
    expect(pages).toEqual(whole);
  });
});

describe('sites, platforms and addresses', () => {
  test('domain_id keeps one site', async () => {
    const all = await visitsBy('site');
    expect(await visitsBy('site', { domain_id: 1002 })).toEqual({ 'example.org': all['example.org'] });
  });

  test('platform keeps one way of serving; both make up all', async () => {
    const visits = async (platform: string) =>
      Number((await rowsOf({ metrics: ['visits'], platform }))[0]?.visits);
    const all = await visits('all');
    expect((await visits('service')) + (await visits('original'))).toBe(all);
    expect(await visits('original')).toBeLessThan(all / 2);
    expect(Number((await rowsOf({ metrics: ['visits'] }))[0]?.visits)).toBe(all);
  });

  test('the platform is named with the brand word', async () => {
    const { brandNames } = await import('../../../../src/wire/brand.ts');
    const branded = openBda({ brand: brandNames('acme') });
    expect((await branded.query({ metrics: ['visits'], platform: 'acme' })).status).toBe(200);
    expect((await branded.query({ metrics: ['visits'], platform: 'service' })).json.error.details).toEqual([
      { field: 'platform', message: 'must be one of acme, original, all' },
    ]);
  });

  test.each([
    ['query_params', { query_params: 'exclude' }, (url: string) => url.replace(/\?[^#]*/, '')],
    ['fragments', { fragments: 'exclude' }, (url: string) => url.replace(/#.*/, '')],
    ['case_normalization', { case_normalization: 'lower' }, (url: string) => url.toLowerCase()],
    [
      'all three',
      { query_params: 'exclude', fragments: 'exclude', case_normalization: 'lower' },
      (url: string) => url.replace(/[?#].*/, '').toLowerCase(),
    ],
    [
      'none',
      { query_params: 'include', fragments: 'include', case_normalization: 'none' },
      (url: string) => url,
    ],
  ])('url_options merge pages: %s', async (_, url_options, merged) => {
    expect(await visitsBy('page_url', { url_options })).toEqual(
      await added(row => merged(String(row.page_url))),
    );
  });
});

describe('the visit data set', () => {
  test('has the same visits without the pages', async () => {
    const [visits] = await rowsOf({ data_set: 'visit', metrics: ['visits'] });
    expect(visits?.visits).toBe((await added(() => 'all')).all);
    const refused = await bda.query({ data_set: 'visit', dimensions: ['page_url'], metrics: ['visits'] });
    expect(refused.json.error.details).toEqual([
      {
        field: 'dimensions[0]',
        message: "column 'page_url' is not in data set 'visit', but in pageview, bulk",
      },
    ]);
  });
});
