// Makes one executable of Node and gatectl for Linux on x64, by Node's own facility, and packs it with completions and manual pages.
// Usage: node scripts/release/executable.js [--node LINE] [--quick]; without --node the Node that runs this goes into it. --quick neither
// runs nor packs it, for the version that a rehearsal upgrades from.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { inject } from 'postject';
import { ownFilePaths } from '../build/own-files.js';
import { smoke } from '../check/smoke.js';
import { fetchNode } from './node-binary.js';

/** Marks the place in Node's binary where it looks for a program of its own. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
/** The packages that stay outside of dist: by name, the file that is loaded, and what it reads. The keyring's native one can't be in here. */
const PACKAGES = {
  '@resvg/resvg-wasm': { entry: 'index.js', files: ['index_bg.wasm'] },
  'date-holidays': { entry: 'dist/umd.min.js', files: [] },
  'jq-wasm': { entry: 'dist/inline.cjs', files: [] },
  'node-sqlite3-wasm': { entry: 'dist/node-sqlite3-wasm.js', files: ['dist/node-sqlite3-wasm.wasm'] },
};

const { values } = parseArgs({
  options: { node: { type: 'string' }, quick: { type: 'boolean', default: false } },
});
if (process.platform !== 'linux' || process.arch !== 'x64')
  throw new Error('this makes an executable for Linux on x64');
const { version, files } = JSON.parse(readFileSync('package.json', 'utf8'));
const name = `gatectl-${version}-linux-x64`;
const target = resolve('release', name);
const work = mkdtempSync(join(tmpdir(), 'gatectl-single-file-'));
try {
  const node = values.node === undefined ? ownNode() : fetchNode(values.node, join(work, 'node'));
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const executable = join(target, 'gatectl');
  copyFileSync(node.binary, executable);
  chmodSync(executable, 0o755);
  await inject(executable, 'NODE_SEA_BLOB', blobMadeBy(node.binary), { sentinelFuse: FUSE });
  const count = values.quick ? 0 : smoke(executable);

  for (const path of files) {
    if (path !== 'bin' && path !== 'dist' && existsSync(path))
      cpSync(path, join(target, path), { recursive: true });
  }
  writeFileSync(join(target, 'THIRD-PARTY-LICENSES.txt'), licenses());
  copyFileSync(node.license, join(target, 'NODE-LICENSE'));
  const mb = path => `${Math.round(statSync(path).size / 1024 / 1024)} MB`;
  if (!values.quick) execFileSync('tar', ['czf', `${name}.tar.gz`, name], { cwd: dirname(target) });
  const packed = values.quick ? 'not packed' : `${mb(`${target}.tar.gz`)} packed`;
  process.stdout.write(
    `single file: release/${name}/gatectl, ${mb(executable)} (${packed}); ${count} commands run\n`,
  );
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** The licences of what dist contains and of the packages. */
function licenses() {
  const own = Object.keys(PACKAGES).map(each => {
    const folder = resolve('node_modules', each);
    const { version, license, homepage } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find(path => /^licen[sc]e/i.test(path));
    const text =
      file === undefined ? '' : `License Copyright:\n===\n\n${readFileSync(join(folder, file), 'utf8')}`;
    const source = homepage === undefined ? '' : `Homepage: ${homepage}\n`;
    return `Name: ${each}\nVersion: ${version}\nLicense: ${license}\n${source}${text}`;
  });
  return [readFileSync('dist/THIRD-PARTY-LICENSES.txt', 'utf8'), ...own].join('\n\n---\n\n');
}

/** The Node that runs this; its licence lies in one of a few places. */
function ownNode() {
  const root = dirname(dirname(process.execPath));
  const places = [
    'LICENSE',
    'share/doc/nodejs/LICENSE',
    'share/doc/nodejs/copyright',
    'share/doc/node/LICENSE',
  ];
  const license = places.map(place => join(root, place)).find(path => existsSync(path));
  if (license === undefined)
    throw new Error('no licence lies beside this Node: name a line from npm with --node 22');
  return { binary: process.execPath, license };
}

/** The program in the form that this Node loads. The same binary creates it, because the form may change between versions. */
function blobMadeBy(binary) {
  const packages = Object.fromEntries(
    Object.entries(PACKAGES).map(([each, { entry }]) => [each, `packages/${each}/${entry}`]),
  );
  const packagesFile = join(work, 'packages.json');
  writeFileSync(packagesFile, JSON.stringify(packages));
  const assets = { 'packages.json': packagesFile };
  for (const file of readdirSync('dist', { encoding: 'utf8', recursive: true })) {
    // The library is for programs that import it.
    if (file.endsWith('.cjs') && !file.startsWith('library/')) assets[`dist/${file}`] = resolve('dist', file);
  }
  for (const file of ownFilePaths()) assets[file] = resolve(file);
  // Its exports name it so.
  assets['packages/jq-wasm/jq.wasm'] = resolve('node_modules/jq-wasm/dist/build/jq.wasm');
  for (const [each, { entry, files }] of Object.entries(PACKAGES)) {
    for (const file of [entry, ...files])
      assets[`packages/${each}/${file}`] = resolve('node_modules', each, file);
  }
  const blob = join(work, 'blob');
  const config = join(work, 'config.json');
  const main = resolve('scripts/release/executable/main.cjs');
  const options = { disableExperimentalSEAWarning: true, useCodeCache: true };
  writeFileSync(config, JSON.stringify({ main, output: blob, ...options, assets }));
  execFileSync(binary, ['--experimental-sea-config', config], { stdio: 'pipe' });
  return readFileSync(blob);
}
