import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readParquet } from '../support/duckdb.ts';
import { temporaryFolder } from '../support/folder.ts';
import { gatectl } from '../support/gatectl.ts';

const ASKED = ['bda', 'query', '--data-set', 'pageview', '-d', 'report_day', '-m', 'visits,revenue'];
const DAYS = ['--from', '2026-02-01', '--to', '2026-02-28', '--all', '--sandbox', '--quiet'];
const env = { GATECTL_SANDBOX_CLOCK: '2026-03-14T12:00:00Z' };

describe('the built command carries what is loaded late', () => {
  test('an html picture holds all that draws it', async () => {
    const file = join(temporaryFolder(), 'a.html');
    const { exitCode, stderr } = await gatectl([...ASKED, ...DAYS, '--chart', file], { env });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const page = await readFile(file, 'utf8');
    expect(page.length).toBeGreaterThan(300_000);
    expect(page.match(/<\/script>/g)?.length).toBe(2);
  });

  test('rows go to Parquet while the chart goes to the screen', async () => {
    const file = join(temporaryFolder(), 'a.parquet');
    const asked = [...ASKED, ...DAYS, '--compare', 'previous', '--out', file, '--chart', '--ascii'];
    const { exitCode, stdout } = await gatectl(asked, { env });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Visits per day\n* now  o before\n');
    const { types, rows } = await readParquet(file);
    expect(types).toMatchObject({ report_day: 'DATE', visits: 'BIGINT', visits_change: 'BIGINT' });
    expect(rows.length).toBe(28);
  });
});
