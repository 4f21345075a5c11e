import { posix, win32 } from 'node:path';
import { type Surroundings, variable } from './surroundings.ts';

/**
 * Where what can be asked for again is kept: `cache` in `GATECTL_CONFIG_DIR`, else `gatectl` below `XDG_CACHE_HOME`,
 * `%LOCALAPPDATA%` (Windows) or `~/.cache`. Undefined where none of these is known.
 */
export function cacheFolder({
  env,
  platform,
  homedir,
}: Pick<Surroundings, 'env' | 'platform' | 'homedir'>): string | undefined {
  const path = platform === 'win32' ? win32 : posix;
  const own = variable(env, 'GATECTL_CONFIG_DIR');
  if (own !== undefined) return path.resolve(own, 'cache');
  const xdg = variable(env, 'XDG_CACHE_HOME');
  if (xdg !== undefined && path.isAbsolute(xdg)) return path.join(xdg, 'gatectl');
  const local = platform === 'win32' ? variable(env, 'LOCALAPPDATA') : undefined;
  if (local !== undefined) return path.join(local, 'gatectl', 'cache');
  return homedir ? path.join(homedir, '.cache', 'gatectl') : undefined;
}
