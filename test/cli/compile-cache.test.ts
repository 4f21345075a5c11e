import { expect, test, vi } from 'vitest';
import { enableCompileCache } from '../../src/cli/compile-cache.ts';
import type { Io } from '../../src/terminal/io.ts';

function around(homedir: string | undefined, keeps?: (folder: string) => void): Io {
  const runtime = { node: '22.8.0', arch: 'x64', ...(keeps && { enableCompileCache: keeps }) };
  return { env: {}, platform: 'linux', homedir, runtime } as Io;
}

test('compiled code is stored in the cache folder of the user', () => {
  const keeps = vi.fn();
  enableCompileCache(around('/home/ana', keeps));
  expect(keeps.mock.calls).toEqual([['/home/ana/.cache/gatectl/compiled']]);
});

test('without a home folder nothing is cached, and a Node without a compile cache is not an error', () => {
  const keeps = vi.fn();
  enableCompileCache(around(undefined, keeps));
  expect(keeps).not.toHaveBeenCalled();
  expect(() => enableCompileCache(around('/home/ana'))).not.toThrow();
});
