import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Sandbox, startSandbox } from 'gatectl/sandbox';

/** What each generated client must be able to do, as its own code does it. */
export interface Calls {
  /** The decision on a reader's access to `premium`. */
  access(email: string): Promise<string | undefined>;
  /** The rows of a query and how many match; or the code of the error. */
  query(query: typeof QUERY): Promise<{ rows: number; total: number } | string | undefined>;
  /** Whether a URL was cleared. */
  clear(url: string): Promise<boolean | undefined>;
  /** The names of the reports of v1, which takes the key in the query. */
  reports(): Promise<readonly string[] | undefined>;
}

const QUERY = {
  data_set: 'pageview',
  date_range: { start_date: '2026-03-01', end_date: '2026-03-03' },
  dimensions: ['report_day'],
  metrics: ['visits'],
};

/** Tests a client against the embedded gateway. */
export function testClient(name: string, create: (gateway: Sandbox) => Calls): void {
  describe(`a client by ${name}`, () => {
    let sandbox: Sandbox;
    let calls: Calls;
    before(async () => {
      sandbox = await startSandbox({ clock: '2026-03-14T12:00:00Z' });
      calls = create(sandbox);
    });
    after(() => sandbox.close());

    test('checks access', async () => {
      assert.equal(await calls.access('active@example.com'), 'allowed');
      assert.equal(await calls.access('nobody@example.com'), 'login_required');
    });

    test('queries rows, and reads an error', async () => {
      assert.deepEqual(await calls.query(QUERY), { rows: 3, total: 3 });
      assert.equal(await calls.query({ ...QUERY, data_set: 'none such' }), 'validation_error');
    });

    test('clears a URL', async () => {
      assert.equal(await calls.clear('https://example.com/news'), true);
    });

    test('lists the reports of v1', async () => {
      assert.ok((await calls.reports())?.includes('Daily Revenue'));
    });
  });
}
