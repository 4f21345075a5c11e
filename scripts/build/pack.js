// Large data that few commands load is compressed in the bundle, better than npm compresses the package.
import { brotliCompressSync } from 'node:zlib';

/** Texts in ASCII, by the modules that export them. */
const TEXTS = ['\0virtual:charts-script', '\0virtual:parquet-thread', '\0virtual:jq-thread-script'];
const TEXT = /^export default (".*");$/s;
/** WebAssembly, in base64. */
const PARSER = 'undici/lib/llhttp/llhttp-wasm.js';
const CODE = /const wasmBase64 = '([^']*)'(.*)Buffer\.from\(wasmBase64, 'base64'\)/s;

/** A rollup plugin. */
export function packPlugin() {
  return {
    name: 'pack',
    transform(code, id) {
      if (TEXTS.includes(id))
        return packed(
          code,
          TEXT,
          text =>
            `import zlib from 'node:zlib';\nexport default zlib.${unpack(Buffer.from(JSON.parse(text)))}.latin1Slice();`,
        );
      if (id.endsWith(PARSER))
        return packed(
          code,
          CODE,
          (bytes, between) => `${between}require('node:zlib').${unpack(Buffer.from(bytes, 'base64'))}`,
        );
      return null;
    },
  };
}

function packed(code, pattern, pack) {
  if (!pattern.test(code)) throw new Error(`scripts/build/pack.js: ${pattern} is not in the module`);
  return { code: code.replace(pattern, (_, ...found) => pack(...found)), map: null };
}

/** The call of a function of node:zlib that gives the bytes. */
function unpack(bytes) {
  return `brotliDecompressSync(Buffer.from('${brotliCompressSync(bytes).toString('base64')}', 'base64'))`;
}
