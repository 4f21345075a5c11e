// Bundles what other programs import as gatectl/migrate, apart from the command line: neither one's files weigh on the other.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const ENTRY = 'migrate/index';
const TYPESCRIPT = dirname(fileURLToPath(import.meta.resolve('typescript/package.json')));

/** Writes the bundle and its types below a folder. */
export async function buildLibrary(folder) {
  await build({
    entryPoints: [`src/${ENTRY}.ts`],
    outfile: join(folder, 'migrate.cjs'),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    charset: 'ascii',
    minifyWhitespace: true,
    legalComments: 'none',
  });
  await writeTypes(join(folder, 'types'));
}

async function writeTypes(folder) {
  const emitted = await mkdtemp(join(tmpdir(), 'gatectl-types-'));
  try {
    const config = join(emitted, 'tsconfig.json');
    const compilerOptions = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      outDir: join(emitted, 'types'),
      rootDir: resolve('src'),
      typeRoots: [resolve('node_modules/@types')],
    };
    const files = [resolve(`src/${ENTRY}.ts`)];
    await writeFile(
      config,
      JSON.stringify({ extends: resolve('tsconfig.json'), compilerOptions, include: [], files }),
    );
    await promisify(execFile)(process.execPath, [join(TYPESCRIPT, 'bin/tsc'), '-p', config]);
    await copyReached(`${ENTRY}.d.ts`, join(emitted, 'types'), folder, new Set());
  } finally {
    await rm(emitted, { recursive: true });
  }
}

/** Copies a declaration file and those that it imports; a program that imports them has no .ts files. */
async function copyReached(path, from, to, copied) {
  if (copied.has(path)) return;
  copied.add(path);
  const text = await readFile(join(from, path), 'utf8');
  const imported = [...text.matchAll(/from '(\.[^']+)\.ts'/g)].map(([, name]) => `${name}.d.ts`);
  await mkdir(dirname(join(to, path)), { recursive: true });
  await writeFile(join(to, path), text.replaceAll(/from '(\.[^']+)\.ts'/g, "from '$1.js'"));
  for (const name of imported) await copyReached(join(dirname(path), name), from, to, copied);
}
