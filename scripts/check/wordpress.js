// Publishes, edits, renames, withdraws and deletes posts of a real WordPress behind Debian's Varnish, with the example plug-in, while
// visitors fetch pages, `gatectl cdn listen` is killed, and requests and responses are lost between all of them. Fails if Varnish serves
// a page that WordPress does not once every event is confirmed. WORDPRESS_EDITS is the number of edits, WORDPRESS_SEED makes them repeatable.
// Before that, it sends 10,000 events within a minute.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHmac, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer as createHttpServer, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from './listen.js';

const EDITS = Number(process.env.WORDPRESS_EDITS ?? 500);
const SEED = Number(process.env.WORDPRESS_SEED ?? randomInt(1_000_000));
const EVENTS = 10_000;
/** Of requests and of responses, between all programs. */
const LOSS = 0.05;
const SETTLE_MS = 60_000;
const SECRET = 'a secret of the check';
const KEY = 'sandbox-key-0000-not-a-secret';
const HOST = 'www.example.com';
const TAGS = ['berlin', 'trams', 'weather', 'films', 'chess'];
const CATEGORIES = ['news', 'culture', 'sports'];
const AUTHORS = ['anna', 'otto'];
const LISTINGS = [
  '',
  ...TAGS.map(tag => `articles/tag/${tag}/`),
  ...CATEGORIES.map(name => `articles/category/${name}/`),
  ...AUTHORS.map(name => `articles/author/${name}/`),
];
const MAP = `site: http://${HOST}
always: [/, /feed/]
rules:
  - on: {type: post}
    urls: "{path}"
    listings:
      - /page/{page}/
      - /articles/tag/{tag}/
      - /articles/tag/{tag}/feed/
      - /articles/tag/{tag}/page/{page}/
      - /articles/category/{section}/
      - /articles/category/{section}/page/{page}/
      - /articles/author/{author}/
      - /articles/author/{author}/page/{page}/
    pages: 6
senders:
  wordpress: {format: wordpress, env: EVENTS_SECRET}
`;

const folder = mkdtempSync(join(tmpdir(), 'gatectl-wp-'));
const children = new Set();
const servers = [];
let seed = SEED;
let failed = 0;
function check(what, isRight, found = '') {
  if (!isRight) failed += 1;
  process.stdout.write(`${isRight ? 'ok' : 'FAILED'}: ${what}${found === '' ? '' : ` (${found})`}\n`);
}

/** A number from 0 to 1, the same in each run with the same seed. */
function random() {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
}
function below(count) {
  return Math.floor(random() * count);
}
function pick(list) {
  return list[below(list.length)];
}

/** Sends events as fast as they are accepted, and watches the memory of the listener. */
async function manyEvents() {
  const gateway = await startSandbox();
  const listener = new ListenerProcess({ gateway, port: await freePort(), queue: 'many' });
  await listener.start();
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const memory = [];
  const send = async index => {
    const body = JSON.stringify({
      post_id: index,
      post_type: 'post',
      post_status: 'publish',
      permalink: `http://${HOST}/articles/${index}/`,
      terms: { post_tag: [pick(TAGS)] },
    });
    const time = Math.floor(Date.now() / 1000);
    const digest = createHmac('sha256', SECRET).update(`m${index}.${time}.${body}`).digest('base64');
    const headers = {
      'webhook-id': `m${index}`,
      'webhook-timestamp': time,
      'webhook-signature': `v1,${digest}`,
    };
    const { status } = await call({
      port: listener.port,
      path: '/events/wordpress',
      method: 'POST',
      headers,
      body,
      agent,
    });
    if (status !== 202) throw new Error(`event ${index} was answered with ${status}`);
    if (index % 500 === 0) memory.push(listener.memory());
  };
  const slow = slowSender(listener.port);
  const startedAt = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < EVENTS) await send(next++);
  };
  await Promise.all(Array.from({ length: 32 }, worker));
  const seconds = (performance.now() - startedAt) / 1000;
  for (const end = Date.now() + SETTLE_MS; listener.receipts.length < EVENTS && Date.now() < end; )
    await sleep(100);
  memory.push(listener.memory());
  agent.destroy();
  check(`${EVENTS} events are accepted within a minute`, seconds < 60, `${seconds.toFixed(1)} s`);
  check(
    'each is confirmed',
    listener.receipts.filter(({ outcome }) => outcome === 'confirmed').length === EVENTS,
  );
  const [early, most] = [Math.max(...memory.slice(0, 5)), Math.max(...memory)];
  check(
    'memory does not grow with their number',
    most < early + 120,
    `${early} MB after 2,000, ${most} MB at most`,
  );
  const { seconds: waited, answer } = await slow;
  check(
    'a sender that does not finish its request is not waited for',
    waited < 20 && / 408 /.test(answer),
    `${waited.toFixed(1)} s, ${answer}`,
  );
  await listener.stop();
}

