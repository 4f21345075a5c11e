// The code of the thread that converts rows: for the bundle and for tests that run from src/. It is one text, because the single executable
// has no files to start a thread from.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ENTRY = fileURLToPath(new URL('../../src/export/parquet/conversion-thread.ts', import.meta.url));
const ID = 'virtual:parquet-thread';

/** A plugin of Rollup and Vite. */
export function threadScript() {
  return {
    name: 'thread-script',
    resolveId: id => (id === ID ? `\0${ID}` : undefined),
    load: async id => (id === `\0${ID}` ? `export default ${JSON.stringify(await script())};` : undefined),
  };
}

async function script() {
  const { outputFiles } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    minifyWhitespace: true,
    minifySyntax: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    charset: 'ascii',
    legalComments: 'none',
  });
  return outputFiles[0].text;
}
