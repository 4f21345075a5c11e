// Bundles src/ into dist/: CommonJS, because Node starts it measurably faster than ESM, in chunks, so that
// a command loads only what it uses.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import commonjs from '@rollup/plugin-commonjs';
import json from '@rollup/plugin-json';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { transform } from 'esbuild';
import { rollup } from 'rollup';
import esbuild from 'rollup-plugin-esbuild';
import license from 'rollup-plugin-license';
import { patchPlugin } from '../../patches/plugin.js';
import { chartAssets, chartsScript } from './chart-assets.js';
import { chunkOf, contentsOf, LIBRARIES } from './chunks.js';
import { inputsHash, isBuilt, recordBuild } from './inputs.js';
import { buildLibrary } from './library.js';
import { loadLatePlugin } from './load-late.js';
import { outlinePlugin } from './outline.js';
import { ownFiles } from './own-files.js';
import { packPlugin } from './pack.js';
import { PACKAGES } from './packages.js';
import { threadScript } from './thread-script.js';

const inputs = inputsHash();
if (isBuilt(inputs)) {
  process.stdout.write('dist/ is up to date\n');
  process.exit();
}
recordBuild('');

const external = [/^node:/, /^@duckdb\/node-api\//, ...PACKAGES];
const { packages: CHART_PACKAGES } = await chartsScript();

const bundle = await rollup({
  input: { gatectl: 'src/cli/entry.ts' },
  preserveEntrySignatures: 'allow-extension',
  external,
  // A chunk requires the one whose calls it uses, not both because src/files/disk.ts has calls of both.
  treeshake: { moduleSideEffects: id => !['node:fs', 'node:fs/promises'].includes(id) },
  plugins: [
    outlinePlugin(),
    loadLatePlugin(),
    libraryEntries(),
    patchPlugin(),
    smallValidator(),
    nodeResolve({ preferBuiltins: true, exportConditions: ['node'] }),
    // Node's own modules and files of the bundle stay where they are required: some are optional, and most are needed late.
    commonjs({ strictRequires: true, ignore: id => id.startsWith('node:') || id.endsWith('.cjs') }),
    json({ preferConst: true, namedExports: true }),
    chartAssets({ installed: true }),
    threadScript({ installed: true }),
    ownFiles({ installed: true }),
    packPlugin(),
    esbuild({ target: 'node20' }),
    {
      name: 'shrink-libraries',
      async transform(code, id) {
        if (!/node_modules.*\.[cm]?js$/.test(id)) return null;
        const { code: shrunk } = await transform(code, {
          minify: true,
          charset: 'ascii',
          target: 'node20',
          legalComments: 'none',
        });
        return { code: shrunk, map: null };
      },
    },
    {
      // Half the text to compile at each start, and ASCII alone, which V8 reads twice as fast. Names stay as they are, so that
      // a stack trace can be read.
      name: 'shrink',
      async renderChunk(code) {
        const shrunk = await transform(code, {
          minifyWhitespace: true,
          minifySyntax: true,
          charset: 'ascii',
          target: 'node20',
        });
        return { code: shrunk.code, map: null };
      },
    },
    hiddenCommands(),
    buildHash(),
    license({ thirdParty: { output: { file: 'dist/THIRD-PARTY-LICENSES.txt', template: licensesByName } } }),
  ],
  onwarn(warning, warn) {
    if (warning.code === 'CIRCULAR_DEPENDENCY' && warning.ids?.some(id => id.includes('node_modules')))
      return;
    if (warning.code === 'THIS_IS_UNDEFINED') return;
    warn(warning);
  },
});
await rm('dist', { recursive: true, force: true });
const { output } = await bundle.write({
  dir: 'dist',
  format: 'cjs',
  exports: 'named',
  dynamicImportInCjs: false,
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunks/[name].cjs',
  manualChunks: chunkOf,
  interop: 'auto',
  externalLiveBindings: false,
  minifyInternalExports: true,
  // A chunk requires what it uses itself: what others need is loaded when they are.
  hoistTransitiveImports: false,
});
await bundle.close();
await writeFile('dist/contents.json', `${JSON.stringify(contentsOf(output), undefined, 1)}\n`);
await writeFile('dist/package.json', '{ "type": "commonjs" }\n');
await buildLibrary('dist/library');
recordBuild(inputs);

/**
 * Libraries share the version and the paths of profiles with the first file, which leads to every command. A bundler that followed it
 * would put them all into a program that sends requests.
 */
function hiddenCommands() {
  return {
    name: 'hidden-commands',
    renderChunk(code, { fileName }) {
      if (fileName !== 'gatectl.cjs') return null;
      return {
        code: code.replaceAll(/require\("\.\/chunks\/([^"]+)"\)/g, 'require("./chunks/".concat("$1"))'),
        map: null,
      };
    },
  };
}

/** Builds what programs import from the same files as the command line. */
function libraryEntries() {
  return {
    name: 'library-entries',
    buildStart() {
      for (const [name, path] of Object.entries(LIBRARIES))
        this.emitFile({
          type: 'chunk',
          id: resolve(path),
          fileName: `library/${name}.cjs`,
          preserveSignature: 'strict',
        });
    },
  };
}

/**
 * The MCP library checks JSON Schemas with one of two libraries, chosen for the platform. gatectl lets it check none: the smaller one is
 * enough.
 */
function smallValidator() {
  return {
    name: 'small-validator',
    resolveId: id =>
      id === '@modelcontextprotocol/server/_shims'
        ? resolve('node_modules/@modelcontextprotocol/server/dist/shimsWorkerd.mjs')
        : null,
  };
}

/** Puts a hash of all chunks into the entry file: compiled code in a user's cache is valid for one build only. */
function buildHash() {
  const placeholder = 'HASH_OF_ALL_CHUNKS';
  return {
    name: 'build-hash',
    generateBundle(_, files) {
      const chunks = Object.values(files).filter(({ type }) => type === 'chunk');
      const hash = createHash('sha256');
      for (const { fileName, code } of chunks.sort((one, other) => (one.fileName < other.fileName ? -1 : 1)))
        hash.update(`${fileName}\0${code}\0`);
      const [entry, ...others] = chunks.filter(({ code }) => code.includes(placeholder));
      if (entry === undefined || others.length > 0) throw new Error(`${placeholder} must be in one chunk`);
      entry.code = entry.code.replace(placeholder, hash.digest('hex').slice(0, 16));
    },
  };
}

/** In the order of their names: the order in which rollup meets them differs from build to build. */
function licensesByName(dependencies) {
  const nameOf = ({ name, version }) => `${name}@${version}`;
  const sorted = [...dependencies].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  const texts = [...licensesByText(sorted), ...CHART_PACKAGES.map(licenseOf), fontLicense()];
  return texts.join('\n\n---\n\n');
}

/** Packages with the same license, such as those of one author, share one copy of its text. */
function licensesByText(dependencies) {
  const packages = new Map();
  for (const { name, version, license, author, repository, licenseText, noticeText } of dependencies) {
    const text = [licenseText, noticeText].filter(Boolean).join('\n\n').trim();
    const facts = [
      `Name: ${name}`,
      `Version: ${version}`,
      `License: ${license}`,
      ...(author === null || author === undefined ? [] : [`Author: ${author.text()}`]),
      ...(repository?.url === undefined ? [] : [`Repository: ${repository.url}`]),
    ].join('\n');
    packages.set(text, [...(packages.get(text) ?? []), facts]);
  }
  return [...packages].map(([text, of]) => `${of.join('\n\n')}\nLicense Text:\n===\n\n${text}`);
}

/** The license of a package that is data of the bundle, which the license plugin does not see. */
function licenseOf(name) {
  const folder = join('node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter(file => file.isFile() && /^(?:licen[cs]e|notice|copying)/i.test(file.name))
    .map(file => file.name)
    .sort();
  if (texts.length === 0) throw new Error(`${name} has no license file`);
  const text = texts.map(file => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
  return `Name: ${name}\nVersion: ${version}\nLicense: ${license}\nLicense Copyright:\n===\n\n${text}`;
}

/** Fonts are data of the bundle, which the license plugin does not see. */
function fontLicense() {
  return `Name: Inter (font of PNG charts)\nLicense: OFL-1.1\nLicense Copyright:\n===\n\n${readFileSync('node_modules/@fontsource/inter/LICENSE', 'utf8')}`;
}
