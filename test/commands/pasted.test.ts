import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { rawServer } from '../support/raw-server.ts';
import { run } from '../support/run.ts';

const env = { GATECTL_DOMAIN: 'example.com' };
const QUOTES = 'removed U+201C (left double quotation mark), U+201D (right double quotation mark) around';

describe('what a paste left around a value is removed, with a note', () => {
  test.each([
    [
      'products --email “active@example.com” --csv',
      'product\npremium\nsports\n',
      `${QUOTES} the value of --email`,
    ],
    [
      'access --product <premium> --email active@example.com --jq .decision',
      'allowed\n',
      'removed <, > around the value of --product',
    ],
    [
      'products --email active@example.com\u200b --csv',
      'product\npremium\nsports\n',
      'removed U+200B (zero width space) around the value of --email',
    ],
    [
      'products --email active@example.com --domain \ufeffexample.com --csv',
      'product\npremium\nsports\n',
      'removed U+FEFF (byte order mark) around the value of --domain',
    ],
    [
      'cdn purge <https://example.com/a> --jq .cleared',
      '1\n',
      'removed quotes, brackets or invisible characters around 1 URL',
    ],
    ['cdn purge --key “front”,sports --jq .cleared', '2\n', `${QUOTES} the key front`],
  ])('%s', async (line, stdout, note) => {
    expect(await run([...line.split(' '), '--sandbox'], { env })).toEqual({
      code: 0,
      stdout,
      stderr: `note: ${note}\n`,
    });
  });

  test('a session token', async () => {
    const ran = await run(
      ['products', '--reader-token', '“abc”', '--curl', '--base-url', 'https://g.example.com'],
      {
        env,
      },
    );
    expect(ran).toMatchObject({ code: 0, stderr: `note: ${QUOTES} the value of --reader-token\n` });
  });

  test.each([
    ['--domain', ['products', 'a@example.com', '--domain', '']],
    ['--product', ['access', 'a@example.com', '--product', '“”']],
    ['--domain', ['cdn', 'purge', '--all', '--domain', '']],
    ['--domain', ['bda', 'query', '--data-set', 'pageview', '-m', 'visits', '--last', '7d', '--domain', '']],
  ])('without anything in it, %s is empty', async (flag, args) => {
    expect(await run([...args, '--sandbox'], { env })).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: ${flag} is empty\n  give it a value, or omit it\n`,
    });
  });

  test('also in the environment', async () => {
    const flags = ['products', '--email', 'a@example.com', '--curl'];
    const env = {
      GATECTL_BASE_URL: '“https://gateway.example.com”',
      GATECTL_DOMAIN: '<example.com>',
    };
    const { code, stdout, stderr } = await run(flags, { env });
    expect(code).toBe(0);
    expect(stdout).toContain("'https://gateway.example.com/subscriptions/v1/products?domain=example.com'");
    expect(stderr).toBe(`note: ${QUOTES} GATECTL_BASE_URL\nnote: removed <, > around GATECTL_DOMAIN\n`);
    const inside = { ...env, GATECTL_BASE_URL: 'https://gate\u200bway.example.com' };
    expect(await run(flags, { env: inside })).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: GATECTL_BASE_URL contains U+200B (zero width space) at character 13\n' +
        '  type it, or paste it without that character\n',
    });
  });

  test('also in a list of readers and in a profile', async () => {
    const input = '“active@example.com”\n<denied@example.com>\n';
    const list = ['access', '--product', 'premium', '--from-file', '-', '--csv', '--sandbox'];
    const { stdout, stderr } = await run(list, { input });
    expect(stdout).toContain('\nactive@example.com,true,allowed');
    expect(stderr).toBe('note: removed quotes, brackets or invisible characters around 2 lines\n');
    const env = { GATECTL_CONFIG_DIR: temporaryFolder() };
    const add = ['profile', 'add', 'news', '--base-url', '<https://gateway.example.com>'];
    expect((await run(add, { env })).stderr).toContain('note: removed <, > around the value of --base-url\n');
    expect((await run(['profile', 'set', 'base-url', '“https://gateway.example.com”'], { env })).stderr).toBe(
      `note: ${QUOTES} base-url\nnote: base-url of profile news is now https://gateway.example.com\n`,
    );
  });
});

