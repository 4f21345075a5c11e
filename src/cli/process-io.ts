import { fstatSync, writeSync as writeFileDescriptor } from 'node:fs';
import nodeModule from 'node:module';
import { homedir } from 'node:os';
import type { Io } from '../terminal/io.ts';
import { type Bundle, cacheCompiledCode } from './code-cache.ts';
import { processTable } from './process-table.ts';

const STDOUT = 1;

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM'];
/** Windows sends no SIGTERM: Ctrl-Break and a closed window are what asks a command to end there. */
const WINDOWS_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGBREAK', 'SIGHUP'];

/** Since Node 22.8. It reports a folder that it can't use, and throws nothing. */
const { enableCompileCache } = nodeModule as {
  readonly enableCompileCache?: (folder: string) => unknown;
};

/** The real process as gatectl sees it. `bundle` is what to cache compiled code of; Node does it by itself since 22.8. */
export function processIo(process: NodeJS.Process, bundle?: Bundle): Io {
  return {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return process.stdout;
    },
    // Making it costs Node 2 ms, which most runs are spared. Where it fails there is nobody left to tell.
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
      const heard = (signal: NodeJS.Signals) => {
        stop();
        listener(signal === 'SIGINT' ? 'SIGINT' : 'SIGTERM');
      };
      // Listening once leaves the second signal to the system, which ends the process on the spot.
      const stop = () => {
        for (const signal of signals) process.off(signal, heard);
      };
      for (const signal of signals) process.on(signal, heard);
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
    // Whether it is full, busy or gone, the stream finds out again, and waits or tells.
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
