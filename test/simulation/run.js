// npm run test:simulation: bundles main.ts, since Node does not load TypeScript, and runs it.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const { outputFiles } = await build({
  entryPoints: ['test/simulation/main.ts'],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['esbuild'],
  sourcemap: 'inline',
});
// Next to the packages that it imports.
const folder = resolve('node_modules/.cache');
mkdirSync(folder, { recursive: true });
const path = join(folder, `simulation-${process.pid}.mjs`);
writeFileSync(path, outputFiles[0].text);
try {
  await import(pathToFileURL(path).href);
} finally {
  rmSync(path);
}
