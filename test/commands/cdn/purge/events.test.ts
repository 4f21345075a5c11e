import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../support/folder.ts';
import { run } from '../../../support/run.ts';
import { wireServer } from '../../../support/wire-server.ts';

const MAP = `site: https://www.example.com
always: /sitemap.xml
rules:
  - on: {type: article}
    urls: "{path}"
    listings: [/, "/tag/{tag}/"]
    keys: "article-{entry}"
  - on: {type: draft}
    ignore: true
`;
const EVENT = {
  kind: 'updated',
  type: 'article',
  entry: '7',
  path: '/new/',
  old_path: '/old/',
  tags: ['berlin'],
};

async function purge(event: unknown, words: readonly string[] = [], map = MAP) {
  const server = await wireServer(() => ({ body: '{"Success":true,"Error":""}' }));
  onTestFinished(() => server.close());
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'map.yaml'), map);
  writeFileSync(join(cwd, 'event.json'), JSON.stringify(event));
  const ran = await run(['cdn', 'purge', '--event', 'event.json', '--map', 'map.yaml', ...words], {
    cwd,
    env: {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
      GATECTL_CONFIG_DIR: temporaryFolder(),
    },
  });
  return { ...ran, sent: server.received.map(({ body }) => JSON.parse(body)) };
}

describe('cdn purge --event', () => {
  test('purges what the event leads to, keys after URLs', async () => {
    const { code, sent, stdout } = await purge(EVENT, ['-o', 'json']);
    expect(code).toBe(0);
    expect(sent).toEqual([
      {
        urls: ['new/', 'old/', '', 'tag/berlin/', 'sitemap.xml'].map(
          path => `https://www.example.com/${path}`,
        ),
      },
      { keys: 'article-7', domain: 'example.com' },
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ domain: 'example.com', requested: 6, cleared: 6, failed: 0 });
  });

  test('--explain shows it, and sends nothing', async () => {
    const { code, sent, stdout, stderr } = await purge(EVENT, ['--explain', '-o', 'csv']);
    expect([code, sent, stderr]).toEqual([0, [], 'note: 6 targets; nothing was sent\n']);
    expect(stdout).toBe(`kind,target,rule
URL,https://www.example.com/new/,1: article
URL,https://www.example.com/old/,1: article
listing,https://www.example.com/,1: article
listing,https://www.example.com/tag/berlin/,1: article
always,https://www.example.com/sitemap.xml,1: article
key,article-7,1: article
`);
  });

  test('several events are one purge', async () => {
    const { sent } = await purge(
      [EVENT, { ...EVENT, entry: '8', path: '/other/', old_path: null }],
      ['-o', 'json'],
    );
    expect(sent.map(({ urls, keys }) => urls?.length ?? keys)).toEqual([6, 'article-7,article-8']);
  });

  test('an event that a rule ignores sends nothing', async () => {
    const { code, sent, stderr } = await purge({ ...EVENT, type: 'draft' });
    expect([code, sent, stderr]).toEqual([0, [], 'note: no event purges a URL or a key; nothing was sent\n']);
  });

  test.each([
    [{ ...EVENT, kind: 'exploded' }, MAP, 'event 1 of event.json: its kind is none of'],
    [
      [EVENT, { ...EVENT, type: 'menu' }],
      MAP,
      'event 2 of event.json: no rule of the map is for events of this type',
    ],
    [[], MAP, 'event.json has no event'],
    [{ ...EVENT, entry: 'two words' }, MAP, 'article-two words contains a space'],
    [EVENT, 'site: https://www.example.com', 'map.yaml has no rule for events'],
  ])('%j is refused', async (event, map, message) => {
    const { code, sent, stderr } = await purge(event, [], map);
    expect([code, sent]).toEqual([2, []]);
    expect(stderr).toContain(message);
  });

  test('--explain names a value that cannot be a key', async () => {
    const { code, stderr } = await purge({ ...EVENT, entry: 'a,b', path: null }, ['--explain']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('article-a,b contains a comma')]);
  });

  test('read-only holds', async () => {
    const { code, sent } = await purge(EVENT, ['--read-only']);
    expect([code, sent]).toEqual([2, []]);
  });

  test('--explain of a file and of an event cannot be combined', async () => {
    const { code, stderr } = await purge(EVENT, ['--explain', 'a.md']);
    expect([code, stderr.split('\n')[0]]).toEqual([
      2,
      'error: --explain FILE and --event cannot be combined',
    ]);
  });
});
