import { expect, test } from 'vitest';
import { ask, sandboxWith } from '../asking.ts';

const QUERY = JSON.stringify({
  data_set: 'bulk',
  date_range: { start_date: '2026-02-01', end_date: '2026-02-28' },
  dimensions: ['row_id'],
  metrics: ['visits'],
  limit: 5000,
});

// More broken answers than queries that may run at once: had they not ended, the last one would be refused.
test.each(['reset=headers', 'reset=body', 'truncate=10', 'truncate=0'])(
  'a long answer broken off by %s no longer counts as running',
  async fault => {
    const sandbox = await sandboxWith({ faults: [`${fault},count=10`] });
    const query = () =>
      ask(sandbox, '/gateway/bdaservices/v2/query', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: QUERY,
      });
    for (let at = 0; at < 10; at += 1) await expect(query()).rejects.toThrow();
    const answer = await query();
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ rows: { length: 5000 } });
  },
);