/** Begins a request, and returns the status line that ends it. */
async function slowSender(port) {
  const startedAt = performance.now();
  const socket = connect(port, '127.0.0.1');
  socket.write(`POST /events/wordpress HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 100\r\n\r\n{`);
  let answer = '';
  socket.setEncoding('utf8').on('data', text => {
    answer += text;
  });
  await once(socket, 'close');
  return { seconds: (performance.now() - startedAt) / 1000, answer: answer.split('\r\n')[0] };
}

async function edits() {
  process.stdout.write(`${EDITS} edits with WORDPRESS_SEED=${SEED}\n`);
  const varnishPort = await freePort();
  const gateway = await startSandbox(['--purge-to', `http://127.0.0.1:${varnishPort}`]);
  const listener = new ListenerProcess({
    gateway: await lossyProxy(new URL(gateway).port),
    port: await freePort(),
    queue: 'edits',
  });
  const site = await startWordPress(`${await lossyProxy(listener.port)}/events/wordpress`);
  await startVarnish(varnishPort, site.port);
  await listener.start();
  const wordpress = new WordPress(site);
  const origin = path => visit(site.port, path);
  const cached = path => visit(varnishPort, path);
  const fixed = LISTINGS.flatMap(path => [
    `/${path}`,
    ...[2, 3, 4, 5, 6].map(page => `/${path}page/${page}/`),
  ]);
  fixed.push('/feed/', ...TAGS.map(tag => `/articles/tag/${tag}/feed/`));
  for (let count = 0; count < 8; count += 1) await wordpress.create();

  for (const path of LISTINGS.slice(-AUTHORS.length)) {
    const { status } = await origin(`/${path}`);
    if (status !== 200) throw new Error(`/${path} is not a page of WordPress: ${status}`);
  }

  let stopping = false;
  const visitors = Array.from({ length: 2 }, async () => {
    while (!stopping) {
      await cached(pick([...fixed, ...wordpress.paths])).catch(() => undefined);
      await sleep(10);
    }
  });
  let [done, kills, compared, hits, stale] = [0, 0, 0, 0, 0];
  const compare = async paths => {
    for (let at = 0; at < paths.length; at += 4)
      await Promise.all(
        paths.slice(at, at + 4).map(async path => {
          const [now, shown] = [await origin(path), await cached(path)];
          compared += 1;
          if (shown.isHit) hits += 1;
          if (now.text === shown.text) return;
          stale += 1;
          process.stdout.write(
            `stale: ${path}\n--- WordPress\n${now.text}\n--- Varnish (age ${shown.age})\n${shown.text}\n`,
          );
        }),
      );
  };
  while (done < EDITS && stale === 0) {
    const killing = done === 0 || random() < 0.4 ? sleep(below(800)).then(() => listener.kill()) : undefined;
    for (let count = Math.min(EDITS - done, 1 + below(10)); count > 0; count -= 1) {
      await wordpress.edit();
      done += 1;
    }
    if (killing !== undefined) kills += 1;
    await killing;
    await settled(site.port, listener);
    const others = [...wordpress.paths].filter(() => random() < 0.2);
    await compare([
      ...new Set([...fixed.filter(() => random() < 0.5), ...wordpress.recent.splice(0), ...others]),
    ]);
  }
  stopping = true;
  await Promise.all(visitors);
  if (stale === 0) await compare([...fixed, ...wordpress.paths]);
  const outcomes = new Set(listener.receipts.map(({ outcome }) => outcome));
  const distinct = new Set(listener.receipts.map(({ id }) => id)).size;
  const moved = listener.receipts.filter(({ kind }) => kind === 'moved').length;
  check('each event is confirmed', [...outcomes].join() === 'confirmed', [...outcomes].join());
  check(
    'each edit of a public post has an event',
    distinct === wordpress.events,
    `${distinct} of ${wordpress.events}`,
  );
  check('posts moved, and the listener was killed', moved > 0 && kills > 0, `${moved} moves, ${kills} kills`);
  check('pages are served from the cache', hits > compared / 20, `${hits} hits in ${compared} comparisons`);
  check(
    'no page is stale after its event is confirmed',
    stale === 0,
    `${compared} comparisons after ${done} edits`,
  );
  process.stdout.write(`lost: ${lost.requests} requests, ${lost.responses} responses\n`);
  await listener.stop();
}

