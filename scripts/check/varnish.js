// Runs Debian's Varnish in front of the embedded gateway's origin, lets the embedded CDN purge it, and fails unless Varnish serves fresh
// pages after every purge that gatectl reports as confirmed.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from './listen.js';

const DEADLINE_MS = 30_000;

if (spawnSync('varnishd', ['-V']).error !== undefined) {
  process.stdout.write(
    'check:varnish: varnishd could not be installed, so purges are checked with the embedded cache only\n',
  );
  process.exit(0);
}

const folder = await mkdtemp(join(tmpdir(), 'gatectl-varnish-'));
const [originPort, varnishPort] = [await freePort(), await freePort()];
const children = [];
let failed = 0;
try {
  await writeFile(join(folder, 'site.vcl'), vcl(originPort));
  start(process.execPath, [
    'bin/gatectl.js',
    'sandbox',
    'serve',
    '--port',
    `${originPort}`,
    '--purge-to',
    `http://127.0.0.1:${varnishPort}`,
  ]);
  start('varnishd', [
    '-F',
    // Without a user of its own, which could not read the folder.
    '-j',
    'none',
    '-a',
    `127.0.0.1:${varnishPort}`,
    '-f',
    join(folder, 'site.vcl'),
    '-n',
    join(folder, 'varnish'),
    '-s',
    'malloc,32m',
  ]);
  await reachable();

  check(
    'a second visit is a hit',
    [await visit('/news'), await visit('/news')].map(({ cache }) => cache).join(),
    'MISS,HIT',
  );
  const before = await visit('/news');
  const about = await visit('/about');
  purge('https://www.example.com/news');
  const after = await visit('/news');
  check('a purged page is fetched anew', `${after.cache} ${after.age}`, 'MISS 0');
  check('its content is new', after.body !== before.body, true);
  check('another page stays cached', `${(await visit('/about')).cache}`, 'HIT');
  check('with the same content', (await visit('/about')).body === about.body, true);

  for (const path of ['/news', '/about', '/articles/one']) await visit(path);
  purge('--key', 'about', '--domain', 'example.com');
  check('a purged key clears its pages', (await visit('/about')).cache, 'MISS');
  check('and no others', (await visit('/articles/one')).cache, 'HIT');
  purge('--all', '--yes', '--domain', 'example.com');
  check('a purged domain clears all pages', (await visit('/articles/one')).cache, 'MISS');

  await visit('/weather');
  const list = Array.from({ length: 250 }, (_, index) => `https://www.example.com/articles/${index}`);
  purge('https://www.example.com/weather', ...list);
  check('so does a page among 251', (await visit('/weather')).cache, 'MISS');

  for (const child of children.splice(1)) await stop(child);
  const { status, stderr } = gatectl('cdn', 'purge', 'https://www.example.com/news');
  check(
    'a purge that Varnish does not confirm fails',
    `${status} ${/PURGE to the cache in front failed/.test(stderr)}`,
    '5 true',
  );
} finally {
  for (const child of children) await stop(child);
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

function check(what, actual, expected) {
  const isRight = actual === expected;
  if (!isRight) failed += 1;
  process.stdout.write(
    `${isRight ? 'ok' : 'FAILED'}: ${what}${isRight ? '' : ` (${actual}, expected ${expected})`}\n`,
  );
}

function gatectl(...words) {
  return spawnSync(process.execPath, ['bin/gatectl.js', ...words], {
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      GATECTL_BASE_URL: `http://127.0.0.1:${originPort}`,
      GATECTL_API_KEY: 'sandbox-key-0000-not-a-secret',
      GATECTL_DOMAIN: 'example.com',
    },
  });
}

function purge(...words) {
  const { status, stderr } = gatectl('cdn', 'purge', ...words, '--quiet');
  if (status !== 0) throw new Error(`cdn purge failed with ${status}: ${stderr}`);
}

/** A visit through Varnish. */
function visit(path) {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port: varnishPort,
      path,
      headers: { host: 'www.example.com' },
      agent: false,
    });
    sent.on('error', reject);
    sent.on('response', response => {
      let body = '';
      response.setEncoding('utf8').on('data', text => {
        body += text;
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          cache: response.headers['x-cache'],
          age: response.headers.age,
          body,
        }),
      );
    });
    sent.end();
  });
}

function start(program, words) {
  const child = spawn(program, words, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, HOME: folder },
  });
  children.push(child);
  return child;
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await Promise.race([once(child, 'exit'), sleep(5000)]);
}

async function reachable() {
  for (const end = Date.now() + DEADLINE_MS; ; await sleep(200)) {
    const found = await visit('/robots.txt').catch(() => undefined);
    if (found?.status === 200) return;
    if (Date.now() > end) throw new Error('Varnish did not serve a page of the sandbox in time');
  }
}

async function freePort() {
  const server = createServer();
  const port = await listen(server);
  server.close();
  return port;
}

/** Pages come from the sandbox's origin, without its own cache. */
function vcl(port) {
  return `vcl 4.1;
backend origin { .host = "127.0.0.1"; .port = "${port}"; }
acl purgers { "127.0.0.1"; }

sub vcl_recv {
  if (req.method == "PURGE" || req.method == "BAN") {
    if (client.ip !~ purgers) { return (synth(405)); }
    if (req.method == "PURGE") { return (purge); }
    if (req.http.X-Ban-Key) {
      ban("obj.http.X-Host ~ (^|\\.)" + req.http.X-Ban-Domain + "$ && obj.http.Surrogate-Key ~ (^|\\s)" + req.http.X-Ban-Key + "(\\s|$)");
    } else {
      ban("obj.http.X-Host ~ (^|\\.)" + req.http.X-Ban-Domain + "$");
    }
    return (synth(200));
  }
  return (hash);
}

sub vcl_backend_fetch {
  set bereq.http.X-Host = bereq.http.host;
  set bereq.url = "/__origin/" + bereq.http.host + bereq.url;
  set bereq.http.host = "127.0.0.1:${port}";
}

sub vcl_backend_response {
  set beresp.http.X-Host = bereq.http.X-Host;
}

sub vcl_deliver {
  if (obj.hits > 0) { set resp.http.X-Cache = "HIT"; } else { set resp.http.X-Cache = "MISS"; }
}
`;
}
