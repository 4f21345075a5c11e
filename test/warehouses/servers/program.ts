import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A server that tests need. Each file in this folder exports one as `program`. */
export interface Program {
  readonly name: string;
  /** Debian's packages of it. */
  readonly packages: readonly string[];
  /** Its path; undefined where it is not installed. */
  readonly find: () => string | undefined;
}

/** A folder of files named after processes that must not outlive the tests. */
export const PIDS = 'pids';

/** Starts a server, which is ended after all tests at the latest. */
export function spawnServer(
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): ChildProcess {
  const child = spawn(command, args, { stdio: 'ignore', ...options });
  const folder = join(tmpdir(), PIDS);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, String(child.pid));
  writeFileSync(file, command);
  child.once('exit', () => rmSync(file, { force: true }));
  return child;
}

/** The ports to choose from: below those that a system gives to connections, so that only another server can take one meanwhile. */
const [FIRST_PORT, LAST_PORT] = [10_000, 30_000];

/** Ports of loopback that are free now. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  return await new Promise(resolve => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** The ids of the first of these users that exists; empty unless this process may become that user. */
export function idsOf(...users: readonly string[]): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  for (const user of users) {
    const [uid, gid] = ['-u', '-g'].map(flag => spawnSync('id', [flag, user], { encoding: 'utf8' }));
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  return {};
}
