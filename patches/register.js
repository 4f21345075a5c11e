// A vitest setup file: CommonJS libraries are patched in unit tests as they are in the bundle.
import { readFileSync } from 'node:fs';
import Module from 'node:module';
import { patched } from './plugin.js';

/** Files that were patched in this process. */
export const patchedFiles = new Set();

const load = Module._extensions['.js'];
Module._extensions['.js'] = (module, filename) => {
  const text = filename.includes('node_modules') ? patched(filename, readOnce(filename)) : undefined;
  if (text === undefined) load(module, filename);
  else {
    patchedFiles.add(filename);
    module._compile(text, filename);
  }
};

function readOnce(filename) {
  return /node_modules[\\/](undici|commander)[\\/]/.test(filename) ? readFileSync(filename, 'utf8') : '';
}
