import { version } from '../../package.json';
import type { Io } from '../terminal/io.ts';

export { thisBundle } from './code-cache.ts';
export { processIo } from './process-io.ts';

/** What the shells' completion scripts call; no command, so that it is listed nowhere. */
const COMPLETE = '__complete';

/** Runs one gatectl command line and resolves to its exit code. `argv` holds the words after the program's name. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    if (io.writeSync(`${version}\n`).length === 0) return 0;
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

/** For errors that `run` can't report because a part of gatectl can't be loaded. Resolves to the exit code. */
function reportBriefly(error: unknown, io: Io): number {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EMFILE' || code === 'ENFILE') {
    io.stderr.write('error: too many files are open\n  raise the limit of open files: ulimit -n 256\n');
    return 9;
  }
  io.stderr.write(
    `error: gatectl itself failed: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  return 1;
}
