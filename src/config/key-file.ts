import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { fileError } from '../files/file-error.ts';

const SIZE_LIMIT = 64 * 1024;
/** How long a pipe may stay silent while somebody has it open, and how long nobody may have. */
const WRITER_LIMIT_MS = 10_000;
const OPENING_LIMIT_MS = 1000;
const STEP_MS = 10;

/** The beginning of a key file, its first line for certain, and a warning when every user of the machine can read it. Throws FileError. */
export async function readKeyFile(
  path: string,
  { platform, signal }: { readonly platform: NodeJS.Platform; readonly signal?: AbortSignal | undefined },
): Promise<{ text: string; warnings: string[] }> {
  let descriptor: number | undefined;
  try {
    // Otherwise opening a pipe waits for a writer, deaf to signals.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const isOpen = platform !== 'win32' && (fstatSync(descriptor).mode & 0o007) !== 0;
    const warning = `the key file ${path} is open to every user of this machine; make it yours alone with chmod 600`;
    return { text: await beginning(descriptor, signal), warnings: isOpen ? [warning] : [] };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw fileError(path, error, 'read');
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** A pipe hands out its text in pieces, and a device might never end. */
async function beginning(descriptor: number, signal: AbortSignal | undefined): Promise<string> {
  const bytes = Buffer.alloc(SIZE_LIMIT);
  let size = 0;
  const isPipe = fstatSync(descriptor).isFIFO();
  let waited = 0;
  while (size < SIZE_LIMIT && !bytes.subarray(0, size).includes(0x0a)) {
    const count = readNow(descriptor, bytes, size);
    size += count ?? 0;
    if (count !== undefined && count > 0) continue;
    // An empty pipe is at its end, or its writer has not opened it yet.
    const limit = count === undefined ? WRITER_LIMIT_MS : isPipe && size === 0 ? OPENING_LIMIT_MS : 0;
    if (waited >= limit) break;
    const { setTimeout: pause } = await import('node:timers/promises');
    await pause(STEP_MS, undefined, { ...(signal && { signal }) });
    waited += STEP_MS;
  }
  return bytes.toString('utf8', 0, size);
}

/** Bytes that are there now: 0 at the end, undefined where more may come. */
function readNow(descriptor: number, bytes: Buffer, at: number): number | undefined {
  try {
    return readSync(descriptor, bytes, at, SIZE_LIMIT - at, null);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}
