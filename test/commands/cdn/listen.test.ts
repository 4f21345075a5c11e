import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Signal } from '../../../src/errors/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { run } from '../../support/run.ts';
import { until } from '../../support/wait.ts';
import { type Received, type Reply, wireServer } from '../../support/wire-server.ts';

const MAP = `site: https://www.example.com
always: /sitemap.xml
rules:
  - on: {type: post}
    urls: "{path}"
    listings: /tag/{tag}/
senders:
  blog: {format: ghost, env: BLOG_SECRET}
  own:
    format: json
    env: OWN_TOKEN
    sign: token
    event: 'if .draft then null elif .endless then last(range(infinite)) elif .many then {kind: "updated"}, {kind: "updated"} else {kind: "updated", type: "post", id: .n, path: .link} end'
`;
const SECRETS = { BLOG_SECRET: 'ghost secret', OWN_TOKEN: 'own-token' };
const DONE: Reply = { body: '{"Success":true,"Error":""}' };
const NOW = Date.UTC(2026, 2, 20, 10);

const post = (slug: string, previous = {}) => ({
  event: 'post.published.edited',
  post: {
    current: {
      id: slug,
      slug,
      status: 'published',
      url: `https://ghost.example.com/${slug}/`,
      tags: [{ slug: 'berlin' }],
    },
    previous,
  },
});

/** Lines of a stream as they come. */
async function* linesOf(stream: PassThrough): AsyncGenerator<Readonly<Record<string, unknown>>> {
  let rest = '';
  for await (const chunk of stream) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
}

interface Options {
  readonly folder?: string;
  readonly words?: readonly string[];
  /** The folder of the queue; empty for that of gatectl. */
  readonly queue?: string;
  readonly reply?: (request: Received, index: number) => Reply | Promise<Reply>;
  readonly env?: Readonly<Record<string, string>>;
}

/** A listener that runs, and a gateway behind it. */
async function listening({
  folder = temporaryFolder(),
  words = [],
  queue = 'queue',
  reply = () => DONE,
  env = {},
}: Options = {}) {
  const server = await wireServer(reply);
  onTestFinished(() => server.close());
  writeFileSync(join(folder, 'map.yaml'), MAP);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let send: (signal: Signal) => void = () => {};
  const ended = run(
    [
      'cdn',
      'listen',
      '--map',
      'map.yaml',
      '--port',
      '0',
      '--collect',
      '0',
      ...(queue === '' ? [] : ['--queue', queue]),
      ...words,
    ],
    {
      ...{ stdout, stderr, cwd: folder, now: NOW, sleep: async () => {} },
      onSignals: given => {
        send = given;
      },
      env: {
        GATECTL_BASE_URL: server.baseUrl,
        GATECTL_API_KEY: 'some-key',
        GATECTL_DOMAIN: 'example.com',
        GATECTL_CONFIG_DIR: join(folder, 'home'),
        ...SECRETS,
        ...env,
      },
    },
  );
  const log: Record<string, unknown>[] = [];
  const lines = linesOf(stderr);
  const first = await lines.next();
  log.push(first.value);
  const reading = (async () => {
    for await (const line of lines) log.push(line);
  })();
  const receipts = linesOf(stdout);
  const origin = String(log[0]?.origin);
  const fetched = async (path: string) => {
    const response = await fetch(`${origin}${path}`);
    return { status: response.status, text: await response.text() };
  };
  return {
    origin,
    log,
    fetched,
    sent: () => server.received.map(({ body }) => JSON.parse(body)),
    receipt: async () => (await receipts.next()).value,
    async deliver(body: unknown, { secret = SECRETS.BLOG_SECRET, at = NOW } = {}) {
      const text = JSON.stringify(body);
      const digest = createHmac('sha256', secret).update(`${text}${at}`).digest('hex');
      const headers = { 'x-ghost-signature': `sha256=${digest}, t=${at}` };
      const response = await fetch(`${origin}/events/blog`, { method: 'POST', headers, body: text });
      return { status: response.status, body: JSON.parse(await response.text()) };
    },
    async own(body: object, token = SECRETS.OWN_TOKEN) {
      const headers = { authorization: `Bearer ${token}` };
      const sent = { method: 'POST', headers, body: JSON.stringify(body) };
      const response = await fetch(`${origin}/events/own`, sent);
      return { status: response.status, body: JSON.parse(await response.text()) };
    },
    async stop() {
      send('SIGTERM');
      const { code } = await ended;
      stderr.end();
      await reading;
      return code;
    },
  };
}

