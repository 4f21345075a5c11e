/** What to type so that Git Bash leaves the words of a command alone. */
export const AGAINST_MANGLING = 'put MSYS_NO_PATHCONV=1 in front of the command';

/** A word that Git Bash changed before gatectl got it. */
export interface Mangled {
  /** What was probably typed, with its slash; undefined where that can't be told. */
  readonly typed: string | undefined;
}

/**
 * Git Bash on Windows turns a word that begins with a slash into a path below its own folder: `/cdnservices/ping/` arrives
 * as `C:/Program Files/Git/cdnservices/ping/`. Undefined for a word that was not changed so.
 */
export function mangledByGitBash(text: string): Mangled | undefined {
  if (!/^[A-Za-z]:[\\/]/.test(text)) return undefined;
  const [, typed] = /^[A-Za-z]:[\\/](?:[^\\/]+[\\/])*?(?:Git|msys64|msys32)[\\/](.*)$/i.exec(text) ?? [];
  return { typed: typed === undefined ? undefined : `/${typed.replaceAll('\\', '/')}` };
}
