// What charts in files need as data: the script of an HTML page, and the renderer and fonts of PNG files. For the bundle, and for
// tests that run from src/.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const PAGE_ENTRY = fileURLToPath(new URL('../../src/output/chart-page/page.ts', import.meta.url));
const FONT_SUBSETS = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'vietnamese'];
const require = createRequire(import.meta.url);
const RENDERER = '@resvg/resvg-wasm/index_bg.wasm';

/**
 * A plugin of Rollup and Vite. The WebAssembly of the renderer is a file of a package that is installed with gatectl: `installed` looks
 * for it from the bundle, and tests that run from src/ read the file of this checkout.
 */
export function chartAssets({ installed = false } = {}) {
  const path = installed ? `require.resolve('${RENDERER}')` : JSON.stringify(require.resolve(RENDERER));
  const modules = {
    'virtual:chart-page-script': async () => `export default ${JSON.stringify(await pageScript())};`,
    'virtual:png-assets': () =>
      [
        "import { readFileSync } from 'node:fs';",
        `export const readRenderer = () => readFileSync(${path});`,
        `export const fonts = ${JSON.stringify(fonts())};`,
      ].join('\n'),
  };
  return {
    name: 'chart-assets',
    resolveId: id => (id in modules ? `\0${id}` : undefined),
    load: id => modules[id.slice(1)]?.(),
  };
}

async function pageScript() {
  const { outputFiles } = await build({
    entryPoints: [PAGE_ENTRY],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2020',
    charset: 'ascii',
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0].text;
}

function fonts() {
  const folder = join(dirname(require.resolve('@fontsource/inter/package.json')), 'files');
  const file = subset => join(folder, `inter-${subset}-400-normal.woff2`);
  return FONT_SUBSETS.map(subset => readFileSync(file(subset)).toString('base64'));
}
