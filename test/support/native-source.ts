import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { testPatchPlugin } from '../../patches/plugin.js';
import { chartAssets } from '../../scripts/build/chart-assets.js';
import { ownFiles } from '../../scripts/build/own-files.js';
import { threadScript } from '../../scripts/build/thread-script.js';

// Transpiles src/ once, so that Node loads it as any library. Loaded by vitest, each use of an import is a call of a getter, which makes
// loops over bytes several times slower, and each worker requests each module from the main process.

const ROOT = resolve('.');
const CACHE = join(ROOT, 'node_modules/.cache/gatectl-source');
const VIRTUAL = [
  'virtual:chart-page-assets',
  'virtual:own-files',
  'virtual:parquet-thread',
  'virtual:jq-thread',
  'virtual:png-assets',
];
const CHARTS = 'src/output/chart-page/charts.ts';
/** Libraries that are bundled: an ES module to patch (patches/register.js patches CommonJS ones), and one that Node cannot load. */
const LIBRARIES = ['lossless-json', 'validator/es/lib/isEmail.js'];
/** What the transpiled files depend on. */
const INPUTS = [
  'src',
  'patches',
  'scripts/build',
  'test/support/native-source.ts',
  'package.json',
  'package-lock.json',
];
/** Number of transpiled versions to keep: other runs may use older ones. */
const KEPT = 4;

/** Modules of src/ by the modules that tests load in their place. Only these import the originals. Paths from the root. */
export type Replacements = Readonly<Record<string, string>>;

/** The option `server.deps.external`: what {@link nativeSource} resolves to. */
export const NATIVE_FILES = /[\\/]node_modules[\\/]\.cache[\\/]gatectl-source[\\/]/;

/** A Vite plugin: tests import src/ as files that Node loads. They are kept for the next run. */
export function nativeSource(replacements: Replacements) {
  let folder: Promise<string> | undefined;
  return {
    name: 'native-source',
    enforce: 'pre' as const,
    async resolveId(id: string, importer: string | undefined) {
      const name = nameOf(id, importer);
      if (!name.startsWith('src/') && !LIBRARIES.includes(name) && !VIRTUAL.includes(name)) return undefined;
      folder ??= transpiled(replacements);
      return join(await folder, outputOf(replacements[name] ?? name));
    },
  };
}

/** A Vite plugin: the replacements, where src/ is loaded by vitest. */
export function replacing(replacements: Replacements) {
  return {
    name: 'replacing',
    enforce: 'pre' as const,
    resolveId(id: string, importer: string | undefined) {
      const by = replacements[nameOf(id, importer)];
      return by === undefined || importer === resolve(by) ? undefined : resolve(by);
    },
  };
}

/** A path from the root, or the name of a library or virtual module. */
function nameOf(id: string, importer: string | undefined): string {
  const isPath = importer !== undefined && id.startsWith('.');
  return isPath ? relative(ROOT, resolve(dirname(importer), id)).replaceAll('\\', '/') : id;
}

/** The file of a module, in the folder of a transpiled version. */
function outputOf(name: string): string {
  if (name.endsWith('.ts')) return name.replace(/ts$/, 'js');
  return name.endsWith('.json') ? `${name}.js` : `${name.replace('virtual:', 'virtual/')}.js`;
}

async function transpiled(replacements: Replacements): Promise<string> {
  const folder = join(CACHE, contentHash(replacements));
  if (existsSync(folder)) {
    const now = new Date();
    utimesSync(folder, now, now);
    return folder;
  }
  mkdirSync(CACHE, { recursive: true });
  const made = mkdtempSync(join(CACHE, 'new-'));
  await transpile(made, replacements);
  try {
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true });
    // Another run may have been first.
    if (!existsSync(folder)) throw error;
  }
  removeOldest();
  return folder;
}

function contentHash(replacements: Replacements): string {
  const hash = createHash('sha256').update(JSON.stringify(replacements));
  for (const path of [...INPUTS, ...Object.values(replacements)].flatMap(filesIn))
    hash.update(`\0${path}\0`).update(readFileSync(path));
  return hash.digest('hex').slice(0, 16);
}

function filesIn(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort();
}

function removeOldest(): void {
  const folders = readdirSync(CACHE).map(name => join(CACHE, name));
  const times = new Map(
    folders.map(folder => [folder, statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0]),
  );
  folders.sort((one, other) => (times.get(other) ?? 0) - (times.get(one) ?? 0));
  for (const folder of folders.slice(KEPT)) rmSync(folder, { recursive: true, force: true });
}

async function transpile(folder: string, replacements: Replacements): Promise<void> {
  const sources = filesIn('src').filter(path => path.endsWith('.ts') && !path.endsWith('.d.ts'));
  const { outputFiles } = await build({
    entryPoints: [...sources, ...Object.values(replacements)],
    outdir: folder,
    outbase: '.',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    write: false,
  });
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, withPaths(text, name, replacements));
  };
  for (const { path, text } of outputFiles) write(relative(folder, path), text);
  for (const [name, text] of await otherModules()) write(outputOf(name), text);
  write('package.json', '{ "type": "module" }\n');
}

/** The modules that are no TypeScript: name and text. */
async function otherModules(): Promise<[string, string][]> {
  const plugins = [chartAssets(), threadScript(), ownFiles()];
  const load = async (name: string): Promise<[string, string]> => {
    for (const plugin of plugins) {
      const text = await plugin.load(`\0${name}`);
      if (text != null) return [name, text];
    }
    throw new Error(`no plugin has ${name}`);
  };
  const members = Object.entries(JSON.parse(readFileSync('package.json', 'utf8'))).filter(([name]) =>
    /^\w+$/.test(name),
  );
  return [
    ...(await Promise.all(
      [...VIRTUAL, 'virtual:charts-script', 'virtual:fonts', 'virtual:jq-thread-script'].map(load),
    )),
    [CHARTS, (await load('virtual:charts'))[1]],
    [
      'package.json',
      members.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`).join('\n'),
    ],
    ...(await Promise.all(LIBRARIES.map(bundled))),
  ];
}

async function bundled(library: string): Promise<[string, string]> {
  const { transform } = testPatchPlugin();
  const { outputFiles } = await build({
    entryPoints: [library],
    bundle: true,
    format: 'esm',
    write: false,
    plugins: [
      {
        name: 'patches',
        setup({ onLoad }) {
          onLoad({ filter: /\.js$/ }, ({ path }) => ({
            contents: transform(readFileSync(path, 'utf8'), path)?.code,
          }));
        },
      },
    ],
  });
  return [library, outputFiles.map(({ text }) => text).join('')];
}

/** Makes imports name the files of the folder. esbuild prints each specifier after `from` or `import`. */
function withPaths(text: string, output: string, replacements: Replacements): string {
  const original = output.replace(/js$/, 'ts');
  return text.replace(/(\bfrom |\bimport |\bimport\()(["'])([^"'\n]+)\2/g, (all, before, quote, id) => {
    const name = nameOf(id, resolve(original));
    const by = replacements[name] ?? name;
    const used = outputOf(by === original ? name : by);
    const isHere = id.startsWith('.') || LIBRARIES.includes(id) || id.startsWith('virtual:');
    const path = relative(dirname(output), used).replaceAll('\\', '/');
    return isHere ? `${before}${quote}${path.startsWith('.') ? path : `./${path}`}${quote}` : all;
  });
}
