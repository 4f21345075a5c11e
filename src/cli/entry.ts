import { version } from '../../package.json';
import type { Io } from '../terminal/io.ts';

export { thisBundle } from './code-cache.ts';
export { exitWhenDone } from './exit-when-done.ts';
export { processIo } from './process-io.ts';

/** The argument that completion scripts pass. It is not a command, so help does not list it. */
const COMPLETE = '__complete';

/** Runs one gatectl command line and resolves to its exit code. `argv` holds the words after the program's name. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    if (io.writeSync(`${version}\n`).length === 0) return 0;
  }
  if (argv.length === 1 && (argv[0] === '--help' || argv[0] === '-h')) {
    const { printBriefHelp } = await import('./brief-help.ts');
    if (await printBriefHelp(io)) return 0;
  }
  if (io.runtime.enableCompileCache !== undefined) {
    const { enableCompileCache } = await import('./compile-cache.ts');
    enableCompileCache(io);
  }
  if (argv[0] === COMPLETE) {
    const { complete } = await import('./completion/complete.ts');
    await complete(argv.slice(1), io);
    return 0;
  }
  try {
    const { run } = await import('./run.ts');
    return await run(argv, io);
  } catch (error) {
    return reportBriefly(error, io);
  }
}

/** Reports an error that `run` cannot, because a module cannot be loaded. Returns the exit code. */
function reportBriefly(error: unknown, io: Io): number {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EMFILE' || code === 'ENFILE') {
    io.stderr.write('error: too many files are open\n  raise the limit on open files: ulimit -n 256\n');
    return 9;
  }
  io.stderr.write(
    `error: gatectl itself failed: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  return 1;
}
