import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { fileError } from '../files/file-error.ts';

const SIZE_LIMIT = 64 * 1024;

/** The beginning of a key file, its first line for certain, and a warning when every user of the machine can read it. Throws FileError. */
export function readKeyFile(path: string, platform: NodeJS.Platform): { text: string; warnings: string[] } {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    const isOpen = platform !== 'win32' && (fstatSync(descriptor).mode & 0o007) !== 0;
    const warning = `the key file ${path} is open to every user of this machine; make it yours alone with chmod 600`;
    return { text: beginning(descriptor), warnings: isOpen ? [warning] : [] };
  } catch (error) {
    throw fileError(path, error, 'read');
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** A pipe hands out its text in pieces, and a device might never end. */
function beginning(descriptor: number): string {
  const bytes = Buffer.alloc(SIZE_LIMIT);
  let size = 0;
  while (size < SIZE_LIMIT && !bytes.subarray(0, size).includes(0x0a)) {
    const count = readSync(descriptor, bytes, size, SIZE_LIMIT - size, null);
    if (count === 0) break;
    size += count;
  }
  return bytes.toString('utf8', 0, size);
}
