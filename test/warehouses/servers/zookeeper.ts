import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts, type Program, spawnServer } from './program.ts';

const JAVA = '/usr/bin/java';
const ARCHIVE = '/usr/share/java/zookeeper.jar';

export const program: Program = {
  name: 'ZooKeeper',
  packages: ['zookeeper'],
  find: () => ([JAVA, ARCHIVE].every(path => existsSync(path)) ? ARCHIVE : undefined),
};

/** A ZooKeeper of this machine alone, the keeper of a cluster of ClickHouse. */
export class ZooKeeperServer {
  readonly port: number;
  readonly #folder: string;
  #process: ChildProcess | undefined;

  private constructor(port: number, folder: string) {
    this.port = port;
    this.#folder = folder;
  }

  /** Starts one. */
  static async create(): Promise<ZooKeeperServer> {
    const [port = 0] = await freePorts(1);
    const server = new ZooKeeperServer(port, mkdtempSync(join(tmpdir(), 'zookeeper-')));
    await server.start();
    return server;
  }

  /** Starts it again with the same data. */
  async start(): Promise<void> {
    const config = join(this.#folder, 'zoo.cfg');
    const settings = {
      // Of the time after which the locks of a server that was killed expire.
      tickTime: 200,
      dataDir: this.#folder,
      clientPort: this.port,
      clientPortAddress: '127.0.0.1',
      'admin.enableServer': false,
    };
    writeFileSync(
      config,
      Object.entries(settings)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
    const main = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';
    this.#process = spawnServer(JAVA, ['-Xmx128m', '-cp', ARCHIVE, main, config]);
    for (let attempt = 0; attempt < 600; attempt++) {
      if (await this.#accepts()) return;
      if (this.#process.exitCode !== null) break;
      await sleep(50);
    }
    throw new Error('ZooKeeper did not start');
  }

  /** Whether it serves, and does not merely listen. */
  async #accepts(): Promise<boolean> {
    return await new Promise(resolve => {
      const socket = connect(this.port, '127.0.0.1', () => socket.write('srvr'))
        .once('error', () => resolve(false))
        .once('close', () => resolve(false))
        .once('data', text => resolve(text.toString().startsWith('Zookeeper version')));
    });
  }

  async stop(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise(resolve => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
