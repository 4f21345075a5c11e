import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PIDS, type Program } from './servers/program.ts';

const MEMORY_FOLDER = '/dev/shm';
const MEMORY_BYTES = 3 * 2 ** 30;

/**
 * Before all tests: installs the servers that are missing, and makes a folder for everything that tests write. Throws if one cannot be
 * installed, so that no destination goes untried unnoticed. After them: ends servers that a failed test left running, and removes the
 * folder.
 */
export default async function setup(): Promise<() => void> {
  const programs = await Promise.all(
    readdirSync(new URL('servers/', import.meta.url))
      .map(file => file.replace(/\.ts$/, ''))
      .filter(name => name !== 'program')
      .map(async name => ((await import(`./servers/${name}.ts`)) as { program: Program }).program),
  );
  const missing = () => programs.filter(({ find }) => find() === undefined);
  install(missing().flatMap(({ packages }) => packages));
  for (const { name, find } of programs)
    process.stdout.write(`check:warehouses: ${name}: ${find() ?? 'not installed'}\n`);
  const left = missing();
  if (left.length > 0)
    throw new Error(
      `not installed: ${left.map(({ name }) => name).join(', ')}; run as root: apt-get install --no-install-recommends ${left.flatMap(({ packages }) => packages).join(' ')}`,
    );
  const folder = mkdtempSync(join(hasMemoryFolder() ? MEMORY_FOLDER : tmpdir(), 'gatectl-warehouses-'));
  // Servers run as other users.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  return () => {
    for (const pid of existsSync(join(folder, PIDS)) ? readdirSync(join(folder, PIDS)) : [])
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It has ended.
      }
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
}

function install(packages: readonly string[]): void {
  if (packages.length === 0 || process.getuid?.() !== 0) return;
  if (spawnSync('apt-get', ['--version']).error !== undefined) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { env, stdio: ['ignore', 'ignore', 'inherit'] as const, encoding: 'utf8' as const };
  spawnSync('apt-get', ['update', '-qq'], { ...options, stdio: [...options.stdio] });
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], {
    ...options,
    stdio: [...options.stdio],
  });
}

function hasMemoryFolder(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize >= MEMORY_BYTES;
  } catch {
    return false;
  }
}
