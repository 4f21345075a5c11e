import { Decimal } from 'decimal.js';
import { expect, test } from 'vitest';
import { analytics } from '../analytics.ts';
import { FIRST_DAY, LAST_DAY, scenario } from './scenario.ts';

/** `npm run check:why` tries 500. */
const COUNT = Number(process.env.WHY_SCENARIOS ?? 24);
const LEAST_FOUND = 0.95;
const Wide = Decimal.clone({ precision: 200 });

interface Printed {
  readonly change: number;
  readonly rows: readonly {
    readonly dimension: string;
    readonly value: string;
    readonly contribution: number;
  }[];
}

test(
  `bda why names the planted cause first in ${LEAST_FOUND * 100} % of ${COUNT} accounts, and contributions add up in all`,
  async () => {
    const missed: string[] = [];
    for (let seed = 1; seed <= COUNT; seed++) {
      const { metric, cause, reply } = scenario(seed);
      const { server, gatectl } = await analytics(reply);
      const days = ['--from', FIRST_DAY, '--to', LAST_DAY];
      const { code, stdout, stderr } = await gatectl([
        'bda',
        'why',
        '--data-set',
        'pageview',
        '-m',
        metric,
        ...days,
        '--top',
        '3',
        '-o',
        'json',
        '--tz',
        'UTC',
      ]);
      expect({ seed, code, stderr: code === 0 ? '' : stderr }).toEqual({ seed, code: 0, stderr: '' });
      const { rows } = JSON.parse(stdout) as Printed;
      // The digits, not what a double makes of them.
      const digits = [
        ...stdout.slice(stdout.lastIndexOf('"rows"')).matchAll(/"contribution": ?(-?[\d.]+)/g),
      ].map(([, text = '']) => text);
      const change = /"change": ?(-?[\d.]+)/.exec(stdout)?.[1] ?? '';
      const sum = digits.reduce((all, text) => all.plus(text), new Wide(0));
      expect({ seed, sum: sum.toFixed() }).toEqual({ seed, sum: new Wide(change).toFixed() });
      const [first] = rows;
      if (first?.dimension !== cause.dimension || first.value !== cause.value)
        missed.push(
          `${seed}: ${metric} by ${cause.dimension} ${cause.value}, found ${first?.dimension} ${first?.value}`,
        );
      await server.close();
    }
    const found = COUNT - missed.length;
    if (COUNT > 100) process.stdout.write(`${found} of ${COUNT} causes found first\n${missed.join('\n')}\n`);
    expect(found, missed.join('\n')).toBeGreaterThanOrEqual(LEAST_FOUND * COUNT);
  },
  1_000 * COUNT,
);
