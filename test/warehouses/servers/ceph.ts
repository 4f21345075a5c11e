import { type ChildProcess, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts, type Program, spawnServer } from './program.ts';

const PROGRAMS = ['ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'ceph', 'monmaptool', 'ceph-authtool'];

export const program: Program = {
  name: "Ceph's S3 gateway",
  packages: ['radosgw', 'ceph-mon', 'ceph-osd', 'ceph-common'],
  find: () => (PROGRAMS.every(name => existsSync(join('/usr/bin', name))) ? '/usr/bin/radosgw' : undefined),
};

/** Access to a store. */
export interface S3Account {
  readonly key: string;
  readonly secret: string;
}

/** A Ceph cluster of one monitor and one storage daemon in memory, with a gateway for S3. */
export class CephServer {
  readonly endpoint: string;
  readonly port: number;
  readonly account: S3Account = { key: 'AKIAWAREHOUSE0001', secret: 'made-up-secret-0001' };
  /** Another user, without a right to the buckets of the first. */
  readonly stranger: S3Account = { key: 'AKIAWAREHOUSE0002', secret: 'made-up-secret-0002' };
  readonly #folder: string;
  readonly #daemons: ChildProcess[] = [];
  #gateway: ChildProcess | undefined;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.port = port;
    this.endpoint = `http://127.0.0.1:${port}`;
  }

  static async create(): Promise<CephServer> {
    const folder = mkdtempSync(join(tmpdir(), 'ceph-'));
    const [port = 0, v1 = 0, v2 = 0] = await freePorts(3);
    const server = new CephServer(folder, port);
    await server.#begin(`[v2:127.0.0.1:${v2},v1:127.0.0.1:${v1}]`);
    await server.start();
    for (const [name, { key, secret }] of [
      ['loader', server.account],
      ['stranger', server.stranger],
    ] as const)
      server.#run(
        'radosgw-admin',
        ...['-n', 'client.rgw', 'user', 'create', `--uid=${name}`, `--display-name=${name}`],
        ...[`--access-key=${key}`, `--secret-key=${secret}`],
      );
    return server;
  }

  async #begin(address: string): Promise<void> {
    const at = (name: string) => join(this.#folder, name);
    for (const name of ['mon', 'osd', 'rgw', 'run', 'log']) mkdirSync(at(name));
    const fsid = randomUUID();
    const settings = {
      fsid,
      'mon host': address,
      'public addr': '127.0.0.1',
      'cluster addr': '127.0.0.1',
      keyring: at('keyring'),
      'run dir': at('run'),
      'admin socket': at('run/$name.$pid.asok'),
      'pid file': at('run/$name.pid'),
      'log file': at('log/$name.log'),
      'mon data': at('mon'),
      'osd data': at('osd'),
      'rgw data': at('rgw'),
      'osd objectstore': 'memstore',
      'memstore device bytes': 2 ** 31,
      'osd pool default size': 1,
      'osd pool default min size': 1,
      'osd crush chooseleaf type': 0,
      'osd pool default pg num': 1,
      'osd pool default pgp num': 1,
      'mon allow pool size one': true,
      'mon max pg per osd': 1000,
      'rgw frontends': `beast endpoint=127.0.0.1:${this.port}`,
      'rgw dns name': '127.0.0.1',
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    writeFileSync(at('ceph.conf'), `[global]\n${lines.join('\n')}\n`);
    const all = ['--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *', '--cap', 'mgr', 'allow *'];
    this.#run('ceph-authtool', '--create-keyring', at('keyring'), '--gen-key', '-n', 'mon.', ...all);
    for (const name of ['client.admin', 'client.rgw'])
      this.#run('ceph-authtool', at('keyring'), '--gen-key', '-n', name, ...all);
    this.#run('monmaptool', '--create', '--addv', 'a', address, '--fsid', fsid, at('monmap'));
    this.#run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', at('monmap'), '--keyring', at('keyring'));
    this.#daemons.push(this.#spawn('ceph-mon', '-i', 'a', '-f'));
    const uuid = randomUUID();
    this.#run('ceph', '--connect-timeout', '60', 'osd', 'new', uuid);
    const rights = ['mon', 'allow profile osd', 'osd', 'allow *', 'mgr', 'allow profile osd'];
    const keyring = this.#run('ceph', 'auth', 'get-or-create', 'osd.0', ...rights);
    writeFileSync(at('keyring'), keyring, { flag: 'a' });
    this.#run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', uuid);
    this.#daemons.push(this.#spawn('ceph-osd', '-i', '0', '-f'));
  }

  /** Starts the gateway, or starts it again: the objects are in the cluster. */
  async start(): Promise<void> {
    this.#gateway = this.#spawn('radosgw', '-n', 'client.rgw', '-f');
    for (let attempt = 0; attempt < 600; attempt++) {
      const reply = await fetch(this.endpoint).catch(() => undefined);
      if (reply?.ok) return;
      await sleep(100);
    }
    throw new Error("Ceph's gateway did not start");
  }

  /** Kills the gateway, as a crash would. */
  async kill(): Promise<void> {
    await end(this.#gateway);
  }

  async remove(): Promise<void> {
    await Promise.all([this.#gateway, ...this.#daemons].map(end));
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  #spawn(name: string, ...args: readonly string[]): ChildProcess {
    return spawnServer(name, ['-c', join(this.#folder, 'ceph.conf'), ...args]);
  }

  #run(name: string, ...args: readonly string[]): string {
    const config =
      name === 'monmaptool' || name === 'ceph-authtool' ? [] : ['-c', join(this.#folder, 'ceph.conf')];
    const { status, stdout, stderr } = spawnSync(name, [...config, ...args], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${name} ${args[0]} failed: ${stderr}`);
    return stdout;
  }
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise(resolve => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
