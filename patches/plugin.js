import { readFileSync } from 'node:fs';
import { awsSdkPatch } from './aws-sdk.js';
import { cliTable3Patch } from './cli-table3.js';
import { commanderPatch } from './commander.js';
import { confPatch } from './conf.js';
import { losslessJsonPatch } from './lossless-json.js';
import { undiciPatch } from './undici.js';
import { zrenderPatch } from './zrender.js';

export const PATCHES = [
  undiciPatch,
  commanderPatch,
  confPatch,
  cliTable3Patch,
  losslessJsonPatch,
  awsSdkPatch,
  zrenderPatch,
];

/** The text of a library's file with its changes made, or undefined for a file without any. Throws where a line is missing. */
export function patched(path, text, { isBundle = false } = {}) {
  const changes = changesOf(path).filter(({ bundleOnly }) => isBundle || !bundleOnly);
  if (changes.length === 0) return undefined;
  return changes.reduce((changed, change) => {
    if (!changed.includes(change.line)) throw new Error(missingLine(change));
    MADE.add(change);
    return changed.replace(change.line, () => change.by);
  }, text);
}

/** A rollup plugin, for the bundle: makes all changes, and fails the build when a file or line of one is missing. */
export function patchPlugin() {
  return {
    name: 'patches',
    transform(code, id) {
      const text = patched(id, code, { isBundle: true });
      return text === undefined ? null : { code: text, map: null };
    },
    buildEnd(error) {
      const unused = CHANGES.find(change => !MADE.has(change));
      if (error === undefined && unused !== undefined) this.error(missingLine(unused));
    },
  };
}

/** An esbuild plugin, which makes the changes in libraries that are ES modules. */
export function librariesPatched() {
  return {
    name: 'patches',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]node_modules[\\/].*\.js$/ }, ({ path }) => {
        const contents = patched(path, readFileSync(path, 'utf8'));
        return contents === undefined ? undefined : { contents };
      });
    },
  };
}

/** A vite plugin, for unit tests: the same changes in libraries that are ES modules. CommonJS ones are patched by patches/register.js. */
export function testPatchPlugin() {
  return {
    name: 'patches',
    transform(code, id) {
      const text = patched(id, code);
      return text === undefined ? null : { code: text, map: null };
    },
  };
}

/** Changes that were made in this process. */
const MADE = new Set();
const CHANGES = PATCHES.flatMap(({ library, changes }) => changes.map(change => ({ ...change, library })));

function changesOf(path) {
  // Rollup's own modules about a file begin with a NUL or have a query; vite adds a version as a query.
  const [, inside] = /^[^\0].*\/node_modules\/([^?]*)(?:\?v=\w+)?$/.exec(path.replaceAll('\\', '/')) ?? [];
  return inside === undefined ? [] : CHANGES.filter(({ library, file }) => inside === `${library}/${file}`);
}

function missingLine({ library, file, line, reason }) {
  return [
    `patches/${library}.js: ${library}/${file} no longer contains ${JSON.stringify(line)}.`,
    `The change was made because ${reason}.`,
    `Read the diff of ${library} since the version in the last commit of package-lock.json. If the reason still holds, write the change for the new text; if not, remove it; or pin the old version.`,
  ].join('\n');
}
