import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { run } from '../../support/run.ts';
import { wireServer } from '../../support/wire-server.ts';
import type { FaultCase, FaultGroup } from '../fault-case.ts';
import { ASKING, goodAnswer, tryAnswer } from '../trial.ts';

type Told = Pick<FaultCase, 'fault' | 'does'>;

/** Command lines that are refused before anything is sent; the last one's outcome stands for all. */
function refused(
  told: Told,
  ...lines: readonly (readonly [args: readonly string[], says: string])[]
): FaultCase {
  return {
    ...told,
    exit: 2,
    async attempt() {
      const outcomes = [];
      for (const [args, says] of lines) {
        const ran = await tryAnswer(args, () => ({ body: '{}' }));
        expect({ code: ran.code, requests: ran.requests }, `${args.join(' ')}: ${ran.stderr}`).toEqual({
          code: 2,
          requests: 0,
        });
        expect(ran.stderr).toContain(says);
        outcomes.push(ran);
      }
      return outcomes.at(-1) ?? expect.unreachable();
    },
  };
}

const BAD_LINES = Buffer.concat([
  Buffer.from(
    'https://example.com/good\n/relative\nftp://example.com/\nhttps://me:pw@example.com/\nhttps://example.com/a b\n',
  ),
  Buffer.from([0x68, 0xff, 0xfe, 0x0a]),
  Buffer.from('https://example.com/\0\nhttps://elsewhere.example/\n'),
]);

const purgeKey = (key: string) => ['cdn', 'purge', '--key', key];
const purgeAll = (domain: string) => ['cdn', 'purge', '--all', '--yes', '--domain', domain];
const days = (...flags: string[]) => ['bda', 'query', '--data-set', 'pageview', '-m', 'visits', ...flags];
const reader = (email: string) => ['access', '--product', 'premium', '--email', email];

/** A command with a profiles file of this text, made by `prepare`. */
function withConfig(
  told: Told & Pick<FaultCase, 'exit'>,
  says: string,
  prepare: (path: string) => void,
): FaultCase {
  return {
    ...told,
    async attempt() {
      const folder = temporaryFolder();
      const path = join(folder, 'config.json');
      prepare(path);
      const env = { GATECTL_CONFIG_DIR: folder };
      const ran = await tryAnswer(ASKING.access, () => ({ body: goodAnswer('access') }), { env });
      expect(ran.requests).toBe(told.exit === 0 ? 1 : 0);
      expect(ran.stderr).toContain(says);
      if (told.exit === 0) return ran;
      const add = ['profile', 'add', 'p', '--base-url', 'https://gateway.example.com'];
      expect((await run(add, { env })).code).toBe(told.exit);
      return ran;
    },
  };
}

const text = (content: string) => (path: string) => writeFileSync(path, content, { mode: 0o600 });

