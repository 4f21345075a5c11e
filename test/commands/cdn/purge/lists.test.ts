import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../support/folder.ts';
import { run } from '../../../support/run.ts';
import { wireServer } from '../../../support/wire-server.ts';

interface Options {
  readonly input?: string;
  readonly domain?: string;
}

/** Runs `cdn purge` in an empty folder, and returns the URLs that were sent. */
async function purge(args: readonly string[], { input, domain = 'example.com' }: Options = {}) {
  const server = await wireServer(() => ({ body: '{"Success":true,"Error":""}' }));
  onTestFinished(() => server.close());
  const env = {
    GATECTL_BASE_URL: server.baseUrl,
    GATECTL_API_KEY: 'some-key',
    GATECTL_CONFIG_DIR: temporaryFolder(),
    ...(domain !== '' && { GATECTL_DOMAIN: domain }),
  };
  const ran = await run(['cdn', 'purge', ...args], { env, ...(input !== undefined && { input }) });
  const sent = server.received.flatMap(({ body }) => JSON.parse(body).urls ?? [JSON.parse(body).url]);
  return { ...ran, sent };
}

const A = 'https://example.com/a';
const B = 'https://example.com/b';

describe('URLs from stdin and files', () => {
  test('- reads stdin, @FILE a file, and both may be mixed with URLs', async () => {
    const file = join(temporaryFolder(), 'urls.txt');
    await writeFile(file, `${B}\n`);
    const ran = await purge([A, `@${file}`, '-'], { input: 'https://example.com/c\n' });
    expect([ran.code, ran.sent]).toEqual([0, [A, B, 'https://example.com/c']]);
  });

  test('a bare purge with stdin open ends at once, and names the dash', async () => {
    const { code, stderr, stdout } = await run(['cdn', 'purge'], { stdin: new PassThrough() });
    expect([code, stdout, stderr.split('\n').slice(0, 2)]).toEqual([
      2,
      '',
      ['error: no URL, key or domain to purge', '  add - to read URLs from stdin'],
    ]);
  });

  test('stdin twice is rejected', async () => {
    expect(await purge(['-', '-'])).toMatchObject({
      code: 2,
      sent: [],
      stderr: 'error: stdin can be read only once\n  name - once\n',
    });
  });

  test('invalid lines of several lists name their list', async () => {
    const file = join(temporaryFolder(), 'urls.txt');
    await writeFile(file, `${B}\n/relative\n`);
    const { stderr, sent } = await purge([A, `@${file}`]);
    expect([stderr.split('\n')[1], sent]).toEqual([
      `  @${file} line 2: /relative is a path: type the full URL, such as https://example.com/relative`,
      [],
    ]);
  });

  test.each<[string, string]>([
    ['CSV with a url column', `id,url\n1,${A}\n2,"${B}"\n`],
    ['CSV whose one column of URLs has another name', `# export\nid,seite\n1,${A}\n2,${B}\n`],
    ['CSV with semicolons', `url;visits\n${A};3\n${B};4\n`],
    ['TSV without a header', `${A}\t1\n${B}\t2\n`],
    ['CSV without a header', `"${A}","x"\n"${B}","y"\n`],
    ['one column with a header', `URL\n${A}\n${B}\n`],
    ['a JSON list', `["${A}", "${B}"]`],
    ['a JSON list of objects', `[{"id":1,"link":"${A}"},\n{"id":2,"link":"${B}"}]`],
    ['JSON with one list in it', `{\n"count":2,\n"pages":[{"x":"${A}"},{"x":"${B}"}]}`],
    ['ndjson', `{"page_url":"${A}","visits":1}\n{"page_url":"${B}","visits":2}\n`],
    ['the failures of a purge', `target,error\n${A},busy\n${B},busy\n`],
    ['plain lines', `\ufeff# comment\r\n\r\n${A}\r\n<${B}>\r\n`],
  ])('%s is read', async (_, input) => {
    const ran = await purge(['-'], { input });
    expect([ran.code, ran.sent]).toEqual([0, [A, B]]);
  });

  test('a comma in a plain line belongs to its URL', async () => {
    expect((await purge(['-'], { input: `${A},1\n${B}\n` })).sent).toEqual([`${A},1`, B]);
    expect((await purge(['-'], { input: `example.com/a,1\n${B}\n` })).sent).toEqual([`${A},1`, B]);
  });

  test.each([
    ['id,name\n1,x\n', 'no column of standard input contains a URL'],
    [`a,b\n${A},${B}\n`, 'several columns of standard input contain a URL: a, b'],
    ['[{"a":1}]', 'no column of standard input contains a URL'],
    ['{"a":1,\n"b":2}', 'standard input is JSON without a list'],
    [`["${A}",\n`, 'standard input is not JSON: the text ends too early (line 1, column 26)'],
    ['url,x\n"', 'line 2 of standard input is not valid CSV'],
    [`url,x\n${A}\0,1\n`, 'line 2 of standard input contains a NUL byte'],
  ])('%j is rejected before anything is sent', async (input, message) => {
    const { code, sent, stderr } = await purge(['-'], { input });
    expect([code, sent, stderr.split('\n')[0]]).toEqual([2, [], `error: ${message}`]);
  });
});

describe('a URL without a scheme', () => {
  test('is an https URL, with a note', async () => {
    expect(await purge(['example.com/a', '"www.example.com/b"'])).toMatchObject({
      code: 0,
      sent: [A, 'https://www.example.com/b'],
      stderr:
        'note: using https://example.com/a and 1 more URL without a scheme\nnote: removed quotes, brackets or invisible characters around 1 URL\n',
    });
    expect((await purge(['example.com/a'], { domain: '' })).sent).toEqual([A]);
  });

  test.each(['news.html/a', 'example.org/a', '/a', 'a', 'example.com:80/a', './example.com/a'])(
    '%s is rejected: it may be something else',
    async text => {
      const { code, sent } = await purge([text]);
      expect([code, sent]).toEqual([2, []]);
    },
  );

  test('without a domain, a file name is not a host', async () => {
    expect(await purge(['news.html/a'], { domain: '' })).toMatchObject({ code: 2, sent: [] });
  });

  test('a bare domain may mean its front page or all of it, so it is rejected', async () => {
    expect((await purge(['example.com'])).stderr).toBe(
      'error: 1 invalid URL; nothing was sent\n  argument 1: example.com is a domain: type https://example.com/ for its front page, or --all to purge everything\n',
    );
  });
});

describe('the result', () => {
  test('names the domain and the URLs', async () => {
    expect((await purge([A, B])).stdout).toBe(
      [
        'Purge of 2 URLs on example.com',
        'requested  2',
        'cleared    2',
        'failed     0',
        'requests   1',
        '',
        'Cleared',
        A,
        B,
        '',
      ].join('\n'),
    );
  });

  test('lists ten URLs of many', async () => {
    const input = Array.from({ length: 1234 }, (_, i) => `https://example.com/${i}`).join('\n');
    const { stdout } = await purge(['-', '--concurrency', '1'], { input });
    expect(stdout.split('\n').slice(-4)).toEqual([
      'https://example.com/8',
      'https://example.com/9',
      'and 1,224 more',
      '',
    ]);
  });

  test('names the domain that is purged completely', async () => {
    const { stdout } = await purge(['--all', '--yes']);
    expect(stdout.split('\n')[0]).toBe('Purge of everything on example.com');
    expect((await purge(['--key', 'a,b'])).stdout.split('\n')[0]).toBe('Purge of 2 keys on example.com');
  });
});