describe('a filter value that a paste has probably changed is sent as typed, with a warning that --quiet leaves', () => {
  const query = 'bda query --data-set pageview -d country -m visits --last 7d --csv --quiet --sandbox'.split(
    ' ',
  );
  const hint = `  if this is intended, quote the value: --filter 'COLUMN="VALUE"'\n`;

  test.each([
    [
      'country=“US”',
      "“US”' of --filter is surrounded by U+201C (left double quotation mark), U+201D (right double quotation mark)",
    ],
    ["country='US'", "'US'' of --filter is surrounded by '"],
    ['country=US\u200b', "US\\u200b' of --filter is surrounded by U+200B (zero width space)"],
    [
      'page_url:contains:ne\u200bws',
      "ne\\u200bws' of --filter contains U+200B (zero width space) at character 3",
    ],
  ])('%s', async (filter, problem) => {
    expect(await run([...query, '--filter', filter])).toEqual({
      code: 0,
      stdout: 'country,visits\n',
      stderr: `warning: the value '${problem} and is sent as typed\n${hint}`,
    });
  });

  test('but in double quotes it is meant', async () => {
    const { code, stderr } = await run([...query, '--filter', 'country="“US”"']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('reports of the older API warn alike', async () => {
    const report = 'bda report run -d country -m visits --last 7d --csv --quiet --sandbox'.split(' ');
    const { stderr } = await run([...report, '--filter', 'country:equals:“US”']);
    expect(stderr).toContain("warning: the value '“US”' of --filter is surrounded by U+201C");
  });
});

describe('damage inside a value is rejected before anything is sent', () => {
  test.each([
    [
      'products --email act\u200bive@example.com',
      '--email contains U+200B (zero width space) at character 4',
    ],
    [
      'access --item a\u00a0b --email active@example.com',
      '--item contains U+00A0 (no-break space) at character 2',
    ],
    [
      'products --email active@example.com --domain exam\u00adple.com',
      '--domain contains U+00AD (soft hyphen) at character 5',
    ],
  ])('%s', async (line, message) => {
    const { code, stdout, stderr } = await run([...line.split(' '), '--sandbox'], { env });
    expect({ code, stdout, first: stderr.split('\n')[0] }).toEqual({
      code: 2,
      stdout: '',
      first: `error: ${message}`,
    });
  });

  test.each([
    [['https://example.com/a\u200bb'], 'contains U+200B (zero width space) at character 22'],
    [['--key', 'a\u200bb'], 'contains U+200B (zero width space) at character 2'],
  ])('cdn purge %j', async (words, problem) => {
    const { code, stderr } = await run(['cdn', 'purge', ...words, '--sandbox'], { env });
    expect(code).toBe(2);
    expect(stderr).toContain(problem);
  });

  test('a response that is not UTF-8 is not a decision', async () => {
    const server = await rawServer(socket => {
      const body = Buffer.from(
        '{"success":true,"data":{"decision":"allowed","reasonCode":"\xff"}}',
        'latin1',
      );
      socket.write(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`);
      socket.end(body);
    });
    try {
      const { code, stdout, stderr } = await run(
        ['access', '--product', 'premium', '--email', 'a@example.com', '--base-url', server.baseUrl],
        { env: { ...env, GATECTL_API_KEY: 'some-key' } },
      );
      expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
      expect(stderr).toContain('error: the response is not valid UTF-8\n');
    } finally {
      await server.close();
    }
  });

  test('a quoted address with a line break is not a reader', async () => {
    const line = ['products', '--email', '"a\r\nb"@example.com', '--sandbox'];
    expect(await run(line)).toMatchObject({ code: 2, stdout: '' });
  });
});
