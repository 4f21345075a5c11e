import type * as SyncFiles from 'node:fs';
import type * as Files from 'node:fs/promises';

/**
 * Of the calls on paths in a folder, the one with this number fails, or the first one with this name, such as `readdir sites`. Calls on
 * locks have no numbers.
 */
interface Failing {
  readonly folder: string;
  readonly call: number | string;
  /** `EIO` by default. */
  readonly code?: string;
}

const LOCK = /\.lock(?:\/|$)/;

let failing: Failing | undefined;
let calls = 0;
let failed: string | undefined;

/** Runs work while a call of the file system fails. Resolves to its result and to that call; undefined if it did not come. */
export async function withFailingCall<Value>(
  one: Failing,
  work: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly failed: string | undefined }> {
  failing = one;
  calls = 0;
  failed = undefined;
  try {
    const value = await work();
    return { value, failed };
  } finally {
    failing = undefined;
  }
}

function mayFail(name: string, path: unknown): void {
  if (failing === undefined || failed !== undefined || !String(path).startsWith(failing.folder)) return;
  const { folder, call, code = 'EIO' } = failing;
  const called = `${name} ${String(path).slice(folder.length + 1)}`;
  const isNumbered = !LOCK.test(called);
  if (isNumbered) calls += 1;
  if (typeof call === 'string' ? called !== call : !isNumbered || calls !== call) return;
  failed = called;
  throw Object.assign(new Error(`${code}: ${name}`), { code, path });
}

type Call = (...args: unknown[]) => Promise<unknown>;

const CALLS = ['copyFile', 'link', 'lstat', 'mkdir', 'readFile', 'readdir', 'rename', 'rm', 'rmdir', 'stat'];
const OF_HANDLES = ['read', 'write', 'stat', 'sync', 'datasync', 'truncate', 'chmod'];

/** `node:fs/promises`, for `vi.mock`. */
export function failingFiles(real: typeof Files): typeof Files {
  const all = real as unknown as Record<string, Call>;
  const replaced: Record<string, Call> = {};
  for (const name of [...CALLS, 'unlink', 'writeFile'])
    replaced[name] = async (path, ...rest) => {
      mayFail(name, path);
      return await all[name]?.(path, ...rest);
    };
  const open = async (...args: Parameters<typeof Files.open>) => {
    mayFail('open', args[0]);
    const handle = await real.open(...args);
    const methods = handle as unknown as Record<string, Call>;
    for (const name of OF_HANDLES) {
      const call = methods[name]?.bind(handle) as Call;
      methods[name] = async (...rest) => {
        mayFail(`${name} of`, args[0]);
        return await call(...rest);
      };
    }
    const close = handle.close.bind(handle);
    handle.close = async () => {
      await close();
      mayFail('close of', args[0]);
    };
    return handle;
  };
  return { ...real, ...replaced, open };
}

/** `node:fs`, for `vi.mock`. */
export function failingSyncFiles(real: typeof SyncFiles): typeof SyncFiles {
  const statSync = ((...args: Parameters<typeof real.statSync>) => {
    mayFail('statSync', args[0]);
    return real.statSync(...args);
  }) as typeof real.statSync;
  return { ...real, statSync };
}
