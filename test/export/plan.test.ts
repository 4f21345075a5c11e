import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  afterPage,
  expectedRows,
  likelyPages,
  NO_PROGRESS,
  nextPage,
  type Page,
  type Plan,
} from '../../src/export/plan.ts';

interface Server {
  /** Rows that match. */
  readonly rows: number;
  /** Pages are never longer than this. */
  readonly cap: number;
  readonly tellsTotal: boolean;
}

/** Asks page after page, and gives what was asked and the rows that came, by their index. */
function walk(plan: Plan, server: Server) {
  const asked: Page[] = [];
  const came: number[] = [];
  let reached = NO_PROGRESS;
  for (let page = nextPage(plan, reached); page !== undefined; page = nextPage(plan, reached)) {
    asked.push(page);
    const { offset } = page;
    const count = Math.max(0, Math.min(page.limit, server.cap, server.rows - offset));
    for (let row = offset; row < offset + count; row += 1) came.push(row);
    const [likely] = likelyPages(plan, reached, page, 1);
    const isTotalKnown = reached.total !== undefined;
    reached = afterPage(reached, count, server.tellsTotal ? server.rows : undefined);
    if (isTotalKnown && likely?.offset === offset + count) expect(nextPage(plan, reached)).toEqual(likely);
    if (asked.length > 2000) throw new Error('the walk does not end');
  }
  return { asked, came, reached };
}

const rowsFrom = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);

const plans = fc.record({ start: fc.nat(300), pageSize: fc.integer({ min: 1, max: 60 }) });

describe('the pages of an export', () => {
  test('include every row once and in order, even from a server that shortens pages', () => {
    const servers = fc.record({
      rows: fc.nat(700),
      cap: fc.integer({ min: 1, max: 80 }),
      tellsTotal: fc.constant(true),
    });
    fc.assert(
      fc.property(plans, servers, (plan, server) => {
        const { came, reached } = walk(plan, server);
        expect(came).toEqual(rowsFrom(plan.start, server.rows));
        expect(reached.rows).toBe(came.length);
        expect(expectedRows(plan, server.rows)).toBe(came.length);
      }),
    );
  });

  test('include every row from a server that sends no total', () => {
    fc.assert(
      fc.property(plans, fc.nat(700), (plan, rows) => {
        expect(walk(plan, { rows, cap: 1000, tellsTotal: false }).came).toEqual(rowsFrom(plan.start, rows));
      }),
    );
  });

  test('are as few as they can be', () => {
    fc.assert(
      fc.property(plans, fc.nat(700), (plan, rows) => {
        const { asked } = walk(plan, { rows, cap: 1000, tellsTotal: true });
        expect(asked.length).toBe(Math.max(1, Math.ceil(Math.max(0, rows - plan.start) / plan.pageSize)));
      }),
    );
  });

  test('end after the rows that are wanted', () => {
    fc.assert(
      fc.property(plans, fc.integer({ min: 1, max: 200 }), fc.nat(700), (plan, rowLimit, rows) => {
        const capped = { ...plan, rowLimit };
        const { came, asked } = walk(capped, { rows, cap: 1000, tellsTotal: true });
        expect(came).toEqual(rowsFrom(plan.start, Math.min(rows, plan.start + rowLimit)));
        expect(came.length).toBe(expectedRows(capped, rows));
        expect(asked.every(page => page.limit <= rowLimit)).toBe(true);
      }),
    );
  });

  test('are one if only one is requested', () => {
    const plan = { start: 5, pageSize: 100, single: true };
    expect(walk(plan, { rows: 1000, cap: 1000, tellsTotal: true }).asked).toEqual([
      { offset: 5, limit: 100 },
    ]);
    expect(expectedRows(plan, 1000)).toBe(100);
    expect(expectedRows(plan, 50)).toBe(45);
    expect(expectedRows(plan, 3)).toBe(0);
    expect(expectedRows(plan, undefined)).toBeUndefined();
  });

  test('end when a page is empty although the total says there is more', () => {
    const reached = afterPage(afterPage(NO_PROGRESS, 10, 30), 0, 30);
    expect(nextPage({ start: 0, pageSize: 10 }, reached)).toBeUndefined();
  });

  test('include every row from a server whose total is always too low', () => {
    fc.assert(
      fc.property(plans, fc.nat(700), fc.nat(100), (plan, rows, percent) => {
        const total = Math.floor((rows * percent) / 100);
        let reached = NO_PROGRESS;
        for (let page = nextPage(plan, reached); page !== undefined; page = nextPage(plan, reached))
          reached = afterPage(reached, Math.max(0, Math.min(page.limit, rows - page.offset)), total);
        const isEnd = plan.start + reached.rows === total;
        expect(isEnd || reached.rows === Math.max(0, rows - plan.start)).toBe(true);
      }),
    );
  });

  test('are expected one after the other, up to the total', () => {
    const plan = { start: 0, pageSize: 10 };
    const reached = afterPage(NO_PROGRESS, 10, 35);
    const current = { offset: 10, limit: 10 };
    expect(likelyPages(plan, reached, current, 1)).toEqual([{ offset: 20, limit: 10 }]);
    expect(likelyPages(plan, reached, current, 9).map(({ offset }) => offset)).toEqual([20, 30]);
    expect(likelyPages(plan, reached, current, 0)).toEqual([]);
  });

  test('are expected as short as the server cut the page before', () => {
    const plan = { start: 0, pageSize: 1000 };
    const reached = afterPage(NO_PROGRESS, 500, 2100);
    expect(likelyPages(plan, reached, { offset: 500, limit: 1000 }, 9)).toEqual([
      { offset: 1000, limit: 1000 },
      { offset: 1500, limit: 1000 },
      { offset: 2000, limit: 1000 },
    ]);
  });

  test('are unlimited if no total is known, and no more than requested', () => {
    const reached = afterPage(NO_PROGRESS, 10, undefined);
    const current = { offset: 10, limit: 10 };
    expect(likelyPages({ start: 0, pageSize: 10 }, reached, current, 3).length).toBe(3);
    expect(likelyPages({ start: 0, pageSize: 10, rowLimit: 35 }, reached, current, 9)).toEqual([
      { offset: 20, limit: 10 },
      { offset: 30, limit: 5 },
    ]);
  });
});
