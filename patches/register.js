// A vitest setup file: CommonJS libraries are patched in unit tests as they are in the bundle.
import { readFileSync } from 'node:fs';
import Module from 'node:module';
import { patched } from './plugin.js';

const current = Module._extensions['.js'];

/** Files that were patched in this process. Test files that share a process share them. */
export const patchedFiles = current.patchedFiles ?? register(current);

function register(load) {
  const files = new Set();
  const loadPatched = (module, filename) => {
    const text = filename.includes('node_modules') ? patched(filename, readOnce(filename)) : undefined;
    if (text === undefined) load(module, filename);
    else {
      files.add(filename);
      module._compile(text, filename);
    }
  };
  Module._extensions['.js'] = Object.assign(loadPatched, { patchedFiles: files });
  return files;
}

function readOnce(filename) {
  return /node_modules[\\/](undici|commander|cli-table3)[\\/]/.test(filename)
    ? readFileSync(filename, 'utf8')
    : '';
}
