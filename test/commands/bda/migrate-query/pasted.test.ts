import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../support/folder.ts';
import { fileWith, migrateQuery, QUERY, REPORT, REQUEST } from './requests.ts';

const KEY = 'pasted-key+/0815';
const ENCODED = encodeURIComponent(KEY);
const URL_V1 = `https://gw.example.com/bdaservices/getCustomData/?developerKey=${ENCODED}`;
const CURL = `curl -sS -X POST '${URL_V1}' -H 'Content-Type: application/json' --data-raw '${JSON.stringify(REQUEST)}'`;

describe('a pasted curl command', () => {
  test.each([
    ['as an argument', ['--from-curl', CURL], undefined],
    ['on stdin', ['--from-curl'], CURL],
    ['on stdin, named so', ['--from-curl', '-'], `$ ${CURL}`],
    ['on stdin, without being announced', ['-'], CURL],
    ['as an argument, without being announced', [CURL], undefined],
    ['in the middle of a script', ['-'], `#!/bin/sh\ncd /srv\nROWS=$(${CURL})\necho "$ROWS"\n`],
  ])('is read %s', async (_, args, input) => {
    const { code, stdout } = await migrateQuery(args, input === undefined ? {} : { input });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(QUERY);
  });

  test('is read from a file', async () => {
    const file = fileWith(`#!/bin/sh\n${CURL} | jq .Data\n`, 'job.sh');
    expect(JSON.parse((await migrateQuery([file])).stdout)).toEqual(QUERY);
    expect(JSON.parse((await migrateQuery(['--from-curl', file])).stdout)).toEqual(QUERY);
  });

  test('may have its body in a file', async () => {
    const body = fileWith(REQUEST, 'body.json');
    const { stdout } = await migrateQuery(['--from-curl', `curl '${URL_V1}' -d @${body}`]);
    expect(JSON.parse(stdout)).toEqual(QUERY);
  });

  test('names the report that runs', async () => {
    const url = `https://gw.example.com/bdaservices/getdata/?reportName=Two%20Sides&developerKey=${ENCODED}`;
    const body = { MaxItems: 50, StartDate: '2026-03-01', EndDate: '2026-03-07', SegmentIds: [] };
    const report = { ...REPORT, Charts: [{ ...REPORT.Charts[0], Segments: [] }] };
    const args = ['--reports', fileWith([report]), '-q'];
    const byCurl = await migrateQuery([...args, '--from-curl'], {
      input: `curl '${url}' -d '${JSON.stringify(body)}'`,
    });
    const byUrl = await migrateQuery([...args, '--url', url, '-'], { input: JSON.stringify(body) });
    const byName = await migrateQuery([...args, '--report', 'Two Sides', fileWith(body)]);
    expect(JSON.parse(byCurl.stdout)).toMatchObject({ dimensions: ['country'], metrics: ['visits'] });
    expect(byUrl.stdout).toBe(byCurl.stdout);
    expect(byName.stdout).toBe(byCurl.stdout);
  });

  test('a URL is accepted instead of a file', async () => {
    const url = URL_V1.replace('getCustomData/?', 'getdata/?reportName=Two%20Sides&');
    const report = { ...REPORT, Charts: [{ ...REPORT.Charts[0], Segments: [] }] };
    const args = ['--reports', fileWith([report]), '--from', '2026-03-01', '--to', '2026-03-07'];
    const [typed, named] = [await migrateQuery([url, ...args]), await migrateQuery(['--url', url, ...args])];
    expect(typed).toEqual(named);
    expect(typed.code).toBe(0);
  });

  test('undocumented parameters are reported as lost', async () => {
    const { stderr } = await migrateQuery(['--url', `${URL_V1}&cb=77`, fileWith(REQUEST)]);
    expect(stderr).toMatch(/^lost: URL: 1 parameter that v1 does not document omitted\n/);
  });

  test.each([
    ['its own text', ['--from-curl'], CURL],
    ['text that breaks off', ['--from-curl'], CURL.slice(0, -40)],
    ['a body that is no JSON', ['--from-curl'], `curl '${URL_V1}' -d '{"developerKey": ${KEY}}'`],
    ['JSON with the key in it', ['-'], JSON.stringify({ ...REQUEST, developerKey: KEY })],
    ['JSON that is broken beside the key', ['-'], `{"developerKey": "${KEY}" x`],
    ['a URL that is no request', ['--url', URL_V1.replace('getCustomData', 'getreports')], undefined],
    ['a URL without a body', ['--url', URL_V1], undefined],
    ['a URL with the key where a file is wanted', ['--columns', URL_V1], undefined],
    ['a URL with the key where a report is wanted', ['--report', URL_V1], undefined],
    ['a URL with the key where a folder is wanted', ['--out-dir', '/tmp/x', URL_V1], undefined],
    ['a command with the key that the shell took apart', ['--from-curl', 'curl', URL_V1], undefined],
    ['a mistyped option with the key', [`--ulr=${URL_V1}`], undefined],
    ['a header with the key', ['--from-curl'], `curl '${URL_V1}' -H 'X-API-Key: ${KEY}' -d @/no/such/${KEY}`],
  ])('shows no key, whatever happens: %s', async (_, args, input) => {
    for (const more of [[], ['--verbose'], ['-o', 'json'], ['--as', 'curl'], ['--as', 'gatectl']]) {
      const { stdout, stderr } = await migrateQuery([...args, ...more], input === undefined ? {} : { input });
      expect(stdout + stderr).not.toContain(KEY);
      expect(stdout + stderr).not.toContain(ENCODED);
    }
  });
});

