import { parse } from 'lossless-json';
import { describe, expect, test } from 'vitest';
import { FIRST_DAY, LAST_DAY, NOW, openBda } from './calling.ts';

const bda = openBda();

/** Day and visits of all days. */
async function visitsByDay(opened: ReturnType<typeof openBda>): Promise<Map<string, number>> {
  const { json } = await opened.query({
    date_range: { start_date: '2024-01-01', end_date: '2027-12-31' },
    dimensions: ['report_day'],
    metrics: ['visits'],
    limit: 1000,
  });
  return new Map(
    json.rows.map(({ report_day, visits }: { report_day: string; visits: number }) => [report_day, visits]),
  );
}

describe("the sandbox's figures", () => {
  test('cover the 400 days up to the day of the clock', async () => {
    const days = [...(await visitsByDay(bda)).keys()];
    expect(days).toHaveLength(400);
    expect([days.at(0), days.at(-1)]).toEqual([FIRST_DAY, LAST_DAY]);
    expect(Date.parse(LAST_DAY) - Date.parse(FIRST_DAY)).toBe(399 * 86_400_000);
  });

  test('are the same for a seed, and others for another', async () => {
    const figures = await visitsByDay(bda);
    expect(await visitsByDay(openBda())).toEqual(figures);
    expect(await visitsByDay(openBda({ seed: 2 }))).not.toEqual(figures);
  });

  test('accept any number as a seed', async () => {
    for (const seed of [0, -7, 2 ** 40, 3.9]) {
      expect((await visitsByDay(openBda({ seed }))).size).toBe(400);
    }
  });

  test('of a day stay the same when the clock advances, also in a server that is running', async () => {
    let now = NOW;
    const running = openBda({ now: () => now });
    const before = await visitsByDay(running);
    now += 2 * 86_400_000;
    const after = await visitsByDay(running);
    expect([...after.keys()].at(-1)).toBe('2026-03-12');
    expect(after.has(FIRST_DAY)).toBe(false);
    for (const [day, visits] of after) {
      if (day <= LAST_DAY) expect(visits).toBe(before.get(day));
    }
  });

  test('have a weekly rhythm: fewer visits on Saturday and Sunday', async () => {
    const sums = [0, 0, 0, 0, 0, 0, 0];
    for (const [day, visits] of await visitsByDay(bda)) {
      const weekday = new Date(day).getUTCDay();
      sums[weekday] = (sums[weekday] ?? 0) + visits;
    }
    const [sunday = 0, monday = 0, tuesday = 0, , , , saturday = 0] = sums;
    expect(saturday).toBeLessThan(tuesday * 0.7);
    expect(sunday).toBeLessThan(tuesday * 0.8);
    expect(monday).toBeGreaterThan(tuesday);
  });

  test('keep the larger site first, and every country, device and gender filled', async () => {
    const sites = await bda.query({ dimensions: ['site'], metrics: ['visits'] });
    expect(sites.json.rows.map(({ site }: { site: string }) => site)).toEqual(['example.com', 'example.org']);
    expect(sites.json.rows[0].visits).toBeGreaterThan(sites.json.rows[1].visits);
    for (const [dimension, members] of [
      ['country', 20],
      ['device', 3],
      ['gender', 3],
      ['traffic_source', 5],
    ] as const) {
      const { json } = await bda.query({ dimensions: [dimension], metrics: ['visits'] });
      expect(json.total_rows, dimension).toBe(members);
      expect(
        json.rows.every(({ visits }: { visits: number }) => visits > 0),
        dimension,
      ).toBe(true);
    }
  });

  test('have awkward pages: queries, fragments, upper case, quotes, commas, emoji, blanks, very long ones', async () => {
    const { json } = await bda.query({
      dimensions: ['page_url', 'page_title', 'author'],
      metrics: ['visits'],
      limit: 500,
    });
    const urls: string[] = json.rows.map((row: { page_url: string }) => row.page_url);
    for (const part of [
      '?utm_source=',
      '#comments',
      '/News/Top',
      '"',
      ',',
      "'",
      '🚀',
      '日本',
      ' ',
      '\\',
      '%25',
    ]) {
      expect(
        urls.some(url => url.includes(part)),
        part,
      ).toBe(true);
    }
    expect(Math.max(...urls.map(url => url.length))).toBeGreaterThan(1500);
    const titles: string[] = json.rows.map((row: { page_title: string }) => row.page_title);
    for (const part of ['\n', '\t', '\u001b', '\u202e', '=SUM(']) {
      expect(
        titles.some(title => title.includes(part)),
        JSON.stringify(part),
      ).toBe(true);
    }
    expect(json.rows.some((row: { author: string | null }) => row.author === null)).toBe(true);
  });

  test('add up revenue to more digits than a double keeps', async () => {
    const days = await bda.query({ dimensions: ['report_day'], metrics: ['revenue'], limit: 1000 });
    const total = await bda.query({ metrics: ['revenue'] });
    const units = (text: string) => {
      const [whole = '', fraction = ''] = text.split('.');
      return BigInt(whole + fraction.padEnd(13, '0'));
    };
    const read = (text: string) => parse(text) as { rows: { revenue: { value: string } }[] };
    const sum = read(days.text).rows.reduce((before, { revenue }) => before + units(revenue.value), 0n);
    const text = read(total.text).rows[0]?.revenue.value ?? '';
    expect(units(text)).toBe(sum);
    expect(text.replace('.', '').length).toBeGreaterThanOrEqual(17);
    expect(String(Number(text))).not.toBe(text);
  });
});
