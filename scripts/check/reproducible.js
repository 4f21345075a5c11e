// Builds and packs the last commit twice, in two folders of different names, and compares the bytes: npm run check:reproducible. One of
// them is this checkout, unless it has changes: it is what a release is packed from.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'gatectl-reproducible-'));
try {
  const changes = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' });
  const one = changes === '' ? packedHere() : packed('one', { TZ: 'UTC', LANG: 'C' });
  const other = packed('another-folder', { TZ: 'Asia/Tokyo', LANG: 'de_DE.UTF-8' });
  if (one.hash !== other.hash) {
    const differing = differences(one.path, other.path);
    throw new Error(`two builds of one commit differ in: ${differing.join(', ') || 'the archive itself'}`);
  }
  const which = changes === '' ? 'this checkout and a build elsewhere' : 'two builds of one commit';
  process.stdout.write(`reproducible check: ${which} have the SHA-256 ${one.hash}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Packs what `npm run build` has made here. */
function packedHere() {
  const options = { encoding: /** @type {const} */ ('utf8') };
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(execFileSync('npm', args, options));
  const path = join(folder, filename);
  return { path, hash: hashOf(path) };
}

/** Builds and packs the commit in a folder of its own. */
function packed(name, env) {
  const cwd = join(folder, name);
  mkdirSync(cwd);
  const run = (command, ...args) =>
    execFileSync(command, args, {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  execFileSync('tar', ['x', '-C', cwd], {
    input: execFileSync('git', ['archive', 'HEAD'], { maxBuffer: 1e9 }),
  });
  // Linked file by file: a link to the folder would lead back to this checkout.
  run('cp', '-al', resolve('node_modules'), join(cwd, 'node_modules'));
  // The caches of this checkout would change with those of the copy.
  rmSync(join(cwd, 'node_modules/.cache'), { recursive: true, force: true });
  run('npm', 'run', 'build');
  const [{ filename }] = JSON.parse(run('npm', 'pack', '--json', '--ignore-scripts'));
  const path = join(cwd, filename);
  return { path, hash: hashOf(path) };
}

function hashOf(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** The files of two tarballs that are not the same. */
function differences(...paths) {
  const [one, other] = paths.map((path, index) => {
    const to = join(folder, `contents-${index}`);
    mkdirSync(to);
    execFileSync('tar', ['xzf', path, '-C', to]);
    return to;
  });
  try {
    execFileSync('diff', ['-rq', one, other], { encoding: 'utf8' });
    return [];
  } catch (error) {
    return String(error.stdout).trim().split('\n');
  }
}
