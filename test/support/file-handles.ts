import { readdirSync, readlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { onTestFinished, vi } from 'vitest';

type Handle = Awaited<ReturnType<typeof open>>;

/** Replaces a method of all open files until the test ends. */
export async function onFiles<Name extends 'read' | 'sync'>(name: Name) {
  const some = await open(process.execPath);
  const prototype = Object.getPrototypeOf(some) as Handle;
  await some.close();
  const spy = vi.spyOn(prototype, name);
  onTestFinished(() => spy.mockRestore());
  return spy;
}

/** Until the test ends, no file returns more than `most` bytes at once. */
export async function readShortly(most: number): Promise<void> {
  const some = await open(process.execPath);
  const { read } = some;
  await some.close();
  const shortly = async function (this: Handle, ...[bytes, offset, length, position]: number[]) {
    return await Reflect.apply(read, this, [bytes, offset, Math.min(length ?? 0, most), position]);
  };
  (await onFiles('read')).mockImplementation(shortly as never);
}

/** Whether `openFiles` can tell. */
export const tellsOpenFiles = process.platform === 'linux';

/** The descriptors of this process for files in a folder, by their names. */
export function openFiles(folder: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const descriptor of readdirSync('/proc/self/fd')) {
    const path = targetOf(`/proc/self/fd/${descriptor}`);
    if (path?.startsWith(`${folder}/`)) found.set(path.slice(folder.length + 1), Number(descriptor));
  }
  return found;
}

/** The descriptor that lists the others is closed by now. */
function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

/** An error of the system, as its calls throw it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: as the test says`), { code });
}
