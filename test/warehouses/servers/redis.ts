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

/** A server without files, which requires {@link PASSWORD}. */
export async function redisServer(): Promise<{
  readonly port: number;
  readonly remove: () => Promise<void>;
}> {
  const [port = 0] = await freePorts(1);
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--requirepass', PASSWORD];
  const child = spawnServer(program.find() ?? '', [...settings, '--dir', folder]);
  for (let attempt = 0; !(await listens(port)); attempt++) {
    if (attempt === 1200 || child.exitCode !== null) throw new Error('Redis did not start');
    await sleep(50);
  }
  return {
    port,
    remove: async () => {
      const ended = new Promise(resolve => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
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
