// What charts in files need as data: the script of an HTML page, and the renderer and fonts of PNG files. For the bundle, and for
// tests that run from src/.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { build } from 'esbuild';

const PAGE_ENTRY = fileURLToPath(new URL('../../src/output/chart-page/page.ts', import.meta.url));
const FONT_SUBSETS = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'vietnamese'];
const require = createRequire(import.meta.url);
const compressed = promisify(brotliCompress);

const MODULES = {
  'virtual:chart-page-script': async () => `export default ${JSON.stringify(await pageScript())};`,
  'virtual:png-assets': async quality =>
    `export const renderer = '${await renderer(quality)}';\nexport const fonts = ${JSON.stringify(fonts())};`,
};

/** A plugin of Rollup and Vite. The best compression takes ten seconds, which tests that run from src/ do not need. */
export function chartAssets({ quality = constants.BROTLI_MAX_QUALITY } = {}) {
  return {
    name: 'chart-assets',
    resolveId: id => (id in MODULES ? `\0${id}` : undefined),
    load: id => MODULES[id.slice(1)]?.(quality),
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

/** Compressed a quarter smaller than gzip would, at the best quality. */
async function renderer(quality) {
  const wasm = readFileSync(require.resolve('@resvg/resvg-wasm/index_bg.wasm'));
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: wasm.length,
  };
  // Beside the thread that bundles.
  return (await compressed(wasm, { params })).toString('base64');
}

function fonts() {
  const folder = join(dirname(require.resolve('@fontsource/inter/package.json')), 'files');
  const file = subset => join(folder, `inter-${subset}-400-normal.woff2`);
  return FONT_SUBSETS.map(subset => readFileSync(file(subset)).toString('base64'));
}
