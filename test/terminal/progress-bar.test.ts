import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ProgressState, progressLine, progressNote } from '../../src/terminal/progress-bar.ts';
import { displayWidth } from '../../src/terminal/width.ts';

const HALFWAY: ProgressState = {
  done: 5000,
  total: 10_000,
  failed: 12,
  startedAt: 1000,
  now: 51_000,
  unit: 'readers',
  bytes: { written: 12_345_678, received: 3_456_789 },
};

describe('a progress line', () => {
  test('shows a bar, what is done, failures, time left, rate and bytes', () => {
    expect(progressLine(HALFWAY, 130, true)).toBe(
      '███████████████░░░░░░░░░░░░░░░  5,000/10,000 readers  12 failed  50s left  100/s  3.5 MB received, 12.3 MB written',
    );
  });

  test('is plain ASCII on a terminal without UTF-8', () => {
    expect(progressLine(HALFWAY, 130, false)).toBe(
      '[##############--------------]  5,000/10,000 readers  12 failed  50s left  100/s  3.5 MB received, 12.3 MB written',
    );
  });

  test('on 40 columns keeps what matters most', () => {
    expect(progressLine(HALFWAY, 40, true)).toBe('5,000/10,000 readers  12 failed  100/s');
    expect(progressLine({ ...HALFWAY, failed: 0 }, 40, true)).toBe('5,000/10,000 readers  50s left  100/s');
    expect(progressLine({ ...HALFWAY, done: 500, total: 1000, failed: 0, unit: 'URLs' }, 70, true)).toBe(
      '500/1,000 URLs  50s left  10/s  3.5 MB received, 12.3 MB written',
    );
  });

  test('says what else is known, before the rate', () => {
    const state = {
      ...HALFWAY,
      failed: 0,
      bytes: undefined,
      unit: 'partitions',
      detail: 'pages: 1,200 rows',
    };
    expect(progressLine(state, 60, true)).toBe('5,000/10,000 partitions  50s left  pages: 1,200 rows  100/s');
    expect(progressNote(state)).toBe('5,000/10,000 partitions, 100/s, 50s left, pages: 1,200 rows');
  });

  test('is never wider than the terminal', () => {
    const state = fc.record({
      done: fc.nat(1e9),
      total: fc.option(fc.nat(1e9), { nil: undefined }),
      failed: fc.nat(1e6),
      startedAt: fc.constant(0),
      now: fc.nat(1e9),
      unit: fc.constantFrom('URLs', 'readers', 'rows'),
      bytes: fc.option(fc.record({ written: fc.nat(), received: fc.nat() }), { nil: undefined }),
    });
    fc.assert(
      fc.property(state, fc.integer({ min: 1, max: 200 }), fc.boolean(), (value, width, unicode) => {
        const line = progressLine(value, width, unicode);
        expect(displayWidth(line)).toBeLessThanOrEqual(width);
        expect(line).not.toMatch(/NaN|Infinity|undefined/);
        if (!unicode) expect(line).toMatch(/^[\x20-\x7e]*$/);
      }),
    );
  });

  test('of unknown length has no bar and no time left', () => {
    expect(progressLine({ ...HALFWAY, total: undefined, failed: 0, unit: 'rows' }, 80, true)).toBe(
      '5,000 rows  100/s  3.5 MB received, 12.3 MB written',
    );
  });

  test('counts what an earlier run did as done, and not in the rate', () => {
    expect(progressNote({ ...HALFWAY, earlier: 4000, failed: 0 })).toBe(
      '5,000/10,000 readers, 20/s, 4m10s left, 3.5 MB received, 12.3 MB written',
    );
  });

  test('gives no rate before there is one to give', () => {
    expect(progressNote({ done: 0, total: 3, failed: 0, startedAt: 0, now: 60_000, unit: 'URLs' })).toBe(
      '0/3 URLs',
    );
    expect(progressNote({ ...HALFWAY, earlier: 5000, failed: 0 })).toBe(
      '5,000/10,000 readers, 3.5 MB received, 12.3 MB written',
    );
    expect(progressNote({ done: 1, total: 3, failed: 0, startedAt: 0, now: 100, unit: 'URLs' })).toBe(
      '1/3 URLs',
    );
  });

  test('estimates no time before a hundredth is done, or ten seconds have passed', () => {
    const first = { done: 1, total: 36_000, failed: 0, startedAt: 0, now: 2000, unit: 'partitions' };
    expect(progressNote(first)).toBe('1/36,000 partitions, 0.5/s');
    expect(progressNote({ ...first, done: 360 })).toContain(' left');
    expect(progressNote({ ...first, now: 10_000 })).toContain(' left');
  });
});

describe('a progress note without a terminal', () => {
  test('is all the facts, with commas', () => {
    expect(progressNote(HALFWAY)).toBe(
      '5,000/10,000 readers, 12 failed, 100/s, 50s left, 3.5 MB received, 12.3 MB written',
    );
    expect(progressNote({ ...HALFWAY, done: 10_000, failed: 0, bytes: { written: 999, received: 0 } })).toBe(
      '10,000/10,000 readers, 200/s, 0 B received, 999 B written',
    );
  });

  test.each([
    [2, '1m30s left'],
    [180, '2h15m left'],
  ])('after %i minutes for 400 of 700 rows there are %s', (minutes, left) => {
    const state = { done: 400, total: 700, failed: 0, startedAt: 0, now: minutes * 60_000, unit: 'rows' };
    expect(progressNote(state)).toContain(left);
  });
});
