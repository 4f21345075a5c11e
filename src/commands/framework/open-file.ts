import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { type Io, isInteractive } from '../../terminal/io.ts';

/** How a file is opened, or why it cannot be. */
type Opener = { readonly words: readonly [string, ...string[]] } | { readonly reason: string };

/** The program that opens a file as a click on it would; only for a person who sees the result. */
export function openerOf(io: Pick<Io, 'stdin' | 'stderr' | 'env' | 'platform'>): Opener {
  const { env, platform } = io;
  if (!isInteractive(io)) return { reason: 'there is no terminal' };
  if (platform === 'darwin') return { words: ['open'] };
  if (platform === 'win32') return { words: ['explorer.exe'] };
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY) return { reason: 'there is no display' };
  return { words: ['xdg-open'] };
}

/** Opens a file without waiting for what shows it. Returns why it was not opened; undefined if it was. */
export async function openFile(path: string, io: Io): Promise<string | undefined> {
  const opener = openerOf(io);
  if ('reason' in opener) return opener.reason;
  const [program, ...args] = opener.words;
  const child = spawn(program, [...args, resolve(io.cwd, path)], {
    env: { ...io.env },
    cwd: io.cwd,
    stdio: 'ignore',
    detached: true,
  });
  try {
    await once(child, 'spawn');
  } catch {
    return `${program} cannot be started`;
  }
  child.unref();
  return undefined;
}
