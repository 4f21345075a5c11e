// What charts in files need as data: the script of an HTML page, and the renderer and fonts of PNG files. For the bundle, and for
// tests that run from src/.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { librariesPatched } from '../../patches/plugin.js';

const ENTRIES = {
  charts: fileURLToPath(new URL('../../src/output/chart-page/charts.ts', import.meta.url)),
  page: fileURLToPath(new URL('../../src/output/chart-page/page.ts', import.meta.url)),
};
const FONT_SUBSETS = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'vietnamese'];
const require = createRequire(import.meta.url);
const RENDERER = '@resvg/resvg-wasm/index_bg.wasm';

/**
 * A plugin of Rollup and Vite. Images are drawn with the chart library of pages, so that the bundle has it once. The WebAssembly of the
 * renderer is a file of a package that is installed with gatectl: `installed` looks for it from the bundle; tests that run from src/
 * read the file of this checkout.
 */
export function chartAssets({ installed = false } = {}) {
  const path = installed ? `require.resolve('${RENDERER}')` : JSON.stringify(require.resolve(RENDERER));
  const modules = {
    'virtual:charts': () =>
      [
        "import { runInThisContext } from 'node:vm';",
        "import script from 'virtual:charts-script';",
        "export const { init } = runInThisContext('(()=>{' + script + ';return charts})()');",
      ].join('\n'),
    'virtual:charts-script': async () => `export default ${JSON.stringify((await chartsScript()).text)};`,
    'virtual:chart-page-assets': async () =>
      [
        "import charts from 'virtual:charts-script';",
        "export { pageFonts as fonts } from 'virtual:fonts';",
        `export const script = charts + ${JSON.stringify(await pageScript())};`,
      ].join('\n'),
    'virtual:png-assets': () =>
      [
        "import { readFileSync } from 'node:fs';",
        "export { fonts } from 'virtual:fonts';",
        `export const readRenderer = () => readFileSync(${path});`,
      ].join('\n'),
    'virtual:fonts': () =>
      [
        `export const fonts = ${JSON.stringify(FONT_SUBSETS.map(subset => font(subset, 400)))};`,
        `export const pageFonts = [[400, fonts[0]], [600, '${font('latin', 600)}']];`,
      ].join('\n'),
  };
  return {
    name: 'chart-assets',
    // Before vite's own resolution; rollup keeps the order of its plugins.
    enforce: 'pre',
    resolveId(id, importer) {
      if (importer !== undefined && resolve(dirname(importer), id) === ENTRIES.charts)
        return '\0virtual:charts';
      return id in modules ? `\0${id}` : undefined;
    },
    load: id => modules[id.slice(1)]?.(),
  };
}

/** @satisfies {import('esbuild').BuildOptions} */
const OPTIONS = {
  bundle: true,
  minify: true,
  write: false,
  format: 'iife',
  target: 'es2020',
  charset: 'ascii',
  legalComments: 'none',
  define: { 'process.env.NODE_ENV': '"production"' },
};

let script;

/** The chart library as a script that sets the variable `charts`, and the names of the packages in it. */
export function chartsScript() {
  script ??= buildCharts();
  return script;
}

async function buildCharts() {
  const { outputFiles, metafile } = await build({
    ...OPTIONS,
    entryPoints: [ENTRIES.charts],
    globalName: 'charts',
    metafile: true,
    plugins: [librariesPatched()],
  });
  const packages = Object.keys(metafile.inputs).flatMap(
    path => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
  );
  return { text: outputFiles[0].text, packages: [...new Set(packages)].sort() };
}

/** The script of a page, after that of the library. */
async function pageScript() {
  const library = {
    name: 'charts',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\/charts\.ts$/ }, () => ({ path: 'charts', namespace: 'script' }));
      onLoad({ filter: /./, namespace: 'script' }, () => ({ contents: 'export const { init } = charts;' }));
    },
  };
  const { outputFiles } = await build({ ...OPTIONS, entryPoints: [ENTRIES.page], plugins: [library] });
  return outputFiles[0].text;
}

/** In base64. */
function font(subset, weight) {
  const folder = join(dirname(require.resolve('@fontsource/inter/package.json')), 'files');
  return readFileSync(join(folder, `inter-${subset}-${weight}-normal.woff2`)).toString('base64');
}
