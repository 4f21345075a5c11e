// Events that the vendors' own code signs are accepted by `gatectl cdn listen`, and those that were changed on the way are not: with the
// packages of Sanity, Contentful and Standard Webhooks, and with the class of Ghost that sends webhooks. SIGNED_EVENTS is the number for each.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { stop } from './stop.js';

const PACKAGES = ['@sanity/webhook@4.0.4', '@contentful/node-apps-toolkit@3.16.1', 'standardwebhooks@1.1.1'];
const GHOST = 'ghost@6.65.0';
const TRIGGER = 'package/core/server/services/webhooks/webhook-trigger.js';
const EVENTS = Number(process.env.SIGNED_EVENTS ?? 100);
const SECRETS = {
  SANITY: 'a made-up secret',
  CONTENTFUL: 'made-up-'.repeat(8),
  STANDARD: `whsec_${Buffer.from('a made-up secret of the check').toString('base64')}`,
  GHOST: 'another made-up secret',
};
const MAP = `site: https://www.example.com
rules: [{on: {}, urls: "/{slug}/"}]
senders:
  sanity: {format: sanity, env: SANITY}
  contentful: {format: contentful, env: CONTENTFUL}
  standard: {format: json, env: STANDARD, event: .}
  ghost: {format: ghost, env: GHOST}
`;
/** Texts that bytes, JSON and URLs write in different ways. */
const TEXTS = ['plain', 'Größe', '北京', '😀 "quoted"', 'a/b?c=d&e=%20', ' \u2028 ', '\\u00e9', "it's <b>"];

const folder = mkdtempSync(join(tmpdir(), 'gatectl-signers-'));
/** @type {import('node:child_process').ChildProcess | undefined} */
let listener;
try {
  const npm = (/** @type {string[]} */ ...words) =>
    execFileSync('npm', words, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  npm('install', '--ignore-scripts', '--no-audit', '--no-fund', ...PACKAGES);
  npm('pack', '--silent', '--ignore-scripts', GHOST);
  execFileSync('tar', ['xzf', 'ghost-6.65.0.tgz', TRIGGER], { cwd: folder });
  const origin = await startListener();
  for (const [name, sign] of Object.entries(signers())) {
    for (let index = 0; index < EVENTS; index += 1) {
      const signed = await sign(index, `${origin}/events/${name}`);
      expectStatus(name, index, await post(signed), 202);
      expectStatus(name, index, await post(signed), 200);
      const last = signed.body.length - 1;
      const changed = { ...signed, body: `${signed.body.slice(0, last)} ${signed.body.slice(last)}` };
      expectStatus(name, index, await post(changed), 401);
    }
    process.stdout.write(
      `signers check: ${EVENTS} events that ${name} signs are accepted, changed ones are not\n`,
    );
  }
} finally {
  if (listener !== undefined) await stop(listener);
  rmSync(folder, { recursive: true, force: true });
}

/** A signed request. @typedef {{ url: string, body: string, headers: Record<string, string> }} Signed */

/** How each vendor signs an event. @returns {Record<string, (index: number, url: string) => Promise<Signed>>} */
function signers() {
  const load = createRequire(join(folder, 'package.json'));
  const { encodeSignatureHeader, SIGNATURE_HEADER_NAME } = load('@sanity/webhook');
  const { signRequest } = load('@contentful/node-apps-toolkit');
  const { Webhook } = load('standardwebhooks');
  const trigger = ghostTrigger();
  return {
    sanity: async (index, url) => {
      const body = JSON.stringify({
        _id: `s${index}`,
        _type: 'post',
        slug: `a-${index}`,
        title: textOf(index),
      });
      const signature = await encodeSignatureHeader(body, Date.now(), SECRETS.SANITY);
      return { url, body, headers: { [SIGNATURE_HEADER_NAME]: signature, 'sanity-operation': 'update' } };
    },
    contentful: async (index, url) => {
      const query = index % 2 === 0 ? '' : `?site=news&text=${encodeURIComponent(textOf(index))}`;
      const sys = { id: `c${index}`, publishedCounter: 2, contentType: { sys: { id: 'post' } } };
      const fields = { slug: { en: `a-${index}` }, title: { en: textOf(index) } };
      const body = JSON.stringify({ sys, fields });
      const topic = { 'x-contentful-topic': 'ContentManagement.Entry.publish' };
      const sent = new URL(url + query);
      const path = sent.pathname + sent.search;
      const signed = signRequest(
        SECRETS.CONTENTFUL,
        { method: 'POST', path, body, headers: topic },
        Date.now(),
      );
      return { url: sent.href, body, headers: { ...topic, ...signed } };
    },
    standard: async (index, url) => {
      const event = {
        kind: 'updated',
        type: 'post',
        entry: `j${index}`,
        slug: `a-${index}`,
        note: textOf(index),
      };
      const body = JSON.stringify(event);
      const [id, now] = [`msg_${index}`, new Date()];
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': new Webhook(SECRETS.STANDARD).sign(id, now, body),
      };
      return { url, body, headers };
    },
    ghost: (index, url) => trigger(index, url),
  };
}

