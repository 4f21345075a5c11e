import { posix, win32 } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the profile code may know about the machine it runs on. */
export interface Surroundings {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** Undefined where the user has none, as in some cron jobs and containers. */
  readonly homedir: string | undefined;
  /** The working directory: relative paths that become settings are stored absolute. */
  readonly cwd: string;
}

/** An environment variable's value; an empty one counts as not set. */
export function variable(env: Environment, name: string): string | undefined {
  return env[name] || undefined;
}

/**
 * The profiles file: `config.json` in `GATECTL_CONFIG_DIR`, else in `gatectl` below `XDG_CONFIG_HOME`, `%APPDATA%` (Windows)
 * or `~/.config`. Undefined where none of these is known.
 */
export function configPath({
  env,
  platform,
  homedir,
}: Pick<Surroundings, 'env' | 'platform' | 'homedir'>): string | undefined {
  const path = platform === 'win32' ? win32 : posix;
  const own = variable(env, 'GATECTL_CONFIG_DIR');
  if (own !== undefined) return path.resolve(own, 'config.json');
  const xdg = variable(env, 'XDG_CONFIG_HOME');
  if (xdg !== undefined && path.isAbsolute(xdg)) return path.join(xdg, 'gatectl', 'config.json');
  const roaming = platform === 'win32' ? variable(env, 'APPDATA') : undefined;
  if (roaming !== undefined) return path.join(roaming, 'gatectl', 'config.json');
  return homedir ? path.join(homedir, '.config', 'gatectl', 'config.json') : undefined;
}

/**
 * The folder for what must outlive a crash: `state` in `GATECTL_CONFIG_DIR`, else `gatectl` below `XDG_STATE_HOME`,
 * `%LOCALAPPDATA%` (Windows) or `~/.local/state`. Undefined where none of these is known.
 */
export function statePath({
  env,
  platform,
  homedir,
}: Pick<Surroundings, 'env' | 'platform' | 'homedir'>): string | undefined {
  const path = platform === 'win32' ? win32 : posix;
  const own = variable(env, 'GATECTL_CONFIG_DIR');
  if (own !== undefined) return path.resolve(own, 'state');
  const xdg = variable(env, 'XDG_STATE_HOME');
  if (xdg !== undefined && path.isAbsolute(xdg)) return path.join(xdg, 'gatectl');
  const local = platform === 'win32' ? variable(env, 'LOCALAPPDATA') : undefined;
  if (local !== undefined) return path.join(local, 'gatectl', 'state');
  return homedir ? path.join(homedir, '.local', 'state', 'gatectl') : undefined;
}
