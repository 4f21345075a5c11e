import { posix, win32 } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the profile code may know about the machine it runs on. */
export interface Platform {
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

/** What gatectl keeps on a machine, and where each kind belongs. */
const FOLDERS = {
  config: { xdg: 'XDG_CONFIG_HOME', windows: 'APPDATA', home: ['.config'] },
  cache: { xdg: 'XDG_CACHE_HOME', windows: 'LOCALAPPDATA', home: ['.cache'] },
  state: { xdg: 'XDG_STATE_HOME', windows: 'LOCALAPPDATA', home: ['.local', 'state'] },
} as const;

type Home = Pick<Platform, 'env' | 'platform' | 'homedir'>;

/**
 * A folder of gatectl's own: below `GATECTL_CONFIG_DIR`, else `gatectl` below the XDG folder, `%APPDATA%` or
 * `%LOCALAPPDATA%` (Windows), or the usual place in the home. Undefined where none of these is known.
 */
function ownFolder(kind: keyof typeof FOLDERS, { env, platform, homedir }: Home): string | undefined {
  const path = platform === 'win32' ? win32 : posix;
  const { xdg, windows, home } = FOLDERS[kind];
  const within = kind === 'config' ? [] : [kind];
  const chosen = variable(env, 'GATECTL_CONFIG_DIR');
  if (chosen !== undefined) return path.resolve(chosen, ...within);
  const standard = variable(env, xdg);
  if (standard !== undefined && path.isAbsolute(standard)) return path.join(standard, 'gatectl');
  const appData = platform === 'win32' ? variable(env, windows) : undefined;
  if (appData !== undefined) return path.join(appData, 'gatectl', ...within);
  // A relative one would be another folder in each working directory.
  return homedir && path.isAbsolute(homedir) ? path.join(homedir, ...home, 'gatectl') : undefined;
}

/** The profiles file, `config.json`. Undefined where the machine has no place for it. */
export function configPath(around: Home): string | undefined {
  const folder = ownFolder('config', around);
  const path = around.platform === 'win32' ? win32 : posix;
  return folder === undefined ? undefined : path.join(folder, 'config.json');
}

/** Where what can be asked for again is kept. */
export function cacheFolder(around: Home): string | undefined {
  return ownFolder('cache', around);
}

/** Where what must outlive a crash is kept. */
export function stateFolder(around: Home): string | undefined {
  return ownFolder('state', around);
}