/** What Ghost's own class sends for a post, with its database and its client replaced. */
function ghostTrigger() {
  const logging = { info: () => {}, warn: () => {}, error: () => {} };
  /** @type {Record<string, unknown>} */
  const replaced = {
    '@tryghost/debug': () => () => {},
    '@tryghost/logging': logging,
    '@tryghost/version': { safe: '6.65' },
    '../../../shared/config': { get: () => true },
  };
  const loader = /** @type {any} */ (Module);
  const { _load: load } = loader;
  loader._load = (/** @type {string} */ id, /** @type {unknown[]} */ ...rest) =>
    replaced[id] ?? load(id, ...rest);
  const Trigger = createRequire(import.meta.url)(join(folder, TRIGGER));
  loader._load = load;
  return async (/** @type {number} */ index, /** @type {string} */ url) => {
    /** @type {Signed[]} */
    const sent = [];
    /** @type {Record<string, string>} */
    const settings = { event: 'post.published.edited', target_url: url, secret: SECRETS.GHOST };
    const hook = { id: '1', get: (/** @type {string} */ name) => settings[name] };
    const trigger = new Trigger({
      models: { Webhook: { findAllByEvent: async () => ({ models: [hook] }), edit: async () => {} } },
      payload: async () => ({
        post: {
          current: { id: `g${index}`, slug: `a-${index}`, status: 'published', title: textOf(index) },
          previous: {},
        },
      }),
      limitService: { isLimited: () => false },
      request: async (/** @type {string} */ to, /** @type {any} */ { body, headers }) => {
        const { 'Content-Length': _, ...others } = headers;
        sent.push({ url: to, body, headers: others });
        return { statusCode: 202 };
      },
    });
    await trigger.trigger('post.published.edited', {});
    const [first] = sent;
    if (first === undefined) throw new Error('Ghost sent nothing');
    return first;
  };
}

/** @param {number} index */
function textOf(index) {
  return `${TEXTS[index % TEXTS.length]} ${index}`;
}

/** @param {Signed} signed */
async function post({ url, body, headers }) {
  const response = await fetch(url, { method: 'POST', body, headers });
  return { status: response.status, text: await response.text() };
}

/** @param {string} name @param {number} index @param {{ status: number, text: string }} found @param {number} expected */
function expectStatus(name, index, { status, text }, expected) {
  if (status !== expected)
    throw new Error(`${name}, event ${index}: ${status} instead of ${expected}: ${text}`);
}

/** @returns {Promise<string>} Where it listens. */
async function startListener() {
  const home = join(folder, 'home');
  mkdirSync(home);
  writeFileSync(join(folder, 'map.yaml'), MAP);
  const words = ['cdn', 'listen', '--map', 'map.yaml', '--port', '0', '--sandbox'];
  const child = spawn(process.execPath, [resolve('bin/gatectl.js'), ...words], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, HOME: home, GATECTL_DOMAIN: 'example.com', ...SECRETS },
  });
  listener = child;
  const lines = [];
  for await (const line of createInterface({ input: child.stderr })) {
    lines.push(line);
    if (!line.includes('"listening"')) continue;
    // The rest must not fill the pipe.
    child.stderr.resume();
    return JSON.parse(line).origin;
  }
  throw new Error(`the listener did not start: ${lines.join(' ')}`);
}
