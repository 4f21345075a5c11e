import { writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/** Writes all bytes, however the system portions them: at a position, or where the file stands (null). Resolves to their number. */
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

/** Writes a few bytes at once where the file stands: handing them to another thread would take longer than writing them. */
export function writeNow(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
}
