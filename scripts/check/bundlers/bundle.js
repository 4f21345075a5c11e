// One bundle of a program by each bundler, as a module or, for runtimes that evaluate scripts, as one.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { build as esbuild } from 'esbuild';
import { rollup } from 'rollup';
import { build as vite } from 'vite';

/** What bundlers for workers and edge functions set. */
const CONDITIONS = ['workerd', 'worker', 'edge-light'];

/** By name: bundles `entry` into `folder` and returns the path. `tools` is a folder with webpack in its node_modules. */
export const BUNDLERS = {
  esbuild: async ({ entry, file, isScript }) => {
    await esbuild({
      entryPoints: [entry],
      outfile: file,
      bundle: true,
      minify: true,
      format: isScript ? 'iife' : 'esm',
      platform: 'browser',
      conditions: CONDITIONS,
      logLevel: 'error',
    });
  },
  rollup: async ({ entry, file, isScript }) => {
    const bundle = await rollup({
      input: entry,
      plugins: [nodeResolve({ exportConditions: CONDITIONS })],
      onwarn: warning => {
        throw new Error(warning.message);
      },
    });
    await bundle.write({ file, format: isScript ? 'iife' : 'es' });
    await bundle.close();
  },
  webpack: async ({ entry, folder, name, isScript, tools }) => {
    const webpack = createRequire(join(tools, 'package.json'))('webpack');
    const stats = await new Promise((resolve, reject) => {
      const configuration = {
        entry,
        mode: 'production',
        target: 'webworker',
        resolve: { conditionNames: [...CONDITIONS, 'import'] },
        performance: { hints: false },
        output: {
          path: folder,
          filename: name,
          ...(!isScript && { module: true, library: { type: 'module' } }),
        },
        ...(!isScript && { experiments: { outputModule: true } }),
      };
      webpack(configuration, (error, done) => (error ? reject(error) : resolve(done)));
    });
    if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString('errors-warnings'));
  },
  vite: async ({ entry, folder, name, isScript }) => {
    await vite({
      configFile: false,
      root: folder,
      logLevel: 'error',
      resolve: { conditions: CONDITIONS },
      build: {
        outDir: folder,
        emptyOutDir: false,
        minify: 'esbuild',
        lib: { entry, formats: [isScript ? 'iife' : 'es'], name: 'program', fileName: () => name },
      },
    });
  },
};
