import { expect, test } from 'vitest';
import { render } from '../../src/output/render.ts';
import { PIPE } from './styles.ts';

test.each(['table', 'md'] as const)('one long cell does not widen every row of a %s', format => {
  const long = 'x'.repeat(3_000_000);
  const data = Array.from({ length: 1_000 }, (_, i) => ({ title: i === 7 ? long : `t${i}`, visits: i }));
  const text = render(data, {}, format, PIPE);
  expect(text).toContain(long);
  expect(text.length).toBeLessThan(long.length + 1_000 * 300);
  expect(text.split('\n').filter(line => line.length > 300).length).toBe(1);
});
