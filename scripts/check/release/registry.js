import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stop } from '../stop.js';
import { run } from './programs.js';

/** The last that runs on Node 20. One of its dependencies names another by a tag, which not every registry keeps. */
const VERDACCIO = {
  private: true,
  dependencies: { verdaccio: '5.33.0' },
  overrides: { 'node-fetch': '2.7.0' },
};
const SERVER = fileURLToPath(new URL('registry-server.cjs', import.meta.url));

/** Installs verdaccio into a folder, with no install scripts. */
export async function installVerdaccio(folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify(VERDACCIO));
  await run('npm', ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']);
}

/** A registry of packages on a loopback port, with one user who may publish. gatectl comes from it alone, others from the registry of this machine. */
export class Registry {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #server;
  #folder;
  url = '';

  /** @param {string} folder that verdaccio was installed into */
  constructor(folder) {
    this.#folder = folder;
  }

  async start() {
    const upstream = (await run('npm', ['config', 'get', 'registry'])).trim();
    const config = {
      storage: join(this.#folder, 'storage'),
      auth: { htpasswd: { file: join(this.#folder, 'htpasswd'), max_users: 1 } },
      uplinks: { upstream: { url: upstream, maxage: '60m' } },
      packages: {
        gatectl: { access: '$all', publish: '$authenticated' },
        '**': { access: '$all', proxy: 'upstream' },
      },
      web: { enable: false },
      log: { type: 'stdout', format: 'json', level: 'error' },
    };
    const configFile = join(this.#folder, 'config.json');
    writeFileSync(configFile, JSON.stringify(config));
    const packages = join(this.#folder, 'node_modules');
    this.#server = fork(SERVER, [packages, configFile], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const started = once(this.#server, 'message');
    const ended = once(this.#server, 'exit').then(([code]) => {
      throw new Error(`verdaccio ended with ${code} before it listened`);
    });
    const [port] = await Promise.race([started, ended]);
    // Later, it ends because it is stopped.
    ended.catch(() => {});
    this.url = `http://127.0.0.1:${port}/`;
    return `verdaccio ${VERDACCIO.dependencies.verdaccio} at ${this.url}`;
  }

  /** Adds the user; returns the lines of .npmrc that publish as that user. */
  async addUser() {
    const name = 'release-manager';
    const response = await fetch(`${this.url}-/user/org.couchdb.user:${name}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, password: crypto.randomUUID() }),
    });
    const { token } = await response.json();
    if (token === undefined) throw new Error(`verdaccio adds no user: ${response.status}`);
    return `${this.url.slice('http:'.length)}:_authToken=${token}\n`;
  }

  async stop() {
    if (this.#server !== undefined) await stop(this.#server);
  }
}
