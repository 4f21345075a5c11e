// What gatectl changes in undici, and why. `bundleOnly` lines name files of the bundle; unit tests run without them.
import { createRequire } from 'node:module';

const { TYPE, ERROR } = createRequire(import.meta.url)('undici/lib/llhttp/constants.js');

const FINISH = '  finish () {\n    assert(currentParser === null)\n    assert(this.ptr != null)\n';

/** An object that throws for a property it does not have, in place of a module of which undici reads only these. */
const only = (name, properties) =>
  `new Proxy(${JSON.stringify(properties)},{get(o,k){if(k in o)return o[k];throw Error('patches/undici.js removed ${name} '+String(k))}})`;

/** @type {import('./plugin.d.ts').LibraryPatch} */
export const undiciPatch = {
  library: 'undici',
  changes: [
    ...['undici', 'fetch', 'websocket'].map(name => ({
      reason: 'NODE_DEBUG would print complete URLs, and analytics v1 carries the API key in the query',
      file: 'lib/core/diagnostics.js',
      line: `util.debuglog('${name}')`,
      by: '{ enabled: false }',
    })),
    {
      reason: 'an unrequested 100 is an informational response (RFC 9110, 15.2), and the final one follows',
      file: 'lib/dispatcher/client-h1.js',
      line: 'if (statusCode === 100) {',
      by: 'if (false) {',
    },
    {
      reason:
        'a connection with `Connection: close` that is cut while its response is paused would fail an assertion and end the process; resumed, the response ends as truncated',
      file: 'lib/dispatcher/client-h1.js',
      line: `${FINISH}    assert(!this.paused)\n`,
      by: `${FINISH}    this.resume()\n`,
    },
    ...[
      'core/util',
      'core/connect',
      'core/request',
      'dispatcher/client',
      'dispatcher/client-h1',
      'api/api-connect',
    ].map(file => ({
      reason:
        'node:assert opens stderr and detects colours when it is loaded, and reads and parses the whole bundle for the message of an assertion that fails',
      file: `lib/${file}.js`,
      line: "const assert = require('node:assert')",
      by: `const assert = (holds, message = 'assertion failed') => {
  if (!holds) throw Object.assign(new Error(message), { code: 'ERR_ASSERTION' })
}`,
    })),
    {
      reason: 'gatectl speaks HTTP/1.1 only, and HTTP/2 takes time to load',
      file: 'lib/dispatcher/client.js',
      line: "const connectH2 = require('./client-h2.js')",
      by: "const connectH2 = () => { throw new Error('patches/undici.js: HTTP/2 was removed') }",
    },
    {
      reason: 'only the default header size is read; loading the client and server of Node costs 2 ms',
      file: 'lib/dispatcher/client.js',
      line: "const http = require('node:http')",
      by: `const http = ${only('node:http', { maxHeaderSize: 16384 })}`,
    },
    {
      reason: 'gatectl passes no stream of the HTTP client of Node; nothing is an instance of this class',
      file: 'lib/core/util.js',
      line: "const { IncomingMessage } = require('node:http')",
      by: 'class IncomingMessage {}',
    },
    {
      reason: 'only two tables are read; building the others takes longer than sending a request',
      file: 'lib/dispatcher/client-h1.js',
      line: "const constants = require('../llhttp/constants.js')",
      by: `const constants = ${only('llhttp/constants.js', { TYPE, ERROR })}`,
    },
    {
      reason: 'the parser without SIMD is loaded here only for a test of undici itself',
      file: 'lib/dispatcher/client-h1.js',
      line: "process.env.JEST_WORKER_ID ? require('../llhttp/llhttp-wasm.js') : undefined",
      by: 'undefined',
    },
    {
      reason: 'the parser for processors without SIMD is a file of its own in the bundle',
      file: 'lib/dispatcher/client-h1.js',
      line: "require('../llhttp/llhttp-wasm.js')",
      by: "require('./plain-parser.cjs').default",
      bundleOnly: true,
    },
    {
      reason: 'gatectl sends no forms, and extractBody loads all of fetch',
      file: 'lib/dispatcher/client-h1.js',
      line: "extractBody = require('../web/fetch/body.js').extractBody",
      by: "throw new TypeError('patches/undici.js: forms were removed')",
    },
  ],
};
