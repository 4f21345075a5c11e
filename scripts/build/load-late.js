// What libraries load at once and gatectl needs late or never.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const { TYPE, ERROR } = createRequire(import.meta.url)('undici/lib/llhttp/constants.js');

/**
 * Libraries that are one function, which is loaded when it is first called. string-width brings the tables of all scripts and all
 * emoji, which take as long to load as Node itself; plain text never asks it. By name, the file that it goes into.
 */
const CALLED_LATE = { 'string-width': 'string-width', 'validator/es/lib/isEmail.js': 'is-email' };

/** Modules that are files of their own, required by the name of the file in a line below. */
const REQUIRED_LATE = { 'undici/lib/llhttp/llhttp-wasm.js': 'plain-parser' };

/** Lines that `changeLines` replaces. */
export const LATE_LINES = [
  {
    // Only commands that are programs of their own are started, and gatectl has none.
    file: /commander\/lib\/command\.js$/,
    line: "const childProcess = require('node:child_process');",
    by: '',
  },
  {
    // Only a fault of undici's own ever says more than true or false: to load it, Node opens stderr and looks for colours.
    file: /undici\/lib\/(core|dispatcher)\/(util|connect|request|client|client-h1)\.js$/,
    line: "const assert = require('node:assert')",
    by: "const assert = (holds, message) => holds || require('node:assert')(holds, message)",
  },
  {
    // gatectl speaks HTTP/1.1: undici offers HTTP/2 to no server unless it is told to.
    file: /undici\/lib\/dispatcher\/client\.js$/,
    line: "const connectH2 = require('./client-h2.js')",
    by: 'const connectH2 = undefined',
  },
  {
    // The size that Node has where it is not told another one; loading its client and server to ask would cost 2 ms.
    file: /undici\/lib\/dispatcher\/client\.js$/,
    line: "const http = require('node:http')",
    by: 'const http = { maxHeaderSize: 16384 }',
  },
  {
    // gatectl hands undici no stream of Node's own HTTP client.
    file: /undici\/lib\/core\/util\.js$/,
    line: "const { IncomingMessage } = require('node:http')",
    by: 'const IncomingMessage = undefined',
  },
  {
    // The two tables that it reads: to make all the others takes longer than to send a request.
    file: /undici\/lib\/dispatcher\/client-h1\.js$/,
    line: "const constants = require('../llhttp/constants.js')",
    by: `const constants = ${JSON.stringify({ TYPE, ERROR })}`,
  },
  {
    // The parser once more, for processors without SIMD; the first line asks for it in a test of undici's own.
    file: /undici\/lib\/dispatcher\/client-h1\.js$/,
    line: "process.env.JEST_WORKER_ID ? require('../llhttp/llhttp-wasm.js') : undefined",
    by: 'undefined',
  },
  {
    file: /undici\/lib\/dispatcher\/client-h1\.js$/,
    line: "require('../llhttp/llhttp-wasm.js')",
    by: "require('./plain-parser.cjs').default",
  },
  {
    // Brings all of fetch with it.
    file: /undici\/lib\/dispatcher\/client-h1\.js$/,
    line: "extractBody = require('../web/fetch/body.js').extractBody",
    by: "throw new TypeError('gatectl sends no forms')",
  },
];

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
