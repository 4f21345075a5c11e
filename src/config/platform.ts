import { posix, win32 } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment in which gatectl finds its files. */
export interface Platform {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** Undefined if the user has none, as in some cron jobs and containers. */
  readonly homedir: string | undefined;
  /** The working directory, to store relative paths as absolute ones. */
  readonly cwd: string;
}

/** The value of an environment variable; undefined if it is not set or empty. */
export function environmentVariable(env: Environment, name: string): string | undefined {
  return env[name] || undefined;
}

/** Names of variables that may hold keys or tokens. */
const SECRET_VARIABLE = /^GATECTL_.*(?:KEY|TOKEN)/i;

/** The environment for a program that gatectl starts and that needs no secrets of gatectl: pager, editor, command of `--on-drift`. */
export function withoutSecrets(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET_VARIABLE.test(name)));
}

/** The kinds of files that gatectl stores, and the base folders for each. */
const FOLDERS = {
  config: { xdg: 'XDG_CONFIG_HOME', windows: 'APPDATA', home: ['.config'] },
  cache: { xdg: 'XDG_CACHE_HOME', windows: 'LOCALAPPDATA', home: ['.cache'] },
  state: { xdg: 'XDG_STATE_HOME', windows: 'LOCALAPPDATA', home: ['.local', 'state'] },
} as const;

type Home = Pick<Platform, 'env' | 'platform' | 'homedir'>;

/**
 * The folder for one kind of files: in `GATECTL_CONFIG_DIR` if set, else `gatectl` in the XDG folder, `%APPDATA%` or
 * `%LOCALAPPDATA%` (Windows), or the home folder. Undefined if none of these is known.
 */
function ownFolder(kind: keyof typeof FOLDERS, { env, platform, homedir }: Home): string | undefined {
  const path = platform === 'win32' ? win32 : posix;
  const { xdg, windows, home } = FOLDERS[kind];
  const within = kind === 'config' ? [] : [kind];
  const chosen = environmentVariable(env, 'GATECTL_CONFIG_DIR');
  if (chosen !== undefined) return path.resolve(chosen, ...within);
  const standard = environmentVariable(env, xdg);
  if (standard !== undefined && path.isAbsolute(standard)) return path.join(standard, 'gatectl');
  const appData = platform === 'win32' ? environmentVariable(env, windows) : undefined;
  if (appData !== undefined) return path.join(appData, 'gatectl', ...within);
  // A relative one would be another folder in each working directory.
  return homedir && path.isAbsolute(homedir) ? path.join(homedir, ...home, 'gatectl') : undefined;
}

/** The path of a file of the configuration, by default that of the profiles; undefined if there is no folder for it. */
export function configPath(
  home: Home,
  file: 'config.json' | 'trust.json' = 'config.json',
): string | undefined {
  const folder = ownFolder('config', home);
  const path = home.platform === 'win32' ? win32 : posix;
  return folder === undefined ? undefined : path.join(folder, file);
}

/** The folder for data that can be fetched again. */
export function cacheFolder(home: Home): string | undefined {
  return ownFolder('cache', home);
}

/** The folder for data that must survive a crash. */
export function stateFolder(home: Home): string | undefined {
  return ownFolder('state', home);
}
