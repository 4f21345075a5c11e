import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../support/runs.ts';
import { analytics, dailyRows } from '../analytics.ts';

const ASKED = [
  ...['bda', 'why', '--data-set', 'pageview', '--tz', 'UTC', '--from', '2026-03-07', '--to', '2026-03-13'],
  ...['-m', 'bounce_rate', '-d', 'country', '-o', 'json'],
];

test('neither mix nor performance is said to have changed a ratio of which neither did', async () => {
  const visits = fc.integer({ min: 1, max: 1000 });
  await fc.assert(
    fc.asyncProperty(visits, visits, async (before, now) => {
      // Each value has the same ratio, so that no shares matter.
      const { gatectl } = await analytics(({ method, body }) => {
        if (method === 'GET') return { status: 404, body: '{}' };
        if (body.includes('report_day'))
          return { body: dailyRows('visits', '2026-02-28', [70, 70]).replaceAll('}', ',"bounce_rate":0.5}') };
        const ofA = body.includes('2026-03-07') ? now : before;
        const rows = [ofA, 100].map(
          (weight, at) => `{"country":"v${at}","bounce_rate":0.5,"visits":${weight}}`,
        );
        return { body: `{"rows":[${rows}],"total_rows":2}` };
      });
      const { stdout } = await gatectl(ASKED);
      const { sentences, conclusions } = JSON.parse(stdout) as {
        readonly sentences: readonly string[];
        readonly conclusions: readonly { readonly kind: string; readonly cause?: string }[];
      };
      const cause = conclusions.find(({ kind }) => kind === 'ratio_cause');
      expect(cause).toMatchObject({ mix: 0, rate: 0, cause: 'none', rose: 0, fell: 0 });
      expect(sentences.filter(text => /mix|performance/i.test(text))).toEqual([
        expect.stringMatching(/^Mix and performance of the values of country had no effect/),
      ]);
    }),
    { numRuns: runs(20) },
  );
});
