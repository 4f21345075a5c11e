import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { BrokenPipeError } from '../errors/index.ts';
import type { OpenPager } from '../terminal/io.ts';

/** Starts a pager on the terminal of this process: see `Io.openPager`. */
export async function openPager(
  signals: Pick<NodeJS.Process, 'on' | 'off'>,
  [program, ...words]: readonly [string, ...string[]],
  env: Readonly<Record<string, string | undefined>>,
): Promise<OpenPager | undefined> {
  const child = spawn(program, words, { env: { ...env }, stdio: ['pipe', 'inherit', 'inherit'] });
  // The terminal sends Ctrl-C to both processes. The pager handles it, and gatectl must not exit before the pager.
  const ignored = () => {};
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()));
  const forward = () => child.kill('SIGTERM');
  const { stdin } = child;
  stdin.on('error', () => {});
  try {
    await once(child, 'spawn');
  } catch {
    return undefined;
  }
  signals.on('SIGINT', ignored);
  signals.on('SIGTERM', forward);
  return {
    ended,
    write: text =>
      new Promise((resolve, reject) => {
        stdin.write(text, error => (error ? reject(new BrokenPipeError()) : resolve()));
      }),
    async close() {
      stdin.end();
      await ended;
      signals.off('SIGINT', ignored);
      signals.off('SIGTERM', forward);
    },
  };
}
