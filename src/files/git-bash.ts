/** The hint for a path that Git Bash converted. */
export const PATH_CONVERSION_HINT = 'put MSYS_NO_PATHCONV=1 in front of the command';

/** The problem with an argument that Git Bash converted to a Windows path. */
export const PATH_CONVERTED = 'was converted to a Windows path by Git Bash';

/** An argument that Git Bash converted to a Windows path. */
interface ConvertedPath {
  /** The path that was probably typed; undefined where that is unknown. */
  readonly typed: string | undefined;
}

/**
 * Git Bash on Windows converts an argument that starts with a slash to a path in its own folder: `/cdnservices/ping/` becomes
 * `C:/Program Files/Git/cdnservices/ping/`. Undefined for an argument that was not converted.
 */
export function convertedByGitBash(text: string): ConvertedPath | undefined {
  if (!/^[A-Za-z]:[\\/]/.test(text)) return undefined;
  const [, typed] = /^[A-Za-z]:[\\/](?:[^\\/]+[\\/])*?(?:Git|msys64|msys32)[\\/](.*)$/i.exec(text) ?? [];
  return { typed: typed === undefined ? undefined : `/${typed.replaceAll('\\', '/')}` };
}
