// The beginning of the single-file gatectl: what the npm package has as files lies inside the executable and is loaded from there
// piece by piece, just as there.
'use strict';
const fs = require('node:fs');
const { createRequire, isBuiltin } = require('node:module');
const { join, posix } = require('node:path');
const { getAsset } = require('node:sea');
const { compileFunction } = require('node:vm');

const PACKAGES = JSON.parse(getAsset('packages.json', 'utf8'));
const modules = new Map();

function load(id) {
  const known = modules.get(id);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  modules.set(id, module);
  const wrapper = compileFunction(
    getAsset(id, 'utf8'),
    ['exports', 'require', 'module', '__filename', '__dirname'],
    { filename: id },
  );
  wrapper(module.exports, requireFrom(id), module, id, posix.dirname(id));
  return module.exports;
}

function requireFrom(id) {
  const requireHere = name => {
    // A package reads the WebAssembly beside it, and gatectl that of a package.
    if (/^(node:)?fs$/.test(name)) return id.startsWith('packages/') ? filesWithAssets : filesWithResolved;
    if (isBuiltin(name)) return require(name);
    if (name.startsWith('.')) return load(posix.join(posix.dirname(id), name));
    if (PACKAGES[name] !== undefined) return load(PACKAGES[name]);
    if (name === PEER) return requirePeer();
    throw Object.assign(new Error(`the single-file gatectl comes without ${name}`), {
      code: 'MODULE_NOT_FOUND',
    });
  };
  // What is no package is a file beside dist.
  const resolve = name =>
    RESOLVED + (name.startsWith('.') ? posix.join(posix.dirname(id), name) : `packages/${name}`);
  return Object.assign(requireHere, { resolve });
}

/** The package that users install themselves, because it is large and native. */
const PEER = '@duckdb/node-api';

/** Loads it from `node_modules` beside the executable, or from where npm installs global packages below the same prefix. */
function requirePeer() {
  const places = [process.execPath, join(process.execPath, '../../lib/gatectl')];
  const [found] = places.flatMap(place => {
    const requireThere = createRequire(place);
    try {
      return [requireThere.resolve(PEER)];
    } catch {
      return [];
    }
  });
  if (found !== undefined) return createRequire(found)(found);
  throw Object.assign(new Error(`${PEER} is not installed`), { code: 'MODULE_NOT_FOUND' });
}

/** The beginning of the paths that `require.resolve` returns: no path of a user has it. */
const RESOLVED = '\0';
const filesWithAssets = filesBelow('packages/', 'packages/');
const filesWithResolved = filesBelow(RESOLVED, '');

/** `fs` that reads paths with a beginning from the assets below a folder. */
function filesBelow(beginning, folder) {
  const readFileSync = (path, ...rest) => {
    if (typeof path !== 'string' || !path.startsWith(beginning)) return fs.readFileSync(path, ...rest);
    const asset = Buffer.from(getAsset(folder + path.slice(beginning.length)));
    return rest[0] === 'utf8' ? asset.toString() : asset;
  };
  return { ...fs, readFileSync };
}

const { main, processIo, exitWhenDone } = load('dist/gatectl.cjs');

exitWhenDone(process, main(process.argv.slice(2), processIo(process)));
