import { closeSync, constants, fstatSync, openSync, readSync } from '../files/disk.ts';
import { fileError } from '../files/file-error.ts';

const SIZE_LIMIT = 64 * 1024;
/** How long to wait for data on a pipe, and for a writer to open it. */
const WRITER_LIMIT_MS = 10_000;
const OPENING_LIMIT_MS = 1000;
const STEP_MS = 10;

/** Reads a key file up to the end of its first line; warns if other users can read it. Throws FileError. */
export async function readKeyFile(
  path: string,
  { platform, signal }: { readonly platform: NodeJS.Platform; readonly signal?: AbortSignal | undefined },
): Promise<{ text: string; warnings: string[] }> {
  let descriptor: number | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe blocks until it has a writer, and signals are not handled meanwhile.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const isOpen = platform !== 'win32' && (fstatSync(descriptor).mode & 0o007) !== 0;
    const warning = `other users can read the key file ${path}; restrict it with chmod 600`;
    return { text: await readStart(descriptor, signal), warnings: isOpen ? [warning] : [] };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw fileError(path, error, 'read');
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Reads until the end of the first line: a pipe delivers data in parts, and a device may never end. */
async function readStart(descriptor: number, signal: AbortSignal | undefined): Promise<string> {
  const bytes = Buffer.alloc(SIZE_LIMIT);
  let size = 0;
  const isPipe = fstatSync(descriptor).isFIFO();
  let waited = 0;
  while (size < SIZE_LIMIT && !bytes.subarray(0, size).includes(0x0a)) {
    const count = readAvailable(descriptor, bytes, size);
    size += count ?? 0;
    if (count !== undefined && count > 0) continue;
    // A pipe without data has ended, or its writer has not opened it yet.
    const limit = count === undefined ? WRITER_LIMIT_MS : isPipe && size === 0 ? OPENING_LIMIT_MS : 0;
    if (waited >= limit) break;
    const { setTimeout: pause } = await import('node:timers/promises');
    await pause(STEP_MS, undefined, { ...(signal && { signal }) });
    waited += STEP_MS;
  }
  return bytes.toString('utf8', 0, size);
}

/** The number of bytes read; 0 at the end, undefined if none are available yet. */
function readAvailable(descriptor: number, bytes: Buffer, at: number): number | undefined {
  try {
    return readSync(descriptor, bytes, at, SIZE_LIMIT - at, null);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}
