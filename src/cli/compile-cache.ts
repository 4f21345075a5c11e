import { join } from 'node:path';
import { cacheFolder } from '../config/platform.ts';
import type { Io } from '../terminal/io.ts';

/** Stores compiled code for the next start, where the machine has a place for it. */
export function enableCompileCache(io: Io): void {
  const folder = cacheFolder(io);
  if (folder !== undefined) io.runtime.enableCompileCache?.(join(folder, 'compiled'));
}
