// The script of a picture's page, as a text that gatectl carries: for the bundle, and for tests that run from src/.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const NAME = 'virtual:chart-page';
const ENTRY = fileURLToPath(new URL('../../src/output/chart-page/page.ts', import.meta.url));

/** A plugin of Rollup and Vite. */
export function chartPage() {
  return {
    name: 'chart-page',
    resolveId: id => (id === NAME ? `\0${NAME}` : undefined),
    async load(id) {
      if (id !== `\0${NAME}`) return undefined;
      const { outputFiles } = await build({
        entryPoints: [ENTRY],
        bundle: true,
        minify: true,
        write: false,
        format: 'iife',
        target: 'es2020',
        charset: 'ascii',
        legalComments: 'none',
        define: { 'process.env.NODE_ENV': '"production"' },
      });
      return `export default ${JSON.stringify(outputFiles[0].text)};`;
    },
  };
}