/** A listener that does not start. */
async function refused(map: string, words: readonly string[] = [], env = SECRETS as Record<string, string>) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'map.yaml'), map);
  const ran = await run(['cdn', 'listen', '--map', 'map.yaml', '--port', '0', ...words], {
    cwd,
    env: {
      ...{
        GATECTL_BASE_URL: 'http://127.0.0.1:9',
        GATECTL_API_KEY: 'some-key',
        GATECTL_DOMAIN: 'example.com',
      },
      ...{ GATECTL_CONFIG_DIR: temporaryFolder(), ...env },
    },
  });
  return { code: ran.code, stdout: ran.stdout, message: ran.stderr.split('\n')[0] };
}

describe('cdn listen', () => {
  test('purges what an event leads to, prints its receipt and logs it in the history', async () => {
    const folder = temporaryFolder();
    const listener = await listening({ folder });
    const { status, body } = await listener.deliver(post('new', { slug: 'old' }));
    expect([status, body.status]).toEqual([202, 'queued']);
    const receipt = await listener.receipt();
    expect(receipt).toMatchObject({
      ...{ id: body.id, sender: 'blog', kind: 'moved', type: 'post', entry: 'new', outcome: 'confirmed' },
      ...{ targets: 4, cleared: 4, failures: [], purges: ['20260320-1'] },
    });
    expect(listener.sent()).toEqual([
      {
        urls: ['/new/', '/old/', '/tag/berlin/', '/sitemap.xml'].map(
          path => `https://www.example.com${path}`,
        ),
      },
    ]);
    expect(await listener.stop()).toBe(0);
    expect(listener.log.map(({ message }) => message)).toEqual(['listening', 'stopped']);
    const home = join(folder, 'home', 'state', 'log');
    const logged = readdirSync(home).filter(name => name.endsWith('.ndjson'));
    expect(readFileSync(join(home, logged[0] ?? ''), 'utf8')).toContain('gatectl cdn listen --map map.yaml');
  });

  test("without --queue, events are in gatectl's folder for state", async () => {
    const folder = temporaryFolder();
    const listener = await listening({ folder, queue: '' });
    await listener.deliver(post('a'));
    expect(await listener.receipt()).toMatchObject({ outcome: 'confirmed' });
    await listener.stop();
    const [name = ''] = readdirSync(join(folder, 'home', 'state', 'events'));
    expect(name).toMatch(/^example\.com-[0-9a-f]{12}$/);
  });

  test('a repeated delivery is purged once, and its sender may stop', async () => {
    const listener = await listening();
    await listener.deliver(post('a'));
    await listener.receipt();
    expect(await listener.deliver(post('a'))).toMatchObject({ status: 200, body: { status: 'duplicate' } });
    await listener.stop();
    expect(listener.sent()).toHaveLength(1);
  });

  test('what is forged, stale, of nobody or elsewhere is refused and purges nothing', async () => {
    const listener = await listening();
    const forged = await listener.deliver(post('a'), { secret: 'another' });
    const stale = await listener.deliver(post('a'), { at: NOW - 301_000 });
    const nobody = await fetch(`${listener.origin}/events/nobody`, { method: 'POST', body: '{}' });
    const elsewhere = await fetch(`${listener.origin}/`, { method: 'POST', body: '{}' });
    await Promise.all([nobody.text(), elsewhere.text()]);
    expect([forged.status, stale.status, nobody.status, elsewhere.status]).toEqual([401, 401, 404, 404]);
    expect((await listener.fetched('/metrics')).text).toContain(
      'gatectl_events_received_total{status="forged"} 1\n',
    );
    await listener.stop();
    expect(listener.sent()).toEqual([]);
    expect(listener.log.filter(({ level }) => level === 'warn').map(({ code }) => code)).toEqual([
      ...['forged', 'stale', 'unknown_sender'],
    ]);
    expect(JSON.stringify(listener.log)).not.toMatch(/ghost secret|own-token|some-key/);
  });

  test('another system: an expression of the map makes the event, or none', async () => {
    const listener = await listening();
    const status = async (body: object, token?: string) => {
      const found = await listener.own(body, token);
      return [found.status, found.body.status];
    };
    expect(await status({ draft: true })).toEqual([200, 'ignored']);
    expect(await status({ n: 7, link: '/x/' }, 'wrong')).toEqual([401, undefined]);
    expect(await status({ n: 7, link: '/x/' })).toEqual([202, 'queued']);
    expect(await status({ n: 7, link: '/x/' })).toEqual([200, 'duplicate']);
    expect(await status({ many: true })).toEqual([422, undefined]);
    expect(await status({ endless: true })).toEqual([422, undefined]);
    const timedOut = { sender: 'own', error: 'the jq expression of the sender timed out after 2 s' };
    await until(async () => listener.log.some(({ error }) => error === timedOut.error));
    expect(listener.log.at(-1)).toMatchObject(timedOut);
    expect(await status({ n: 8 })).toEqual([202, 'queued']);
    expect([await listener.receipt(), await listener.receipt()]).toMatchObject([
      { id: '7', outcome: 'confirmed' },
      { id: '8', outcome: 'failed' },
    ]);
    await listener.stop();
  });

  test('while the gateway fails, events are accepted and wait, also for the next run', async () => {
    const folder = temporaryFolder();
    const failing = await listening({ folder, words: ['--retries', '0'], reply: () => ({ status: 503 }) });
    await failing.deliver(post('a'));
    await failing.deliver(post('b'));
    let health = await failing.fetched('/healthz');
    while (health.status === 200) health = await failing.fetched('/healthz');
    expect(JSON.parse(health.text)).toMatchObject({
      status: 'failing',
      waiting: 2,
      code: 'service_unavailable',
    });
    expect(await failing.stop()).toBe(0);
    const next = await listening({ folder });
    expect(next.log[0]).toMatchObject({ waiting: 2 });
    expect([await next.receipt(), await next.receipt()]).toMatchObject([{ entry: 'a' }, { entry: 'b' }]);
    // A receipt is printed before the event is done, so that none is lost.
    await until(async () => (await next.fetched('/healthz')).text === '{"status":"ok","waiting":0}\n');
    await next.stop();
  });

  test('a policy decides about each purge', async () => {
    const folder = temporaryFolder();
    const policy = join(folder, 'policy.yaml');
    const rule = '  - {name: old, command: cdn purge, url: "https://www.example.com/old/", deny: true}';
    writeFileSync(policy, `otherwise: allow\nrules:\n${rule}\n`, { mode: 0o600 });
    const listener = await listening({ folder, env: { GATECTL_POLICY: policy } });
    await listener.deliver(post('new', { slug: 'old' }));
    await listener.deliver(post('b'));
    expect([await listener.receipt(), await listener.receipt()]).toMatchObject([
      { outcome: 'denied', cleared: 0, reason: expect.stringContaining(': rule old: ') },
      { outcome: 'confirmed', entry: 'b' },
    ]);
    await listener.stop();
    expect(JSON.stringify(listener.sent())).not.toContain('/old/');
    expect(listener.log.filter(({ outcome }) => outcome !== undefined)).toMatchObject([
      { level: 'warn', outcome: 'denied', sender: 'blog' },
    ]);
  });

  test('--verify reports pages in receipts', async () => {
    const listener = await listening({ words: ['--verify', '--sandbox'] });
    await listener.own({ n: 1, link: '/weather' });
    const receipt = await listener.receipt();
    expect(receipt).toMatchObject({ outcome: 'confirmed', targets: 2, cleared: 2 });
    expect(receipt.pages).toMatchObject([
      { url: 'https://www.example.com/weather', verdict: 'fresh', reason: 'the cache status is MISS' },
      { url: 'https://www.example.com/sitemap.xml' },
    ]);
    await listener.stop();
  });

  test('a target that is no URL is 400, and what is ignored is counted', async () => {
    const listener = await listening();
    const socket = connect(Number(new URL(listener.origin).port), '127.0.0.1');
    socket.write('GET //[ HTTP/1.1\r\nHost: x\r\n\r\n');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 400 /);
    await listener.own({ draft: true });
    expect((await listener.fetched('/metrics')).text).toContain('status="ignored"} 1\n');
    socket.destroy();
    await listener.stop();
  });

  test('a sender that does not finish its request is a warning, and counted as such', async () => {
    const listener = await listening();
    const socket = connect(Number(new URL(listener.origin).port), '127.0.0.1');
    socket.write(
      'POST /events/blog HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n',
    );
    // It is read then.
    await once(socket, 'data');
    socket.destroy();
    await until(async () => listener.log.some(({ code }) => code === 'timeout'));
    expect(listener.log.at(-1)).toMatchObject({ level: 'warn', sender: null });
    expect((await listener.fetched('/metrics')).text).toContain('status="timeout"} 1\n');
    await listener.stop();
  });

  test('a sender that never finishes its request is not waited for', async () => {
    const listener = await listening();
    const socket = connect(Number(new URL(listener.origin).port), '127.0.0.1');
    socket.write('POST /events/blog HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc');
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    expect(await listener.stop()).toBe(0);
    await closed;
  });

  test.each([
    ['read-only', MAP, ['--read-only'], SECRETS, /only reads are allowed here/],
    ['a missing secret', MAP, [], { OWN_TOKEN: 'x' }, /^error: the secret of the sender blog is missing$/],
    ['no senders', 'rules: [{on: {}, urls: /}]', [], SECRETS, /^error: map.yaml names no senders$/],
    [
      'no rule for events',
      'senders: {a: {format: ghost, env: BLOG_SECRET}}',
      [],
      SECRETS,
      /no rule for events/,
    ],
    ['an invalid expression', MAP.replace('if .draft', 'if ('), [], SECRETS, /is not a jq expression/],
    [
      'an expression for Ghost',
      MAP.replace('blog: {format: ghost', 'blog: {event: ., format: ghost'),
      [],
      SECRETS,
      /only json/,
    ],
    [
      'a URL elsewhere',
      MAP.replace('always: /sitemap', 'always: https://www.example.org/sitemap'),
      [],
      SECRETS,
      /^error: https:\/\/www.example.org\/sitemap.xml of map.yaml is not on example.com$/,
    ],
    [
      'another system without an expression',
      MAP.replace(/ {4}event: .*/, ''),
      [],
      SECRETS,
      /^error: the sender own of map.yaml has no event$/,
    ],
    ['a long time', MAP, ['--collect', '10h'], SECRETS, /--collect cannot be '10h'/],
    ['--curl', MAP, ['--curl'], SECRETS, /--curl and gatectl cdn listen cannot be combined/],
  ])('%s is an error at the start', async (_, map, words, env, message) => {
    const found = await refused(map, words, env);
    expect([found.code, found.stdout]).toEqual([2, '']);
    expect(found.message).toMatch(message);
  });
});
