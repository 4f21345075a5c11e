import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

/**
 * What is compiled from kernel/, by the module that carries it: the file to begin with, the name of the constant, and the memory in
 * pages of 64 KB, which has room for what kernel/memory.ts and the file place.
 */
const KERNELS = {
  'src/export/transcode/kernel-code.ts': {
    source: 'kernel/known-rows.ts',
    constant: 'KERNEL_CODE',
    pages: 32,
    what: "The transcoder's kernel",
  },
  'src/export/parquet/column-kernel-code.ts': {
    source: 'kernel/columns.ts',
    constant: 'COLUMN_KERNEL_CODE',
    pages: 400,
    what: 'The kernel that makes columns of rows',
  },
  'src/sync/rows/partition-kernel-code.ts': {
    source: 'kernel/partitions.ts',
    constant: 'PARTITION_KERNEL_CODE',
    pages: 40,
    what: 'The kernel that divides rows into partitions',
  },
};

/** Where compiled kernels are stored. */
export const KERNEL_MODULES = Object.keys(KERNELS);

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = join(ROOT, 'kernel');

/** Where the fingerprints of compiled kernels are stored. */
export const FINGERPRINTS = 'kernel/compiled.json';

/**
 * What identifies a module that carries a kernel, and everything that it was compiled from: SHA-256 in hexadecimal digits. Compiling
 * takes seconds, comparing fingerprints does not.
 */
export function kernelFingerprint(path, module) {
  const { version } = createRequire(import.meta.url)('assemblyscript/package.json');
  const hash = createHash('sha256').update(JSON.stringify([version, optionsOf(KERNELS[path]), module]));
  for (const name of readdirSync(SOURCES)
    .filter(name => name.endsWith('.ts'))
    .sort())
    hash.update(JSON.stringify([name, readFileSync(join(SOURCES, name), 'utf8')]));
  return hash.digest('hex');
}

function optionsOf({ source, pages }) {
  return [
    ...[source, '-O3', '--noAssert', '--runtime', 'stub', '--use', 'abort=', '--enable', 'simd'],
    ...['--initialMemory', `${pages}`, '--maximumMemory', `${pages}`],
  ];
}

/** Compiles a kernel from AssemblyScript, and gives the text of the module that carries it. Throws when it does not compile. */
export async function kernelModule(path) {
  const kernel = KERNELS[path];
  const { source, constant, what } = kernel;
  let code;
  const { error, stderr } = await asc.main(
    [...optionsOf(kernel), '--baseDir', ROOT, '--outFile', 'kernel.wasm'],
    {
      writeFile: (_, contents) => {
        code = Buffer.from(contents).toString('base64');
      },
    },
  );
  if (error !== null) throw new Error(`${source} does not compile:\n${stderr.toString()}`, { cause: error });
  return `// Made from kernel/ by npm run generate.\n\n/** ${what}: WebAssembly in base64. */\nexport const ${constant} =\n  '${code}';\n`;
}
