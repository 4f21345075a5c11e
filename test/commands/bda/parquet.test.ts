import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readParquet } from '../../support/duckdb.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { analytics, BASE, brokenFrom, paging, queriesTo } from './analytics.ts';

const ASKED = [...BASE, '-d', 'report_day,country', '-m', 'visits,revenue'];
const ROWS = [
  '{"report_day":"2026-02-01","country":"DE","visits":12345,"revenue":172.4133208101921}',
  '{"report_day":"2026-02-02","country":"AT","visits":7,"revenue":null}',
  '{"report_day":"2026-02-03","country":"CH","visits":null,"revenue":-0.5}',
];

describe('--out FILE.parquet', () => {
  test('writes typed columns that another engine reads, and nothing else', async () => {
    const { gatectl } = await analytics(paging(ROWS));
    const folder = temporaryFolder();
    const out = join(folder, 'rows.parquet');
    const { code, stdout, stderr } = await gatectl([...ASKED, '--out', out, '--manifest']);
    const bytes = readFileSync(out);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: '',
      stderr: `note: 3 rows in ${out} (${bytes.length.toLocaleString('en')} bytes)\n`,
    });
    expect(await readParquet(out)).toEqual({
      types: { report_day: 'DATE', country: 'VARCHAR', visits: 'BIGINT', revenue: 'DECIMAL(16,13)' },
      rows: [
        { report_day: '2026-02-01', country: 'DE', visits: '12345', revenue: '172.4133208101921' },
        { report_day: '2026-02-02', country: 'AT', visits: '7', revenue: null },
        { report_day: '2026-02-03', country: 'CH', visits: null, revenue: '-0.5000000000000' },
      ],
    });
    expect(readdirSync(folder).sort()).toEqual(['rows.parquet', 'rows.parquet.meta.json']);
    expect(JSON.parse(readFileSync(`${out}.meta.json`, 'utf8'))).toMatchObject({
      format: 'parquet',
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      rows: 3,
    });
  });

  test('after an interrupted export, the same command requests only the rest and writes the same file', async () => {
    const whole = await analytics(paging(ROWS));
    const folder = temporaryFolder();
    const [first, second] = [join(folder, 'whole.parquet'), join(folder, 'resumed.parquet')];
    const all = [...ASKED, '--all', '--page-size', '1', '--retries', '0'];
    await whole.gatectl([...all, '--out', first]);

    const { reply, repair } = brokenFrom(2, ROWS, { body: '{"rows":[{"report_day"' });
    const { server, gatectl } = await analytics(reply);
    const cut = await gatectl([...all, '--out', second]);
    expect(cut.code).toBe(6);
    expect(cut.stderr).toContain(`2 rows in 2 pages are kept in ${second}.part`);
    expect(existsSync(second)).toBe(false);

    repair();
    const before = queriesTo(server);
    const resumed = await gatectl([...all, '--out', second]);
    expect(resumed.code).toBe(0);
    expect(queriesTo(server) - before).toBe(1);
    expect(readFileSync(second)).toEqual(readFileSync(first));
    expect(readdirSync(folder).sort()).toEqual(['resumed.parquet', 'whole.parquet']);
  });

  test('that cannot represent a column names it and leaves no file and no temporary files', async () => {
    const { gatectl } = await analytics(paging([...ROWS, '{"revenue":1E400}']));
    const folder = temporaryFolder();
    for (const all of [[], ['--all']]) {
      const out = join(folder, 'rows.parquet');
      const { code, stderr } = await gatectl([...ASKED, ...all, '--out', out]);
      expect(code).toBe(9);
      expect(stderr).toContain(
        `error: ${out} cannot store the column revenue as it is: numbers that are too long for it, such as 1E400; csv and ndjson can\n`,
      );
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  test.each([
    [['--out', 'rows.parquet.gz'], 'cannot compress rows.parquet.gz: parquet has its own compression'],
    [['--out', '/dev/stdout', '-o', 'csv', '--resume', '--all'], 'cannot resume /dev/stdout'],
  ])('%j is rejected', async (flags, message) => {
    const { server, gatectl } = await analytics(paging(ROWS));
    const { code, stderr } = await gatectl([...ASKED, ...flags], { cwd: temporaryFolder() });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(server.received.length).toBe(0);
  });
});
