// Libraries that the bundle loads when they are first used.
import { fileURLToPath } from 'node:url';

/**
 * Libraries that are one function, which is loaded when it is first called. string-width brings the tables of all scripts and all
 * emoji, which take as long to load as Node itself; plain text never asks it. By name, the file that it goes into.
 */
const CALLED_LATE = { 'string-width': 'string-width', 'validator/es/lib/isEmail.js': 'is-email' };

/** Modules that are files of their own, required by name in patches/undici.js. */
const REQUIRED_LATE = { 'undici/lib/llhttp/llhttp-wasm.js': 'plain-parser' };

/** A rollup plugin. */
export function loadLatePlugin() {
  return {
    name: 'load-late',
    buildStart() {
      for (const [name, file] of Object.entries({ ...CALLED_LATE, ...REQUIRED_LATE })) {
        const id = fileURLToPath(import.meta.resolve(name));
        this.emitFile({ type: 'chunk', id, fileName: `chunks/${file}.cjs` });
      }
    },
    resolveId(id, importer) {
      return importer !== undefined && id in CALLED_LATE ? `\0late:${id}` : null;
    },
    load(id) {
      const [, name] = /^\0late:(.*)$/.exec(id) ?? [];
      if (name === undefined) return null;
      // All chunks lie in one folder, and a chunk may call `require`.
      const file = `./${CALLED_LATE[name]}.cjs`;
      return `let called; export default (...given) => (called ??= require('${file}').default)(...given);`;
    },
  };
}
