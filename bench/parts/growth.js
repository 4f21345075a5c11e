import { join } from 'node:path';
import { asking, gatectl } from './export.js';

/** How time and memory of an export grow with its rows: ten times the rows should take ten times the time, and no more memory. */
export function growthPart({ baseUrl, folder, bin, plainEnv, quick }) {
  const sizes = [10_000, 100_000, 1_000_000, ...(quick ? [] : [10_000_000])];
  const name = rows => `${rows.toLocaleString('en')} rows`;
  const cases = sizes.map((rows, index) => ({
    name: name(rows),
    // A file of its own each: to replace the largest one would cost the smallest export its removal.
    args: gatectl(bin, rows, join(folder, `growth-${rows}.csv`)),
    env: asking(baseUrl, plainEnv),
    most: 130,
    bars: index === 0 ? [] : [{ of: name(sizes[index - 1]), target: 12 }],
  }));
  return { name: 'growth', title: 'Growth of an export', cases, missing: [], rounds: 3, warmUp: false };
}
