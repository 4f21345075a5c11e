import { fstatSync, writeSync as writeFileDescriptor } from 'node:fs';
import nodeModule from 'node:module';
import { homedir } from 'node:os';
import { processTable } from '../files/process-table.ts';
import type { Io } from '../terminal/io.ts';
import { type Bundle, cacheCompiledCode } from './code-cache.ts';

const STDOUT = 1;

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM'];
/** On Windows there is no SIGTERM; Ctrl-Break and closing the window terminate a command. */
const WINDOWS_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGBREAK', 'SIGHUP'];

/** Exists since Node 22.8. Never throws. */
const { enableCompileCache } = nodeModule as {
  readonly enableCompileCache?: (folder: string) => unknown;
};

/** The `Io` of a process. `bundle` enables the code cache for versions before Node 22.8, which has its own. */
export function processIo(process: NodeJS.Process, bundle?: Bundle): Io {
  return {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return process.stdout;
    },
    // Created on first use, which takes 2 ms. Its errors are ignored, because they cannot be reported.
    get stderr() {
      if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {});
      return process.stderr;
    },
    get mayBeTerminal() {
      return mayBeTerminal(STDOUT);
    },
    writeSync: chunk => writeSync(STDOUT, chunk),
    async openPager(words, env) {
      const { openPager } = await import('./open-pager.ts');
      return await openPager(process, words, env);
    },
    env: process.env,
    platform: process.platform,
    get homedir() {
      return homeOf();
    },
    get cwd() {
      return process.cwd();
    },
    self: {
      pid: process.pid,
      uid: process.geteuid?.(),
      ...processTable(process),
    },
    runtime: {
      node: process.versions.node,
      arch: process.arch,
      bundle,
      ...((enableCompileCache || bundle) && {
        enableCompileCache: folder => {
          if (enableCompileCache !== undefined) enableCompileCache(folder);
          else if (bundle !== undefined) cacheCompiledCode(folder, bundle, process);
        },
      }),
    },
    now: Date.now,
    random: Math.random,
    onSignal(listener) {
      const signals = process.platform === 'win32' ? WINDOWS_SIGNALS : SIGNALS;
      const onFirst = (signal: NodeJS.Signals) => {
        stop();
        listener(signal === 'SIGINT' ? 'SIGINT' : 'SIGTERM');
      };
      // Unsubscribing lets the second signal terminate the process.
      const stop = () => {
        for (const signal of signals) process.off(signal, onFirst);
      };
      for (const signal of signals) process.on(signal, onFirst);
      return stop;
    },
    onUncaughtException(listener) {
      process.once('uncaughtException', listener);
      return () => process.off('uncaughtException', listener);
    },
  };
}

function mayBeTerminal(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return true;
  }
}

function writeSync(descriptor: number, chunk: string | Uint8Array): Uint8Array {
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  let done = 0;
  try {
    while (done < bytes.length) done += writeFileDescriptor(descriptor, bytes, done);
  } catch {
    // The stream will meet the same error, and wait or report it.
  }
  return bytes.subarray(done);
}

function homeOf(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    return undefined;
  }
}