/** Waits until no event waits anywhere. */
async function settled(port, listener) {
  for (const end = Date.now() + SETTLE_MS; ; await sleep(50)) {
    const waiting = await call({ port, path: '/?gatectl_waiting=1' }).catch(() => undefined);
    if (waiting?.body === '0') {
      const health = await call({ port: listener.port, path: '/healthz' }).catch(() => undefined);
      if (health?.status === 200 && JSON.parse(health.body).waiting === 0) return;
    }
    if (Date.now() > end) throw new Error(`events still wait: ${waiting?.body} in WordPress`);
  }
}

/** The posts, and how they are edited: with the REST API. */
class WordPress {
  #site;
  #posts = new Map();
  #names = 0;
  paths = new Set();
  recent = [];
  /** Events that edits so far have. */
  events = 0;

  constructor(site) {
    this.#site = site;
  }

  async create() {
    this.#names += 1;
    const post = await this.#send('POST', '', {
      ...this.#fields(),
      slug: `post-${this.#names}`,
      // WordPress orders posts of the same second at random.
      date: new Date(Date.UTC(2026, 0, 1, 0, this.#names)).toISOString().slice(0, 19),
      status: 'publish',
    });
    this.#posts.set(post.id, post);
    this.events += 1;
  }

  async edit() {
    const live = [...this.#posts.values()];
    const post = pick(live);
    if (live.length < 8 || (live.length < 24 && random() < 0.2)) return await this.create();
    const kind = below(10);
    const isPublic = post.status === 'publish';
    if (kind === 0) {
      await this.#send('DELETE', `/${post.id}?force=${random() < 0.5}`);
      this.#posts.delete(post.id);
      if (isPublic || post.hasMoved) this.events += 1;
      return;
    }
    const change =
      kind < 3
        ? { slug: this.#newSlug() }
        : kind === 3
          ? { status: isPublic ? 'draft' : 'publish' }
          : this.#fields();
    const now = await this.#send('POST', `/${post.id}`, change);
    if (isPublic || now.status === 'publish' || post.hasMoved) this.events += 1;
    // WordPress keeps the former names of posts that are public.
    const hasMoved = post.hasMoved || (isPublic && 'slug' in change);
    this.#posts.set(post.id, { ...now, hasMoved });
  }

  #newSlug() {
    this.#names += 1;
    return `name-${this.#names}`;
  }

  #fields() {
    const { authors, categories, tags } = this.#site.ids;
    const words = `${below(1_000_000)}`;
    const author = random() < 0.3 ? { author: pick(authors) } : {};
    return {
      title: `Title ${words}`,
      content: `Text ${words}`,
      categories: [pick(categories)],
      tags: tags.filter(() => random() < 0.3),
      ...author,
    };
  }

