import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyHome, gatectl } from '../support/gatectl.ts';

let env: Record<string, string>;
let home: string;
let remove: () => Promise<void>;
beforeAll(async () => {
  ({ env, home, remove } = await emptyHome());
});
afterAll(() => remove());

describe('in a home where nothing is set up', () => {
  test('doctor explains how to start, exit 2', async () => {
    const { exitCode, stdout, stderr } = await gatectl(['doctor'], { env });
    expect(exitCode).toBe(2);
    expect(stdout).toContain('\nwrong: settings base-url: no gateway configured. Fix: run gatectl login');
    expect(stderr).toBe('error: no gateway configured\n');
  });

  test('doctor finds the embedded gateway well, and writes a support bundle', async () => {
    const bundle = join(await mkdtemp(join(home, 'support-')), 'bundle.json');
    const { exitCode, stdout } = await gatectl(['doctor', '--sandbox', '--bundle', bundle], { env });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^Problems\nno problems found\n\nOther checks\n\d+ passed; --verbose lists them\n$/,
    );
    const { node, environment } = JSON.parse(await readFile(bundle, 'utf8'));
    expect(node).toBe(process.versions.node);
    expect(environment).toEqual({ LANG: 'C.UTF-8', TZ: 'UTC' });
  });
});

test('an alias is there at the next start', async () => {
  await gatectl(['alias', 'set', 'names', 'api GET /bdaservices/getreports/ --sandbox'], { env });
  const { exitCode, stdout, stderr } = await gatectl(['names'], { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(JSON.parse(stdout)).toContain('Pages');
});

test('a raw query from stdin returns every row', async () => {
  const query = {
    data_set: 'pageview',
    dimensions: ['country'],
    metrics: ['visits'],
    date_range: { start_date: '2026-02-01', end_date: '2026-02-28' },
    limit: 6,
  };
  const { stdout } = await gatectl(
    ['api', 'POST', 'gateway/bdaservices/v2/query', '--input', '-', '--paginate', '--sandbox'],
    { env: { ...env, GATECTL_SANDBOX_CLOCK: '2026-03-14T12:00:00Z' }, input: JSON.stringify(query) },
  );
  const { rows, total_rows } = JSON.parse(stdout);
  expect(rows).toHaveLength(total_rows);
  expect(total_rows).toBeGreaterThan(6);
});
