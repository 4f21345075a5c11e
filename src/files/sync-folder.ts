import { open } from 'node:fs/promises';

/** A rename or a removal survives a power cut only once its folder is on the disk; systems that can't do that say so, harmlessly. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {}
}