  async #send(method, path, fields) {
    const headers = {
      authorization: `Basic ${Buffer.from(`anna:${this.#site.ids.password}`).toString('base64')}`,
      'content-type': 'application/json',
    };
    const sent = {
      port: this.#site.port,
      path: `/wp-json/wp/v2/posts${path}`,
      method,
      headers,
      ...(fields && { body: JSON.stringify(fields) }),
    };
    const { status, body } = await call(sent);
    if (status >= 300) throw new Error(`WordPress answered ${method} ${path} with ${status}: ${body}`);
    const post = JSON.parse(body);
    for (const link of [post.link, post.previous?.link]) {
      if (link === undefined || !link.includes('/articles/')) continue;
      this.paths.add(new URL(link).pathname);
      this.recent.push(new URL(link).pathname);
    }
    return post;
  }
}

/** `gatectl cdn listen`, which is killed and started again. */
class ListenerProcess {
  receipts = [];
  #options;
  #child;

  constructor(options) {
    this.#options = options;
  }

  get port() {
    return this.#options.port;
  }

  async start() {
    const { gateway, port, queue } = this.#options;
    const words = [
      'cdn',
      'listen',
      '--map',
      join(folder, 'map.yaml'),
      '--port',
      `${port}`,
      '--collect',
      '0.25s',
      '--queue',
      join(folder, queue),
    ];
    const env = {
      GATECTL_BASE_URL: gateway,
      GATECTL_API_KEY: KEY,
      GATECTL_DOMAIN: 'example.com',
      EVENTS_SECRET: SECRET,
    };
    this.#child = start(process.execPath, ['bin/gatectl.js', ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: folder, ...env },
    });
    createInterface({ input: this.#child.stdout }).on('line', line => {
      // A kill may cut a line.
      try {
        this.receipts.push(JSON.parse(line));
      } catch {}
    });
    const lines = createInterface({ input: this.#child.stderr });
    /** @type {Promise<void>} */
    const listening = new Promise((resolve, reject) => {
      lines.on('line', line => {
        if (line.includes('"listening"')) resolve();
        else if (!line.startsWith('{')) process.stderr.write(`${line}\n`);
      });
      this.#child.once('exit', code => reject(new Error(`cdn listen ended with ${code}`)));
    });
    await listening;
    listening.catch(() => {});
  }

  /** Megabytes in use. */
  memory() {
    const [, kilobytes] =
      /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kilobytes) / 1024);
  }

  async kill() {
    const ended = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await ended;
    await this.start();
  }

  async stop() {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const [code] = await ended;
    check('the listener stops with 0', code === 0, `${code}`);
  }
}

const lost = { requests: 0, responses: 0 };

/** A proxy that loses requests, and responses to requests that it has passed on. Returns its address. */
async function lossyProxy(port) {
  const server = createHttpServer((incoming, outgoing) => {
    if (Math.random() < LOSS) {
      lost.requests += 1;
      return incoming.socket.destroy();
    }
    const { method, url, headers } = incoming;
    const passed = request(
      { host: '127.0.0.1', port, method, path: url, headers, agent: false },
      response => {
        if (Math.random() < LOSS) {
          lost.responses += 1;
          response.resume();
          return incoming.socket.destroy();
        }
        outgoing.writeHead(response.statusCode, response.headers);
        response.pipe(outgoing);
      },
    );
    passed.on('error', () => incoming.socket.destroy());
    incoming.pipe(passed);
  });
  servers.push(server);
  return `http://127.0.0.1:${await listen(server)}`;
}

async function startSandbox(words = []) {
  const port = await freePort();
  start(process.execPath, ['bin/gatectl.js', 'sandbox', 'serve', '--port', `${port}`, ...words]);
  await until(async () => (await call({ port, path: '/' })).status > 0);
  return `http://127.0.0.1:${port}`;
}

