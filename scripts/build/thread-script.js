// The code of the threads that convert rows and run jq: for the bundle and for tests that run from src/. Each is one text, because the
// single executable has no files to start a thread from.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const JQ = 'jq-wasm/jq.wasm';

/**
 * A plugin of Rollup and Vite. The WebAssembly of jq is a file of a package that is installed with gatectl: `installed` looks for it from the
 * bundle; tests that run from src/ read the file of this checkout.
 */
export function threadScript({ installed = false } = {}) {
  const path = installed
    ? `require.resolve('${JQ}')`
    : JSON.stringify(createRequire(import.meta.url).resolve(JQ));
  const modules = {
    'virtual:parquet-thread': async () =>
      `export default ${JSON.stringify(await script('export/parquet/conversion-thread.ts'))};`,
    'virtual:jq-thread': () =>
      [
        "import { readFileSync } from 'node:fs';",
        "export { default } from 'virtual:jq-thread-script';",
        `export const readJq = () => readFileSync(${path});`,
      ].join('\n'),
    'virtual:jq-thread-script': async () =>
      `export default ${JSON.stringify(await script('output/jq-thread.ts'))};`,
  };
  return {
    name: 'thread-script',
    resolveId: id => (id in modules ? `\0${id}` : undefined),
    load: id => modules[id.slice(1)]?.(),
  };
}

async function script(path) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../../src/${path}`, import.meta.url))],
    bundle: true,
    write: false,
    minifyWhitespace: true,
    minifySyntax: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    charset: 'ascii',
    legalComments: 'none',
    // A package computes its own path from it, where this thread does not read any.
    define: { 'import.meta.url': '"file:///thread"' },
  });
  return outputFiles[0].text;
}
