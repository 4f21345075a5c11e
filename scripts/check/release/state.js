// What the version before has written, which the next must read and continue.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { execa } from 'execa';
import { listen } from '../listen.js';
import { stop } from '../stop.js';

const URLS = Array.from({ length: 300 }, (_, index) => `https://example.com/${index}`);
const KEY = 'rehearsal-key';
const SYNC = ['--data-set', 'pageview', '-d', 'country', '-m', 'visits', '--start', '2026-01-01'];

/** A CDN that clears whatever it is asked to. `onPurge` gets the URLs of each request before it is answered. */
class Cdn {
  onPurge = async _urls => {};

  async start() {
    this.server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      await this.onPurge([...body.matchAll(/https:[^"]+/g)].map(([url]) => url));
      response.setHeader('content-type', 'application/json').end('{"Success":true,"Error":""}');
    });
    return `http://127.0.0.1:${await listen(this.server)}`;
  }

  stop() {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}

/** Where a user of the version before has worked. */
export class State {
  #machine;
  #cdn = new Cdn();
  #cleared = [];

  constructor(machine) {
    this.#machine = machine;
  }

  #run(...args) {
    return this.#machine.run('gatectl', args);
  }

  /** Works with the version before; its last purge is killed when the second of its three requests arrives. */
  async write() {
    const address = await this.#cdn.start();
    const { home } = this.#machine;
    writeFileSync(join(home, 'key'), KEY, { mode: 0o600 });
    writeFileSync(join(home, 'urls.txt'), `${URLS.join('\n')}\n`);
    await this.#run(
      'profile',
      'add',
      'news',
      '--base-url',
      address,
      '--api-key-file',
      'key',
      '--domain',
      'example.com',
    );
    await this.#run('alias', 'set', 'may', 'access --product premium --email $1');
    await this.#run('bda', 'query', 'save', 'weekly', '-d', 'country', '-m', 'visits', '--last', '7d');
    await this.#run('bda', 'sync', 'init', ...SYNC, '--sandbox');
    await this.#run('bda', 'sync', 'run', '--sandbox', '--quiet');
    await this.#run('cdn', 'purge', 'https://example.com/before', '--profile', 'news');
    this.before = await this.#everything();
    await this.#interruptedPurge();
    return `a profile, an alias, a query, ${this.before.status[0].partitions} partitions of a sync, a finished and an interrupted purge`;
  }

  async #interruptedPurge() {
    const purge = execa('gatectl', ['cdn', 'purge', '@urls.txt', '--concurrency', '1', '--profile', 'news'], {
      cwd: this.#machine.home,
      env: this.#machine.env,
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
    });
    let requests = 0;
    this.#cdn.onPurge = async urls => {
      requests++;
      if (requests === 1) {
        this.#cleared.push(...urls);
        return;
      }
      purge.kill('SIGKILL');
      await purge;
    };
    const { signal } = await purge;
    if (signal !== 'SIGKILL') throw new Error(`the purge ended with ${signal} after ${requests} requests`);
  }

  async #everything() {
    const json = async (...args) => JSON.parse(await this.#run(...args, '--json'));
    return {
      profile: await json('profile', 'show', 'news'),
      aliases: await json('alias', 'list'),
      query: await this.#run('bda', 'query', 'run', 'weekly', '--sandbox', '--csv'),
      status: await json('bda', 'sync', 'status'),
      history: await json('cdn', 'history'),
    };
  }

  /** Reads all of it with the next version, continues the purge and the sync, and verifies the log. */
  async read() {
    const now = await this.#everything();
    for (const [name, value] of Object.entries(this.before)) {
      if (JSON.stringify(now[name]) !== JSON.stringify(value))
        throw new Error(`${name} is read as ${JSON.stringify(now[name])}, and was ${JSON.stringify(value)}`);
    }
    if (now.history.length !== 1) throw new Error(`the history has ${now.history.length} purges`);
    const resumed = [];
    this.#cdn.onPurge = async urls => {
      resumed.push(...urls);
    };
    await this.#run('cdn', 'purge', '--resume', '--profile', 'news');
    const again = resumed.filter(url => this.#cleared.includes(url));
    const missing = URLS.filter(url => !resumed.includes(url) && !this.#cleared.includes(url));
    if (again.length > 0 || missing.length > 0 || this.#cleared.length === 0)
      throw new Error(
        `of ${URLS.length} URLs, ${again.length} were purged again and ${missing.length} never`,
      );
    await this.#run('bda', 'sync', 'run', '--sandbox', '--quiet');
    await this.#run('bda', 'sync', 'verify', '--sandbox', '--quiet');
    await this.#run('log', 'verify');
    return `unchanged; the purge continues with the ${resumed.length} URLs left of ${URLS.length}, the sync is verified, the log is whole`;
  }

  stop() {
    this.#cdn.stop();
  }
}

/** An embedded gateway of one version serves the commands of another. */
export async function serves(machine, server, client) {
  const options = { cwd: machine.home, env: machine.env, extendEnv: false, reject: false };
  const gateway = execa(server, ['sandbox', 'serve', '--port', '0', '-o', 'json'], {
    ...options,
    stdin: 'ignore',
  });
  try {
    let text = '';
    for await (const chunk of gateway.stdout) {
      text += chunk;
      if (text.trimEnd().endsWith('}')) break;
    }
    const { baseUrl, apiKey } = JSON.parse(text);
    const env = { ...machine.env, GATECTL_BASE_URL: baseUrl, GATECTL_API_KEY: apiKey };
    const args = [
      'access',
      'active@example.com',
      '--product',
      'premium',
      '--domain',
      'example.com',
      '--jq',
      '.decision',
    ];
    const decision = await machine.run(client, args, { env });
    if (decision !== 'allowed') throw new Error(`the other version says ${decision}`);
  } finally {
    await stop(gateway);
  }
}
