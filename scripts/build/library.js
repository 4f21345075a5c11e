// What other programs import: gatectl/migrate and the clients for bundlers as bundles of their own, the others from the files of the
// command line (see chunks.js), and the types of all.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { librariesPatched } from '../../patches/plugin.js';
import { LIBRARIES } from './chunks.js';

const MIGRATE = 'migrate/index';
/** The client for runtimes with `fetch` and Web APIs alone. */
const WEB = 'client/web/index';
/** Bundlers for Node find the client with this module in place of the one that brings undici. */
const CARRIER = { of: 'src/client/own-carrier.ts', bundled: 'src/client/bundled-carrier.ts' };
const require = createRequire(import.meta.url);
const TYPESCRIPT = dirname(fileURLToPath(import.meta.resolve('typescript/package.json')));

/** Imports into browsers find this instead: a key in a page is everybody's. */
const BROWSER = `throw new Error("gatectl/client does not run in a page: a page that holds the API key gives it to every visitor");\n`;

/** Writes the libraries and their types below a folder, where their .cjs files lie. */
export async function buildLibrary(folder) {
  await build({
    entryPoints: [`src/${MIGRATE}.ts`],
    outfile: join(folder, 'migrate.cjs'),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    charset: 'ascii',
    minify: true,
    legalComments: 'none',
    plugins: [librariesPatched()],
  });
  await buildModules(folder);
  await writeFile(join(folder, 'web.d.mts'), `export * from './types/${WEB}.js';\n`);
  for (const [name, entry] of Object.entries(LIBRARIES)) await writeModule(folder, name, entry);
  await writeFile(join(folder, 'browser.mjs'), BROWSER);
  await writeTypes(join(folder, 'types'));
}

/**
 * Writes the clients that bundlers find, for the web and for Node, as ES modules that share files. They are shortened as far as a bundler
 * still sees which parts a program does not use, which the marks of pure calls say.
 */
async function buildModules(folder) {
  const { outputFiles } = await build({
    entryPoints: { web: `src/${WEB}.ts`, bundled: LIBRARIES.client },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'modules/[hash]',
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    external: ['node:*'],
    target: 'es2022',
    charset: 'ascii',
    legalComments: 'none',
    minifySyntax: true,
    minifyIdentifiers: true,
    plugins: [librariesPatched(), bundledCarrier(), usedCalls()],
  });
  await mkdir(join(folder, 'modules'), { recursive: true });
  for (const { path, text } of outputFiles) await writeFile(path, withoutDescriptions(text));
}

/** What comments say about functions is in the declarations of types. Marks of pure calls stay. */
function withoutDescriptions(text) {
  return text.replaceAll(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '').replaceAll(/^\/\/ .*\n/gm, '');
}

/** A plugin of esbuild. */
function bundledCarrier() {
  return {
    name: 'bundled-carrier',
    setup({ onLoad }) {
      const { of, bundled } = CARRIER;
      onLoad({ filter: /own-carrier\.ts$/ }, ({ path }) => {
        if (path !== resolve(of)) return undefined;
        const contents = `export { bundledCarrier as ownCarrier } from './${basename(bundled)}';`;
        return { contents, loader: 'ts', resolveDir: dirname(path) };
      });
    },
  };
}

/** A plugin of esbuild: imports from Node's file system only the calls that are used, because bundlers warn about the others. */
function usedCalls() {
  return {
    name: 'used-calls',
    setup({ onResolve, onLoad }) {
      const namespace = 'call';
      onLoad({ filter: /files[\\/]disk\.ts$/ }, async ({ path }) => {
        const lists = [
          ...(await readFile(path, 'utf8')).matchAll(/^export \{([^}]*)\} from '(node:[^']+)';$/gm),
        ];
        const contents = lists.flatMap(([, names, module]) =>
          names
            .split(',')
            .map(name => name.trim())
            .filter(name => /^\w+$/.test(name))
            .map(name => `export { ${name} } from '${namespace}:${module}#${name}';`),
        );
        return { contents: contents.join('\n') };
      });
      onResolve({ filter: /^call:/ }, ({ path }) => ({ path, namespace, sideEffects: false }));
      onLoad({ filter: /./, namespace }, ({ path }) => {
        const [, module, name] = /^call:(.*)#(.*)$/.exec(path) ?? [];
        return { contents: `export { ${name} } from '${module}';` };
      });
    },
  };
}

/** An ES module of what a .cjs file exports: one copy of its classes, however a program imports them. */
async function writeModule(folder, name, entry) {
  const names = Object.keys(require(resolve(folder, `${name}.cjs`)));
  const module = `import library from './${name}.cjs';\nexport const { ${names.join(', ')} } = library;\n`;
  await writeFile(join(folder, `${name}.mjs`), module);
  const types = entry.replace(/^src\/(.*)\.ts$/, './types/$1.js');
  await writeFile(join(folder, `${name}.d.mts`), `export * from '${types}';\n`);
  await writeFile(join(folder, `${name}.d.cts`), `export * from '${types}';\n`);
}

/** Writes the declarations of the libraries below a folder. */
export async function writeTypes(folder) {
  const entries = [
    MIGRATE,
    WEB,
    ...Object.values(LIBRARIES).map(path => path.replace(/^src\/(.*)\.ts$/, '$1')),
  ];
  const emitted = await mkdtemp(join(tmpdir(), 'gatectl-types-'));
  try {
    const config = join(emitted, 'tsconfig.json');
    const compilerOptions = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      stripInternal: true,
      outDir: join(emitted, 'types'),
      rootDir: resolve('src'),
      typeRoots: [resolve('node_modules/@types')],
    };
    const declarations = await readdir('src', { recursive: true });
    const files = [
      ...entries.map(entry => resolve(`src/${entry}.ts`)),
      ...declarations.filter(name => name.endsWith('.d.ts')).map(name => resolve('src', name)),
    ];
    await writeFile(
      config,
      JSON.stringify({ extends: resolve('tsconfig.json'), compilerOptions, include: [], files }),
    );
    await promisify(execFile)(process.execPath, [join(TYPESCRIPT, 'bin/tsc'), '-p', config]);
    const copied = new Set();
    for (const entry of entries) await copyReached(`${entry}.d.ts`, join(emitted, 'types'), folder, copied);
  } finally {
    await rm(emitted, { recursive: true });
  }
}

/** Copies a declaration file and those that it imports; a program that imports them has no .ts files. */
async function copyReached(path, from, to, copied) {
  if (copied.has(path)) return;
  copied.add(path);
  const text = await readFile(join(from, path), 'utf8');
  const [, foreign] = /from '([^.][^']*)'/.exec(text) ?? [];
  if (foreign !== undefined) throw new Error(`the types of ${path} need the package ${foreign}`);
  const imported = [...text.matchAll(/from '(\.[^']+)\.ts'/g)].map(([, name]) => `${name}.d.ts`);
  await mkdir(dirname(join(to, path)), { recursive: true });
  await writeFile(join(to, path), text.replaceAll(/from '(\.[^']+)\.ts'/g, "from '$1.js'"));
  for (const name of imported) await copyReached(join(dirname(path), name), from, to, copied);
}
