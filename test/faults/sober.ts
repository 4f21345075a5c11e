import { expect } from 'vitest';
import type { InProcess } from '../support/run.ts';
import { KEY } from './trial.ts';

/** Lines of stderr that a person reads to the end. */
const MOST_LINES = 30;

/** What holds whatever went wrong: a few lines without control characters, no stack, no secret, no fault of gatectl's own. */
export function expectSober({ code, stdout, stderr }: InProcess): void {
  expect([0, 2, 3, 4, 5, 6, 7, 8, 9, 130, 143]).toContain(code);
  expect(stderr).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/);
  expect(stderr).not.toMatch(/^\s+at .*[:(]\d+/m);
  expect(stderr).not.toMatch(/gatectl itself failed|undefined|\[object Object\]|node:internal/);
  expect(stderr).not.toMatch(/[: ]$/m);
  expect(stderr.split('\n').length).toBeLessThanOrEqual(MOST_LINES);
  expect(stderr.length).toBeLessThan(8000);
  if (code !== 0) expect(stderr).toMatch(/^(?:(?:warning|note): .*\n)*(?:error: |\{"error":)/);
  for (const secret of [KEY, 'canary.reader@example.com']) expect(stdout + stderr).not.toContain(secret);
}
