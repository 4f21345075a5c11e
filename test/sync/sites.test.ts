import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { figuresOf, queriesOf, respondFrom, SYNC_FILE, syncing } from './source.ts';

/** A gateway with these entries in its list of domains, as JSON texts. */
async function listing(entries: readonly string[], text = SYNC_FILE) {
  const figures = figuresOf([7, 8], '2026-03-01', 13);
  const respond = respondFrom(figures);
  let domains = entries;
  const runs = await syncing(figures, text, request =>
    request.target.endsWith('/domains') ? { body: `{"domains":[${domains.join(',')}]}` } : respond(request),
  );
  return {
    ...runs,
    relist: (next: readonly string[]) => {
      domains = next;
    },
  };
}

const entry = (domain: string, id: string) => `{"domain":"${domain}.example.com","domain_id":${id}}`;
const ONE = entry('one', '7');
const LARGE = entry('large', '9007199254740993');
const TEXT = entry('text', '"2b"');
const NONE = '{"domain":"none.example.com"}';
const VALID_IDS = 'ids must be integers up to 9007199254740991';

describe('a site with an id that cannot be requested', () => {
  test('is named once by each command', async () => {
    const { sync } = await listing([ONE, LARGE, TEXT, NONE]);
    const warning = `warning: skipping large.example.com (id 9007199254740993), text.example.com (id "2b"), none.example.com (no id): ${VALID_IDS}\n`;
    for (const command of ['plan', 'run', 'sweep', 'verify']) {
      const { code, stderr } = await sync([command, '--quiet']);
      expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: warning });
    }
  });

  test('is not named where the sync has others only', async () => {
    const { sync } = await listing([ONE, LARGE], `domains: [one.example.com]\n${SYNC_FILE}`);
    expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('is not called unlisted if it was synced before', async () => {
    const { sync, relist } = await listing([ONE, entry('two', '8')]);
    expect((await sync(['run', '--quiet'])).code).toBe(0);
    relist([ONE, entry('two', '"8b"')]);
    const warning = `warning: skipping two.example.com (id "8b"): ${VALID_IDS}\n`;
    expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0, stderr: warning });
    expect((await sync(['status', '--quiet'])).stderr).toBe('');
    const { code, stdout, stderr } = await sync(['verify', '--jq', '[.mismatches[] | [.domain, .problem]]']);
    expect({ code, problems: JSON.parse(stdout), stderr }).toEqual({
      code: 7,
      problems: [['two.example.com', 'the gateway lists the site with an id that cannot be requested']],
      stderr: expect.stringMatching(/^warning: skipping two\.example\.com [^\n]*\n\{"error":[^\n]*\n$/),
    });
  });

  test('is the reason why a sync that names it is rejected', async () => {
    const { sync, server } = await listing([ONE, LARGE], `domains: [large.example.com]\n${SYNC_FILE}`);
    expect(await sync(['run'])).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: gatectl.sync.yaml:1:11: cannot request large.example.com, which has id 9007199254740993 at the gateway\n  ${VALID_IDS}\n`,
    });
    expect(queriesOf(server)).toEqual([]);
  });

  test('is the reason why --domain with it is rejected', async () => {
    const { sync } = await listing([ONE, TEXT]);
    expect(await sync(['run', '--domain', 'text.example.com'])).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: cannot request text.example.com, which has id "2b" at the gateway\n  ${VALID_IDS}\n`,
    });
  });

  test('is named where the gateway lists no other', async () => {
    const { sync } = await listing([TEXT]);
    expect(await sync(['plan'])).toMatchObject({
      code: 6,
      stderr: `error: the gateway lists no sites but text.example.com (id "2b"): ${VALID_IDS}\n`,
    });
  });
});

describe('two sites with the same id', () => {
  const SAME = [ONE, entry('other', '"7"')];
  const WARNING = 'warning: skipping other.example.com: its id 7 is also that of one.example.com\n';

  test('are synchronised as the first one, with a warning', async () => {
    const { sync, server } = await listing(SAME);
    expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0, stderr: WARNING });
    expect(queriesOf(server).map(({ domain_id }) => domain_id)).toEqual([7]);
    expect(JSON.parse((await sync(['status', '-o', 'json', '--quiet'])).stdout)).toHaveLength(1);
    expect(await sync(['verify', '--quiet'])).toMatchObject({ code: 0, stderr: WARNING });
  });

  test('are one to a sync that names the second one', async () => {
    const { sync } = await listing(SAME, `domains: [other.example.com]\n${SYNC_FILE}`);
    expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('are named by the error for --domain with the second one', async () => {
    const { sync } = await listing(SAME);
    expect(await sync(['run', '--domain', 'other.example.com'])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: other.example.com is not in the sync: its id 7 is also that of one.example.com\n  pass --domain one.example.com\n',
    });
  });

  test('with the same name are one without a warning', async () => {
    const { sync } = await listing([ONE, ONE]);
    expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a site that the sync file no longer lists', () => {
  const TWO = entry('two', '8');
  const LIST = `domains: [one.example.com]\n${SYNC_FILE}`;

  async function narrowed(text: string) {
    const all = await listing([ONE, TWO]);
    expect((await all.sync(['run', '--quiet'])).code).toBe(0);
    writeFileSync(join(all.folder, 'gatectl.sync.yaml'), text);
    expect((await all.sync(['run', '--quiet'])).code).toBe(0);
    return all;
  }

  test('remains, and is named by status and verify', async () => {
    const { sync } = await narrowed(LIST);
    const note =
      'note: not compared: 39 rows in pages of sites that the sync file does not list: two.example.com\n';
    const verified = await sync(['verify', '-o', 'json']);
    expect(verified).toMatchObject({ code: 0, stderr: note });
    expect(JSON.parse(verified.stdout)).toMatchObject({
      rows: 39,
      not_listed: [
        { table: 'pages', domain: 'two.example.com', partitions: 3, rows: 39, current_query: true },
      ],
      mismatches: [],
    });
    expect(await sync(['verify', '--domain', 'one.example.com'])).toMatchObject({ code: 0, stderr: '' });
    const { stdout, stderr } = await sync(['status', '--jq', '.[] | [.sites, .rows]']);
    expect([JSON.parse(stdout), stderr]).toEqual([
      [2, 78],
      'note: the sync file does not list two.example.com; the rows remain as they are\n',
    ]);
  });

  test('is a warning if its rows are of an earlier query', async () => {
    const { sync } = await narrowed(LIST.replace('[visits, revenue]', '[visits]'));
    const { code, stdout, stderr } = await sync(['verify', '--quiet', '-o', 'json']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `warning: not compared, and of an earlier query: 39 rows in pages of sites that the sync file does not list: two.example.com
  add them to domains, then run gatectl bda sync run to request them again
`,
    });
    expect(JSON.parse(stdout).not_listed).toMatchObject([
      { domain: 'two.example.com', current_query: false },
    ]);
  });
});
