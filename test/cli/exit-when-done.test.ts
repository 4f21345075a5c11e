import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const MODULE = fileURLToPath(new URL('../../src/cli/exit-when-done.ts', import.meta.url));

/** A process whose command is this promise. */
async function ended(code: string, more = ''): Promise<{ exit: number | undefined; stderr: string }> {
  const { transformWithEsbuild } = await import('vite');
  const { readFile } = await import('node:fs/promises');
  const { code: script } = await transformWithEsbuild(await readFile(MODULE, 'utf8'), MODULE);
  const program = `${script}; exitWhenDone(process, ${code}); ${more}`;
  return await new Promise(resolve => {
    const child = execFile(process.execPath, ['--input-type=module', '-e', program], (_, __, stderr) =>
      resolve({ exit: child.exitCode ?? undefined, stderr }),
    );
  });
}

test('a command that can never end is a bug, not a success', async () => {
  expect(await ended('new Promise(() => {})')).toEqual({
    exit: 1,
    stderr: 'error: gatectl itself failed: it stopped before the command was complete\n',
  });
});

test.each([0, 7])('a command that ends with %i exits with it', async code => {
  expect(await ended(`Promise.resolve(${code})`)).toEqual({ exit: code, stderr: '' });
});

test('it exits at once when nothing is left to do, before a late signal could change the exit code', async () => {
  const late = "process.on('beforeExit', () => process.kill(process.pid, 'SIGINT'));";
  expect(await ended('Promise.resolve(0)', late)).toEqual({ exit: 0, stderr: '' });
});