describe('a script that computes its days', () => {
  const body = (days: string, more = '') =>
    `"${JSON.stringify(REQUEST)
      .replaceAll('"', '\\"')
      .replace(/\\"StartDate.*?EndDate.*?,/, `${days}${more}`)}"`;
  const script = (fields: string) => `#!/bin/sh
START=$(date -d '7 days ago' +%F)
END=\`date -d yesterday +%F\`
curl -X POST "${URL_V1}" -d ${body(fields)}
`;
  const DAYS = `\\"StartDate\\":\\"$START\\",\\"EndDate\\":\\"\${END}\\",`;

  test.each([
    ['--from and --to', ['--from', '2026-03-01', '--to', '2026-03-07']],
    ['--set', ['--set', 'START=2026-03-01', '--set', 'END=2026-03-07']],
    ['both', ['--from', '2026-03-01', '--set', 'END=2026-03-07', '--to', '2026-03-07']],
  ])('accepts them with %s', async (_, flags) => {
    const { code, stdout, stderr } = await migrateQuery(['--from-curl', ...flags], { input: script(DAYS) });
    expect({ code, query: JSON.parse(stdout) }, stderr).toEqual({ code: 0, query: QUERY });
  });

  test('also accepts the last day with --last', async () => {
    const { stdout } = await migrateQuery(['--from-curl', '--last', '7d'], { input: script(DAYS) });
    const range = { start_date: '2026-03-07', end_date: '2026-03-13' };
    expect(JSON.parse(stdout)).toMatchObject({ date_range: range });
  });

  test.each<[string, string[], string]>([
    [
      DAYS,
      [],
      `error: cannot read stdin: 2 fields have unknown values
  StartDate: $START
  EndDate: $END
  pass --last 7d, or --from DAY and --to DAY, for the days
`,
    ],
    [
      `${DAYS}\\"DomainId\\":$SITE,`,
      ['--last', '7d'],
      `error: cannot read stdin: DomainId is $SITE, whose value is unknown
  pass --set SITE=VALUE
`,
    ],
    [
      `${DAYS}\\"Filters\\":[{\\"FilterKey\\":\\"country\\",\\"FilterValue\\":\\"$(cat secret.txt)\\"}],`,
      ['--last', '7d'],
      `error: cannot read stdin: Filters[0].FilterValue is $(…), whose value is unknown
  replace the substitution with its value
`,
    ],
    [
      '$FIELDS',
      ['--last', '7d'],
      `error: the body of stdin is not JSON without the values of $FIELDS
  pass --set FIELDS=VALUE
`,
    ],
  ])('names the field and what gives it a value: %s %j', async (fields, flags, message) => {
    const { code, stdout, stderr } = await migrateQuery(['--from-curl', ...flags], { input: script(fields) });
    expect({ code, stdout, stderr: stderr.replace(/^note: .*\n/, '') }).toEqual({
      code: 2,
      stdout: '',
      stderr: message,
    });
  });

  test.each([
    ['START', "error: --set requires NAME=VALUE, not 'START'\n  example: --set START=2026-03-01\n"],
    ['STRAT=1', 'error: --set STRAT: stdin has no variable $STRAT\n'],
  ])('rejects --set %s', async (set, message) => {
    const outcome = await migrateQuery(['--from-curl', '--set', set], { input: script(DAYS) });
    expect(outcome).toEqual({ code: 2, stdout: '', stderr: message });
  });

  test('is in a folder with others', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.sh'), script(DAYS));
    writeFileSync(join(folder, 'b.json'), JSON.stringify(REQUEST));
    const out = join(temporaryFolder(), 'out');
    const days = ['--set', 'START=2026-03-01', '--set', 'END=2026-03-07'];
    expect((await migrateQuery([folder, '--out-dir', out, ...days])).code).toBe(0);
    expect(JSON.parse(readFileSync(join(out, 'a.json'), 'utf8'))).toEqual(QUERY);
    const without = await migrateQuery([folder, '--out-dir', `${out}2`]);
    expect(without.code).toBe(7);
    expect(without.stdout).toContain('2 fields have unknown values');
  });
});

describe('input that is not a request', () => {
  test.each([
    ['nothing at all', [], undefined, 'no request given'],
    [
      'two reports',
      ['--report', 'A', '--custom-report', '5'],
      undefined,
      '--report and --custom-report cannot be combined',
    ],
    [
      'a report besides the one in the input',
      ['--report', 'A', '-'],
      CURL.replace('getCustomData/?', 'getdata/?reportName=B&'),
      'stdin already names a report',
    ],
    ['a v2 query', ['-'], JSON.stringify(QUERY), 'stdin is a v2 query already'],
    ['a list', ['-'], '[]', 'stdin is a list, not a v1 request'],
    ['no JSON', ['-'], 'hello', 'stdin is not JSON'],
    [
      'a body that is on stdin too',
      ['--from-curl'],
      `curl '${URL_V1}' -d @-`,
      'the body of stdin comes from stdin',
    ],
    [
      'another endpoint',
      ['--url', 'https://gw.example.com/bdaservices/getsegments/'],
      undefined,
      'cannot read --url: getsegments is not a data request; v2 stores no segments: each query carries its filters',
    ],
    [
      'an unfinished quote',
      ['--from-curl'],
      "curl 'https://",
      'cannot read stdin: it has an unterminated quote',
    ],
  ])('is rejected: %s', async (_, args, input, message) => {
    const { code, stdout, stderr } = await migrateQuery(args, input === undefined ? {} : { input });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(`error: ${message}`);
  });

  test('a missing file exits 9', async () => {
    expect((await migrateQuery(['/no/such/request.json'])).code).toBe(9);
    expect((await migrateQuery(['--custom-report', '/no/such/report.json'])).code).toBe(9);
    expect((await migrateQuery([fileWith(REQUEST), '--columns', '/no/such/columns.json'])).code).toBe(9);
  });
});
