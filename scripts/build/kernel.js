import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

/**
 * What is compiled from kernel/, by the module that carries it: the file to begin with, the name of the constant, and the memory in
 * pages of 64 KB, which has room for what kernel/memory.ts and kernel/columns.ts place.
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
};

/** Where compiled kernels are stored. */
export const KERNEL_MODULES = Object.keys(KERNELS);

/** Compiles a kernel from AssemblyScript, and gives the text of the module that carries it. Throws when it does not compile. */
export async function kernelModule(path) {
  const { source, constant, pages, what } = KERNELS[path];
  let code;
  const { error, stderr } = await asc.main(
    [
      ...[source, '--baseDir', fileURLToPath(new URL('../..', import.meta.url))],
      ...['-O3', '--noAssert', '--runtime', 'stub', '--use', 'abort=', '--enable', 'simd'],
      ...['--initialMemory', `${pages}`, '--maximumMemory', `${pages}`, '--outFile', 'kernel.wasm'],
    ],
    {
      writeFile: (_, contents) => {
        code = Buffer.from(contents).toString('base64');
      },
    },
  );
  if (error !== null) throw new Error(`${source} does not compile:\n${stderr.toString()}`, { cause: error });
  return `// Made from kernel/ by npm run generate.\n\n/** ${what}: WebAssembly in base64. */\nexport const ${constant} =\n  '${code}';\n`;
}
