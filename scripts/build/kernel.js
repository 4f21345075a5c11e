import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

/** In pages of 64 KB: room for what kernel/memory.ts places. */
const PAGES = '32';

/** Where the compiled kernel is kept. */
export const KERNEL_MODULE = 'src/export/transcode/kernel-code.ts';

/** Compiles the transcoder's kernel from AssemblyScript, and gives the text of the module that carries it. Throws when it does not compile. */
export async function kernelModule() {
  let code;
  const { error, stderr } = await asc.main(
    [
      ...['kernel/known-rows.ts', '--baseDir', fileURLToPath(new URL('../..', import.meta.url))],
      ...['-O3', '--noAssert', '--runtime', 'stub', '--use', 'abort=', '--enable', 'simd'],
      ...['--initialMemory', PAGES, '--maximumMemory', PAGES, '--outFile', 'kernel.wasm'],
    ],
    {
      writeFile: (_, contents) => {
        code = Buffer.from(contents).toString('base64');
      },
    },
  );
  if (error !== null) throw new Error(`the kernel does not compile:\n${stderr.toString()}`, { cause: error });
  return `// Made from kernel/ by npm run generate.\n\n/** The transcoder's kernel: WebAssembly in base64. */\nexport const KERNEL_CODE =\n  '${code}';\n`;
}
