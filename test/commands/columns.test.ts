import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { run } from '../support/run.ts';
import { analytics } from './bda/analytics.ts';

const sandbox = (line: string) => run([...line.split(' '), '--sandbox']);
/** A file with these readers. */
function listOf(...readers: readonly string[]): string {
  const path = join(temporaryFolder(), 'readers.txt');
  writeFileSync(path, `${readers.join('\n')}\n`);
  return path;
}

const PREMIUM = 'access active@example.com --product premium';

describe('--columns prints the named columns in their order', () => {
  test.each([
    [`${PREMIUM} --columns reasonCode,decision`, 'REASON    allowed\nDECISION  allowed\n'],
    [`${PREMIUM} --columns reason --csv`, 'reasonCode\nallowed\n'],
    [`${PREMIUM} --columns decision --json`, '{\n  "decision": "allowed"\n}\n'],
    [`${PREMIUM} --columns decision --jq keys|length`, '1\n'],
    [
      'purchases active@example.com --columns status,productKey --csv',
      'status,productKey\nactive,premium\nactive,sports\nactive,\n',
    ],
    ['purchases active@example.com --columns item --jq .[0]', '{"item":null}\n'],
    ['purchases nobody@example.com --columns status --csv', 'status\n'],
    ['purchases nobody@example.com --columns status --json', '[]\n'],
    ['bda domains --columns domain -o ndjson', '{"domain":"example.com"}\n'],
    ['bda columns --search epmv --columns unit,NAME -o md', '| unit | name |'],
    ['bda data-sets --columns name', 'name\npageview\n'],
    ['bda report list --columns name,kind --csv', 'name,kind\n'],
    ['bda segment list --columns SegmentName --csv', 'SegmentName\n'],
    ['bda filter list --columns FilterName --csv', 'FilterName\n'],
    ['bda multifilter list --columns FilterName --csv', 'FilterName\n'],
    ['bda multifilter types --columns 2 --jq .["2"].mobile', 'Mobile\n'],
  ])('%s', async (line, printed) => {
    const { code, stdout, stderr } = await sandbox(line);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(printed);
  });

  test('of a list of readers, as each result arrives', async () => {
    const checked = `access --from-file ${listOf('active@example.com', 'expired@example.com')} --product premium`;
    expect(await sandbox(`${checked} --columns decision,email --csv`)).toEqual({
      code: 0,
      stdout: 'decision,email\nallowed,active@example.com\nexpired,expired@example.com\n',
      stderr: '',
    });
    expect((await sandbox(`${checked} --columns email -o ndjson`)).stdout).toBe(
      '{"email":"active@example.com"}\n{"email":"expired@example.com"}\n',
    );
  });

  test('of the profiles', async () => {
    const env = { GATECTL_CONFIG_DIR: temporaryFolder() };
    await run(['profile', 'add', 'news', '--base-url', 'https://gateway.example.com'], { env });
    expect((await run(['profile', 'list', '--columns', 'name,domain', '--csv'], { env })).stdout).toBe(
      'name,domain\nnews,\n',
    );
  });

  test('each once', async () => {
    expect((await sandbox('bda domains --columns domain_id,Domain_ID --csv')).stdout).toMatch(
      /^domain_id\n\d+\n/,
    );
  });

  test('and fields that only some rows have', async () => {
    const { gatectl } = await analytics(() => ({ body: '[{"id":1},{"id":2,"owner":"ana"}]' }));
    expect((await gatectl(['bda', 'domains', '--columns', 'owner,id', '--csv'])).stdout).toBe(
      'owner,id\n,1\nana,2\n',
    );
  });
});

describe('--columns is rejected', () => {
  test.each([
    [
      'purchases active@example.com --columns staus',
      "unknown column 'staus'\n  did you mean status?\n  the columns: productKey, item, status, expiresAt",
    ],
    ['bda domains --columns weather', "unknown column 'weather'\n  the columns: domain_id, domain"],
    [
      `${PREMIUM} --columns decision,,allowed`,
      "invalid --columns 'decision,,allowed'\n  separate the names by commas: --columns name,description",
    ],
    [
      'bda query --data-set pageview --columns visits',
      "unknown option '--columns'\n  choose the columns with --dimension and --metric",
    ],
  ])('%s', async (line, message) => {
    const { code, stdout, stderr } = await sandbox(line);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`error: ${message}`);
  });

  test('for an unknown column of a list of readers before a request is sent', async () => {
    const { server, gatectl } = await analytics(() => ({ status: 500, body: '' }));
    const line = `access --from-file ${listOf('active@example.com')} --product premium --domain example.com --columns mail`;
    const { code, stdout, stderr } = await gatectl(line.split(' '));
    expect({ code, stdout, sent: server.received }).toEqual({ code: 2, stdout: '', sent: [] });
    expect(stderr).toContain("error: unknown column 'mail'\n  did you mean email?\n");
  });

  test('if the response has no columns', async () => {
    const { gatectl } = await analytics(() => ({ body: '["pageview"]' }));
    expect(await gatectl(['bda', 'data-sets', '--columns', 'name'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: --columns requires rows with columns, and the response has none\n  omit --columns\n',
    });
  });
});

describe('bda columns', () => {
  test.each(['', ' --csv', ' --json', ' --api v2'])('of an unknown data set fails%s', async flags => {
    const { code, stdout, stderr } = await sandbox(`bda columns --data-set pageviews${flags}`);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('there is no data set pageviews; did you mean');
    expect(stderr).toContain('gatectl bda data-sets lists them');
  });

  test('are not filtered by a data set if the listing names none, with a warning', async () => {
    const { gatectl } = await analytics(() => ({ body: '[{"name":"visits"},{"name":"revenue"}]' }));
    expect(await gatectl(['bda', 'columns', '--data-set', 'pageview', '--csv'])).toEqual({
      code: 0,
      stdout: 'name\nvisits\nrevenue\n',
      stderr: 'warning: the response names no data sets, so the columns are not filtered by one\n',
    });
  });

  test('that match nothing are a header as csv, and an empty list as json', async () => {
    const none = 'bda columns --search nothinglikethis';
    expect(await sandbox(`${none} --csv`)).toEqual({
      code: 0,
      stdout: 'name,type,unit,description,role,data_sets\n',
      stderr: '',
    });
    expect((await sandbox(`${none} --json`)).stdout).toBe('{\n  "columns": []\n}\n');
    expect((await sandbox(none)).stdout).toBe('no columns match\n');
  });
});
