import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts, type Program, spawnServer } from './program.ts';

export const PASSWORD = 'made-up-password-0001';

export const program: Program = {
  name: 'Redis',
  packages: ['redis-server'],
  find: () => ['/usr/bin/redis-server', '/usr/local/bin/redis-server'].find(path => existsSync(path)),
};

/** A server which requires {@link PASSWORD}: without files, or with a log of all that it stores, which a restart reads. */
export async function redisServer({ appendOnly = false } = {}): Promise<{
  readonly port: number;
  readonly kill: () => Promise<void>;
  /** Starts it again after `kill`. */
  readonly start: () => Promise<void>;
  readonly remove: () => Promise<void>;
}> {
  const [port = 0] = await freePorts(1);
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const settings = [
    ...['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--requirepass', PASSWORD],
    ...['--appendonly', appendOnly ? 'yes' : 'no', '--dir', folder],
  ];
  const start = async () => {
    const child = spawnServer(program.find() ?? '', settings);
    for (let attempt = 0; !(await listens(port)); attempt++) {
      if (attempt === 1200 || child.exitCode !== null) throw new Error('Redis did not start');
      await sleep(50);
    }
    return child;
  };
  let server = await start();
  const kill = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise(resolve => server.once('exit', resolve));
    server.kill('SIGKILL');
    await ended;
  };
  return {
    port,
    kill,
    start: async () => {
      server = await start();
    },
    remove: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function listens(port: number): Promise<boolean> {
  return await new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.unref();
    setTimeout(() => socket.destroy(), 200).unref();
  });
}
