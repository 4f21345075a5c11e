// Writes what is made from the commands: completions, manual pages, their list in package.json, and the reference; the reference
// of the libraries, and the compiled kernel. A test fails when one of them is stale.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { clientReference } from './build/client-reference.js';
import { FINGERPRINTS, KERNEL_MODULES, kernelFingerprint, kernelModule } from './build/kernel.js';
import { writeTypes } from './build/library.js';
import { PACKAGES } from './build/packages.js';

const fingerprints = {};
for (const path of KERNEL_MODULES) {
  const module = await kernelModule(path);
  await write(path, module);
  fingerprints[path] = kernelFingerprint(path, module);
}
await write(FINGERPRINTS, `${JSON.stringify(fingerprints, undefined, 2)}\n`);
const folder = await mkdtemp(join(tmpdir(), 'gatectl-generate-'));
try {
  const outfile = join(folder, 'generated-files.mjs');
  await build({
    entryPoints: ['src/cli/manual/generated-files.ts'],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: [
      ...PACKAGES,
      'virtual:chart-page-assets',
      'virtual:png-assets',
      'virtual:parquet-thread',
      'virtual:jq-thread',
      'virtual:own-files',
    ],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  const { generatedFiles, GENERATED_FOLDERS } = await import(pathToFileURL(outfile).href);
  const files = generatedFiles();
  for (const path of await present(GENERATED_FOLDERS)) {
    if (!files.has(path)) await rm(path);
  }
  for (const [path, text] of files) await write(path, text);
  // npm links the pages that are listed here, and none that a folder holds.
  const manifest = JSON.parse(await readFile('package.json', 'utf8'));
  manifest.man = [...files.keys()].filter(path => path.startsWith('man/'));
  const types = join(folder, 'types');
  await writeTypes(types);
  await write('docs/client-reference.md', clientReference(types));
  await write('package.json', `${JSON.stringify(manifest, undefined, 2)}\n`);
} finally {
  await rm(folder, { recursive: true });
}

async function write(path, text) {
  if ((await textOf(path)) === text) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  process.stdout.write(`wrote ${path}\n`);
}

async function present(folders) {
  const names = await Promise.all(
    folders.map(async folder => (await list(folder)).map(name => `${folder}/${name}`)),
  );
  return names.flat();
}

async function list(folder) {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

async function textOf(path) {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