/** WordPress with a database of its own, served by php-cli. */
async function startWordPress(eventsUrl) {
  const port = await freePort();
  const [root, content, socket] = [join(folder, 'www'), join(folder, 'content'), join(folder, 'db.sock')];
  const data = join(folder, 'data');
  cpSync('/usr/share/wordpress', root, {
    recursive: true,
    dereference: true,
    filter: path => !path.includes('/wp-content/'),
  });
  for (const path of ['mu-plugins', 'themes/plain', 'plugins'])
    mkdirSync(join(content, path), { recursive: true });
  const own = 'scripts/check/wordpress';
  cpSync(join(own, 'waiting.php'), join(content, 'mu-plugins/waiting.php'));
  cpSync(join(own, 'index.php'), join(content, 'themes/plain/index.php'));
  writeFileSync(join(content, 'themes/plain/style.css'), '/*\nTheme Name: Plain\n*/\n');
  rmSync(join(root, 'wp-config.php'), { force: true });
  writeFileSync(join(root, 'wp-config.php'), config({ socket, content, eventsUrl }));
  chmodSync(folder, 0o755);
  execFileSync(
    'mariadb-install-db',
    [
      '--no-defaults',
      `--datadir=${data}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      `--user=${process.env.USER ?? 'root'}`,
    ],
    { stdio: 'ignore' },
  );
  start('mariadbd', [
    '--no-defaults',
    `--datadir=${data}`,
    `--socket=${socket}`,
    '--skip-networking',
    '--user=root',
    '--innodb-flush-log-at-trx-commit=0',
  ]);
  const database = words =>
    execFileSync('mariadb', ['--no-defaults', '-S', socket, '-u', 'root', ...words], { stdio: 'ignore' });
  await until(async () => database(['-e', 'CREATE DATABASE IF NOT EXISTS wordpress']) !== undefined || true);
  const ids = JSON.parse(
    execFileSync('php', ['-d', 'sendmail_path=/bin/true', join(process.cwd(), own, 'install.php')], {
      cwd: root,
      encoding: 'utf8',
    }),
  );
  // From here on, what is published has events.
  cpSync('examples/wordpress/gatectl-events.php', join(content, 'mu-plugins/gatectl-events.php'));
  start('php', ['-S', `127.0.0.1:${port}`, '-t', root, join(process.cwd(), own, 'router.php')], {
    stdio: 'ignore',
    env: { ...process.env, PHP_CLI_SERVER_WORKERS: '4' },
  });
  await until(async () => (await visit(port, '/')).status === 200);
  return { port, ids };
}

function config({ socket, content, eventsUrl }) {
  const constants = {
    DB_NAME: 'wordpress',
    DB_USER: 'root',
    DB_PASSWORD: '',
    DB_HOST: `localhost:${socket}`,
    DB_CHARSET: 'utf8mb4',
    DB_COLLATE: '',
    WP_CONTENT_DIR: content,
    WP_HOME: `http://${HOST}`,
    WP_SITEURL: `http://${HOST}`,
    WP_ENVIRONMENT_TYPE: 'local',
    WP_HTTP_BLOCK_EXTERNAL: true,
    WP_ACCESSIBLE_HOSTS: '127.0.0.1',
    DISABLE_WP_CRON: true,
    WP_POST_REVISIONS: false,
    GATECTL_EVENTS_URL: eventsUrl,
    GATECTL_EVENTS_SECRET: SECRET,
    AUTH_KEY: 'a',
    SECURE_AUTH_KEY: 'b',
    LOGGED_IN_KEY: 'c',
    NONCE_KEY: 'd',
  };
  const lines = Object.entries(constants).map(
    ([name, value]) => `define('${name}', ${JSON.stringify(value)});`,
  );
  return `<?php\n${lines.join('\n')}\n$table_prefix = 'wp_';\ndefined('ABSPATH') || define('ABSPATH', __DIR__ . '/');\nrequire_once ABSPATH . 'wp-settings.php';\n`;
}

async function startVarnish(port, originPort) {
  const vcl = join(folder, 'site.vcl');
  writeFileSync(
    vcl,
    `vcl 4.1;
backend origin { .host = "127.0.0.1"; .port = "${originPort}"; .max_connections = 100; }
sub vcl_recv {
  if (req.method == "PURGE") { return (purge); }
  unset req.http.Cookie;
  return (hash);
}
sub vcl_backend_response {
  unset beresp.http.Set-Cookie;
  set beresp.ttl = 1h;
  set beresp.grace = 0s;
  if (beresp.status >= 500) { set beresp.uncacheable = true; set beresp.ttl = 0s; }
  # Whatever WordPress says of caching.
  return (deliver);
}
sub vcl_deliver {
  if (obj.hits > 0) { set resp.http.X-Cache = "HIT"; } else { set resp.http.X-Cache = "MISS"; }
}
`,
  );
  start('varnishd', [
    '-F',
    '-j',
    'none',
    '-a',
    `127.0.0.1:${port}`,
    '-f',
    vcl,
    '-n',
    join(folder, 'varnish'),
    '-s',
    'malloc,64m',
  ]);
  await until(async () => (await visit(port, '/')).status === 200);
}

/** What a visitor of a page is shown: its status, where it redirects to, and its content. */
async function visit(port, path) {
  const { status, headers, body } = await call({ port, path });
  return {
    status,
    age: headers.age,
    isHit: headers['x-cache'] === 'HIT',
    text: `${status} ${headers.location ?? ''}\n${withoutForeignDate(body)}`,
  };
}

/**
 * Sends a request.
 * @param {{ port: any, path: string, method?: string, headers?: any, body?: string, agent?: any }} of
 */
function call({ port, path, method = 'GET', headers = {}, body, agent = false }) {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      method,
      headers: { host: HOST, ...headers },
      agent,
      timeout: 30_000,
    });
    sent.on('error', reject).on('timeout', () => sent.destroy(new Error('no response')));
    sent.on('response', response => {
      let text = '';
      response.setEncoding('utf8').on('data', chunk => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: text }),
      );
      response.on('error', reject);
    });
    sent.end(body);
  });
}

