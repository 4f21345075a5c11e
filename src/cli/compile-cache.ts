import { join } from 'node:path';
import { cacheFolder } from '../config/platform.ts';
import type { Io } from '../terminal/io.ts';

/** Lets Node keep the code that it compiles for the next start, where it can and the machine has a place for it. */
export function enableCompileCache(io: Io): void {
  const folder = cacheFolder(io);
  if (folder !== undefined) io.runtime.enableCompileCache?.(join(folder, 'compiled'));
}
