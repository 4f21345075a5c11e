// What dist/ was made of, so that checks that build one after the other build once.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const FOLDERS = ['src', 'scripts/build', 'patches', 'docs', 'man'];
const FILES = [
  'package.json',
  'package-lock.json',
  'node_modules/.package-lock.json',
  'LICENSE',
  'README.md',
];
const OUTPUTS = ['dist/gatectl.cjs', 'dist/contents.json', 'dist/library'];
/** Not in dist/, which is published. */
const RECORD = 'node_modules/.cache/gatectl/built-from';

/** A hash of everything that the build reads, and of where it writes. */
export function inputsHash() {
  const hash = createHash('sha256').update(`${process.version} ${resolve('dist')}\n`);
  const inFolders = FOLDERS.flatMap(folder =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name)),
  );
  for (const path of [...inFolders.sort(), ...FILES])
    if (existsSync(path)) hash.update(`${path}\n`).update(readFileSync(path)).update('\n');
  return hash.digest('hex');
}

/** Whether dist/ is what a build of these inputs made. */
export function isBuilt(hash) {
  return (
    OUTPUTS.every(path => existsSync(path)) && existsSync(RECORD) && readFileSync(RECORD, 'utf8') === hash
  );
}

/** Empty while a build runs, so that one that fails is not taken for the one before. */
export function recordBuild(hash) {
  mkdirSync(dirname(RECORD), { recursive: true });
  writeFileSync(RECORD, hash);
}