/**
 * Starts a program, which is killed at the end.
 * @param {string} program
 * @param {string[]} words
 * @param {any} options
 */
function start(program, words, options = { stdio: ['ignore', 'ignore', 'ignore'] }) {
  const child = spawn(program, words, { env: { ...process.env, HOME: folder }, detached: true, ...options });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

async function until(isSo) {
  for (const end = Date.now() + 60_000; ; await sleep(200)) {
    if (await isSo().catch(() => false)) return;
    if (Date.now() > end) throw new Error('a server did not start in time');
  }
}

async function freePort() {
  const server = createServer();
  const port = await listen(server);
  server.close();
  return port;
}

try {
  writeFileSync(join(folder, 'map.yaml'), MAP);
  await manyEvents();
  const missing = ['mariadbd', 'php', 'varnishd'].filter(name => spawnSync(name, ['-V']).error !== undefined);
  if (missing.length > 0 || spawnSync('ls', ['/usr/share/wordpress/wp-load.php']).status !== 0)
    process.stdout.write(
      `check:wordpress: ${[...missing, 'WordPress'].join(', ')} could not be installed, so events of WordPress are checked by tests only\n`,
    );
  else await edits();
} finally {
  // The workers of php are in its process group.
  for (const child of children) process.kill(-child.pid, 'SIGKILL');
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
  await sleep(300);
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

/** A feed without entries has the date of the site's last change, whichever post that was. */
function withoutForeignDate(body) {
  return /<rss\b/.test(body) && !/<item>/.test(body)
    ? body.replace(/<lastBuildDate>[^<]*<\/lastBuildDate>/, '')
    : body;
}