export const input: FaultGroup = {
  title: 'Input',
  cases: [
    {
      fault: 'a list of URLs with a byte order mark, CRLF, blank lines, comments, fragments and repetitions',
      does: 'cleans it and counts the changes',
      exit: 0,
      async attempt() {
        const list =
          '\ufeffhttps://example.com/a\r\n\r\n# news\r\nhttps://example.com/a#top\r\n  https://example.com/b \r\n';
        const sent: string[] = [];
        const ran = await tryAnswer(
          ['cdn', 'purge', '--file', '-'],
          ({ body }) => {
            sent.push(...JSON.parse(body).urls);
            return { body: goodAnswer('purge') };
          },
          { input: list },
        );
        expect(sent).toEqual(['https://example.com/a', 'https://example.com/b']);
        expect(ran.stderr).toBe(
          'note: skipped 1 repeated URL\nnote: removed 1 fragment: fragments never reach a cache\n',
        );
        return ran;
      },
    },
    {
      fault:
        'lines that are not UTF-8, contain a NUL byte, a space or a user name, are relative, not http, or on another domain',
      does: 'lists all of them with line numbers; sends nothing',
      exit: 2,
      async attempt() {
        const file = join(temporaryFolder(), 'urls.txt');
        writeFileSync(file, BAD_LINES);
        const ran = await tryAnswer(['cdn', 'purge', '--file', file], () => ({ body: '{}' }));
        expect(ran.requests).toBe(0);
        expect(ran.stderr.match(/line \d/g)).toEqual([2, 3, 4, 5, 6, 7, 8].map(line => `line ${line}`));
        return ran;
      },
    },
    {
      fault: 'a file in UTF-16 that ends within a character',
      does: 'names the encoding, and prints how to save the file as UTF-8',
      exit: 2,
      async attempt() {
        const file = join(temporaryFolder(), 'urls.txt');
        writeFileSync(file, Buffer.from('\ufeffhttps://example.com/', 'utf16le').subarray(0, -1));
        const ran = await tryAnswer(['cdn', 'purge', '--file', file], () => ({ body: '{}' }));
        expect(ran.stderr).toContain('is not valid UTF-16 text');
        return ran;
      },
    },
    refused(
      {
        fault: 'a surrogate key that is empty, is a URL, contains a space or ends in a wildcard',
        does: 'names the problem',
      },
      [purgeKey('article-*'), 'ends in a wildcard'],
      [purgeKey('a b'), 'contains a space or a control character'],
      [purgeKey('https://example.com/'), 'is a URL'],
      [purgeKey(''), 'is empty'],
    ),
    {
      fault: 'a sitemap index on the network that names local files, devices, other hosts or invalid URLs',
      does: 'lists them; opens no file and sends nothing',
      exit: 2,
      async attempt() {
        const locations = ['/etc/passwd', '/dev/zero', 'file:///etc/passwd', 'http://', 'http://192.0.2.1/'];
        const body = `<sitemapindex>${locations.map(each => `<sitemap><loc>${each}</loc></sitemap>`).join('')}</sitemapindex>`;
        const site = await wireServer(() => ({ body }));
        onTestFinished(() => site.close());
        const ran = await tryAnswer(['cdn', 'purge', '--sitemap', `${site.baseUrl}/index.xml`], () => ({}));
        expect([ran.requests, site.received.length]).toEqual([0, 1]);
        for (const location of locations) expect(ran.stderr).toContain(`: ${location} is `);
        return ran;
      },
    },
    {
      fault: 'a page that redirects to file:, javascript:, data: or another program, with --verify',
      does: 'purges, names the redirect and does not follow it',
      exit: 0,
      async attempt() {
        const schemes = ['file:///etc/passwd', 'javascript:alert(1)', 'data:,a', 'myapp://open'];
        const site = await wireServer((_, index) => ({
          status: 302,
          headers: { location: schemes[index % schemes.length] ?? '' },
        }));
        onTestFinished(() => site.close());
        const pages = schemes.map((_, index) => `${site.baseUrl}/${index}`);
        const flags = ['cdn', 'purge', ...pages, '--verify', '--any-domain'];
        const ran = await tryAnswer(flags, () => ({ body: goodAnswer('purge') }));
        expect(ran.requests).toBe(1);
        expect(ran.stderr.match(/^note: unknown: /gm)).toHaveLength(4);
        return ran;
      },
    },
    refused(
      {
        fault: 'a URL with a wildcard; two URLs in one word',
        does: 'prints what to type instead',
      },
      [
        ['cdn', 'purge', 'https://example.com/*'],
        'purge a surrogate key for a group of pages, or the whole domain',
      ],
      [
        ['cdn', 'purge', 'https://example.com/a,https://example.com/b'],
        'is more than one URL: pass one per line or argument',
      ],
    ),
    refused(
      {
        fault:
          'a domain with a scheme, www., another subdomain, port or path; an IP address; a public suffix',
        does: 'prints what to type instead',
      },
      [purgeAll('blog.example.com'), 'type --domain example.com'],
      [[...purgeKey('news'), '--domain', 'blog.example.com'], 'type --domain example.com'],
      [purgeAll('https://example.com/'), 'type example.com'],
      [purgeAll('www.example.com'), 'type example.com'],
      [purgeAll('example.com:443'), 'type example.com'],
      [purgeAll('192.0.2.1'), 'is an IP address'],
      [purgeAll('co.uk'), 'is a public suffix'],
    ),
    refused(
      {
        fault: 'a day that does not exist; a range that ends before it starts',
        does: 'names the allowed values',
      },
      [days('--from', '2026-02-30'), '2026-02-30'],
      [days('--from', '2026-03-02', '--to', '2026-03-01'), '2026-03-02'],
      [days('--last', '0d'), '0d'],
    ),
    refused(
      { fault: 'a number out of range, or not a number', does: 'names the allowed values' },
      [days('--from', '2026-03-01', '--limit', '0'), 'an integer from 1 to 100000'],
      [days('--from', '2026-03-01', '--limit', '-5'), '--limit'],
      [days('--from', '2026-03-01', '--limit', '1e3'), 'an integer from 1 to 100000'],
      [days('--from', '2026-03-01', '--limit', '100001'), 'an integer from 1 to 100000'],
      [[...ASKING.access, '--timeout', 'soon'], 'timeout'],
      [[...ASKING.access, '--retries', '-1'], '--retries'],
    ),
    refused(
      {
        fault: 'an invalid e-mail address, or one that contains a line break',
        does: 'rejects it without printing it',
      },
      [reader('nobody'), 'not a valid e-mail address'],
      [reader('a@example.com\r\nX-Other: 1'), '--email contains U+000D at character 14'],
      [['access', '--product', 'p', '--reader-token', 'a b'], 'reader token'],
    ),
    refused(
      {
        fault: '`-` for a file to write',
        does: 'prints that output goes to stdout, and how to name a file',
      },
      [['cdn', 'purge', 'https://example.com/', '--failed-file', '-'], '--failed-file requires a file name'],
      [
        ['access', '--product', 'p', '--from-file', '-', '--failed-file', ''],
        '--failed-file requires a file name',
      ],
    ),
    refused(
      { fault: 'escape sequences and bidi controls in a flag', does: 'prints them escaped' },
      [['cdn', 'purge', 'https://example.com/\u001b[2J\u202e'], '\\x1b[2J\\u202e'],
      [days('--from', '\u001b]0;gone\u0007'), '\\x1b]0;gone\\x07'],
    ),
    withConfig(
      {
        fault: 'a malformed profiles file',
        does: 'names the file and line; does not change the file',
        exit: 9,
      },
      'is invalid: not valid JSON at line 2',
      text('{\n  "version: 1\n}'),
    ),
    withConfig(
      {
        fault: 'a profiles file of a newer version',
        does: 'names both versions; does not change the file',
        exit: 9,
      },
      'was written by a newer gatectl: its format is 99',
      text('{"version":99,"profiles":{}}'),
    ),
    withConfig(
      {
        fault: 'a folder or FIFO instead of the profiles file',
        does: 'reports it without hanging',
        exit: 9,
      },
      'is not a regular file',
      path => execFileSync('mkfifo', [path]),
    ),
    withConfig(
      {
        fault: 'a profiles file that contains a key and is readable by others',
        does: 'warns, and prints how to make it private',
        exit: 0,
      },
      'which contains an API key; restrict it with chmod 600',
      path => {
        text('{"version":1,"profiles":{"p":{"key":{"kind":"config","api-key":"some-other-key"}}}}')(path);
        chmodSync(path, 0o644);
      },
    ),
    {
      fault: "a profiles file that is another user's link",
      does: 'does not write to it',
      exit: 9,
      async attempt(skip) {
        const folder = temporaryFolder();
        const elsewhere = join(folder, 'elsewhere.json');
        mkdirSync(join(folder, 'config'));
        const path = join(folder, 'config/config.json');
        writeFileSync(elsewhere, '{"version":1,"profiles":{}}');
        try {
          execFileSync('ln', ['-s', elsewhere, path]);
          execFileSync('chown', ['-h', '65534:65534', path], { stdio: 'pipe' });
        } catch {
          skip('a file can only be given away by root');
        }
        const add = ['profile', 'add', 'p', '--base-url', 'https://gateway.example.com'];
        const ran = await run(add, { env: { GATECTL_CONFIG_DIR: join(folder, 'config') } });
        expect(ran.stderr).toContain("links to another user's file, or another user created the link");
        expect(readFileSync(elsewhere, 'utf8')).toBe('{"version":1,"profiles":{}}');
        return ran;
      },
    },
  ],
};
