import { type FileHandle, open, writeSync } from './disk.ts';
import { fileError, systemCode } from './file-error.ts';

/** Writes all bytes, in as many writes as the system needs, at a position or (null) at the current one. Resolves to their number. */
export async function writeAll(
  handle: FileHandle,
  chunk: string | Uint8Array,
  position: number | null,
): Promise<number> {
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  let done = 0;
  while (done < bytes.length) {
    const at = position === null ? null : position + done;
    done += (await handle.write(bytes, done, bytes.length - done, at)).bytesWritten;
  }
  return done;
}

/** Writes a few bytes at the current position, synchronously: an asynchronous write takes longer than the write itself. */
export function writeAllSync(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
}

const NEWLINE = 0x0a;

/**
 * Appends lines to a file, which is created with `mode`; if `isDurable`, waits until they are on the disk. A line that a kill or a full
 * disk has cut is ended first. Throws FileError.
 */
export async function appendText(
  path: string,
  text: string,
  { isDurable = true, mode }: { readonly isDurable?: boolean; readonly mode?: number } = {},
): Promise<void> {
  try {
    const file = await open(path, 'a+', mode);
    try {
      const { size } = await file.stat();
      const { buffer } = await file.read({ buffer: Buffer.alloc(1), position: Math.max(0, size - 1) });
      const isCut = size > 0 && buffer[0] !== NEWLINE;
      await writeAll(file, isCut ? `\n${text}` : text, null);
      if (isDurable) await file.datasync();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw fileError(path, error, 'write');
  }
}

/** What systems report where a folder cannot be opened or flushed at all: Windows, some network file systems, and without read permission. */
const CANNOT_FLUSH: ReadonlySet<string | undefined> = new Set([
  ...['EACCES', 'EBADF', 'EINVAL', 'EISDIR', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM'],
]);

/**
 * Flushes a folder's entries to the disk: until then a power cut can undo a rename or a removal. Does nothing on systems that
 * cannot flush folders. Throws FileError.
 */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!CANNOT_FLUSH.has(systemCode(error))) throw fileError(folder, error, 'write');
  }
}
