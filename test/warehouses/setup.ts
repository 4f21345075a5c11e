import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PIDS, type Program } from './servers/program.ts';

const MEMORY_FOLDER = '/dev/shm';
const MEMORY_BYTES = 3 * 2 ** 30;

/**
 * Before all tests: installs the servers that are missing, and makes a folder for everything that tests write. Throws if one could have
 * been installed and is not, so that no destination goes untried unnoticed; without root and the archives of apt, the tests of what is
 * missing are skipped, and a line names it. After them: ends servers that a failed test left running, and removes the folder.
 */
export default async function setup(): Promise<() => void> {
  const programs = await Promise.all(
    readdirSync(new URL('servers/', import.meta.url))
      .map(file => file.replace(/\.ts$/, ''))
      .filter(name => name !== 'program')
      .map(async name => ((await import(`./servers/${name}.ts`)) as { program: Program }).program),
  );
  const missing = () => programs.filter(({ find }) => find() === undefined);
  const canInstall = install(missing().flatMap(({ packages }) => packages));
  for (const { name, find } of programs)
    process.stdout.write(`check:warehouses: ${name}: ${find() ?? 'not installed'}\n`);
  const left = missing();
  if (left.length > 0) {
    const names = left.map(({ name }) => name).join(', ');
    const packages = left.flatMap(({ packages }) => packages).join(' ');
    const problem = `not installed: ${names}; run as root: apt-get install --no-install-recommends ${packages}`;
    if (canInstall) throw new Error(problem);
    process.stdout.write(`check:warehouses: ${problem}\ncheck:warehouses: skipping what requires them\n`);
  }
  const parent = process.env.TMPDIR === undefined && hasMemoryFolder() ? MEMORY_FOLDER : tmpdir();
  const folder = mkdtempSync(join(parent, 'gatectl-warehouses-'));
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

/** Installs packages of Debian; returns whether it can: as root, with apt's archives within reach. */
function install(packages: readonly string[]): boolean {
  if (packages.length === 0) return true;
  if (process.getuid?.() !== 0) return false;
  const apt = (...args: readonly string[]) =>
    spawnSync('apt-get', ['-qq', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'ignore', 'inherit'],
    }).status === 0;
  if (!apt('update', '-o', 'APT::Update::Error-Mode=any')) return false;
  apt('install', '-y', '--no-install-recommends', ...packages);
  return true;
}

function hasMemoryFolder(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize >= MEMORY_BYTES;
  } catch {
    return false;
  }
}
