// One bundle of a program by each bundler: as a module or, for runtimes that evaluate scripts, as one; for the web, or without a setting
// for Node.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { build as esbuild } from 'esbuild';
import { rollup } from 'rollup';
import { build as vite } from 'vite';

/** What bundlers for workers and edge functions set. */
const CONDITIONS = ['workerd', 'worker', 'edge-light'];

/**
 * @typedef {object} Job
 * @property {string} entry
 * @property {string} folder
 * @property {string} name
 * @property {string} file the path of `name` in `folder`
 * @property {boolean} isScript
 * @property {boolean} [forNode]
 * @property {string} tools a folder with webpack in its node_modules
 */

/**
 * By name: bundles `entry` into `file`.
 * @satisfies {Record<string, (job: Job) => Promise<void>>}
 */
export const BUNDLERS = {
  esbuild: async ({ entry, file, isScript, forNode }) => {
    await esbuild({
      entryPoints: [entry],
      outfile: file,
      bundle: true,
      minify: true,
      format: isScript ? 'iife' : 'esm',
      ...(forNode ? { platform: 'node' } : { platform: 'browser', conditions: CONDITIONS }),
      logLevel: 'error',
    });
  },
  rollup: async ({ entry, file, isScript, forNode }) => {
    const bundle = await rollup({
      input: entry,
      external: forNode ? /^node:/ : [],
      plugins: [nodeResolve(forNode ? {} : { exportConditions: CONDITIONS })],
      onwarn: warning => {
        throw new Error(warning.message);
      },
    });
    await bundle.write({ file, format: isScript ? 'iife' : 'es', inlineDynamicImports: true });
    await bundle.close();
  },
  webpack: async ({ entry, folder, name, isScript, forNode, tools }) => {
    const webpack = createRequire(join(tools, 'package.json'))('webpack');
    const stats = await new Promise((resolve, reject) => {
      const configuration = {
        entry,
        mode: 'production',
        performance: { hints: false },
        output: {
          path: folder,
          filename: name,
          ...(!isScript && { module: true, library: { type: 'module' } }),
        },
        ...(!isScript && { experiments: { outputModule: true } }),
        ...(forNode
          ? { target: 'node' }
          : { target: 'webworker', resolve: { conditionNames: [...CONDITIONS, 'import'] } }),
      };
      webpack(configuration, (error, done) => (error ? reject(error) : resolve(done)));
    });
    if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString('errors-warnings'));
  },
  vite: async ({ entry, folder, name, isScript, forNode }) => {
    await vite({
      configFile: false,
      root: folder,
      logLevel: 'error',
      ...(forNode ? { ssr: { noExternal: true } } : { resolve: { conditions: CONDITIONS } }),
      build: {
        outDir: folder,
        emptyOutDir: false,
        minify: 'esbuild',
        ...(forNode
          ? { ssr: entry, rollupOptions: { output: { entryFileNames: name, inlineDynamicImports: true } } }
          : { lib: { entry, formats: [isScript ? 'iife' : 'es'], name: 'program', fileName: () => name } }),
      },
    });
  },
};
