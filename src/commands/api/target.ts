import { UsageError } from '../../errors/index.ts';
import { convertedByGitBash } from '../../files/git-bash.ts';
import { API_KEY_PARAMETER } from '../../wire/key.ts';

/** Where a raw call goes: a path below the base URL and its query. */
export interface Target {
  /** Begins with a slash. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
}

/**
 * Reads the PATH of a raw call: with or without its first slash, or as a whole URL below the base URL. Throws UsageError
 * for one that lies elsewhere, since the key belongs to the base URL alone.
 */
export function targetFrom(text: string, baseUrl: string): Target {
  const mangled = convertedByGitBash(text);
  if (mangled !== undefined) {
    const { typed } = mangled;
    const path = typed === undefined ? 'cdnservices/ping/' : typed.slice(1);
    throw new UsageError(`Git Bash turned the path into ${text}`, {
      hints: [`leave out the first slash: ${path}`],
    });
  }
  const url = new URL('http://path.invalid');
  const [, path = '', query = ''] = /^([^?#]*)(?:\?([^#]*))?/s.exec(belowBase(text, baseUrl)) ?? [];
  url.pathname = path;
  url.search = query;
  return { path: url.pathname, query: withoutKey([...url.searchParams]) };
}

/** Refuses the key's own parameter: a key on the command line can be seen by others. */
export function withoutKey<Pair extends readonly [string, unknown]>(pairs: readonly Pair[]): readonly Pair[] {
  if (!pairs.some(([name]) => name.toLowerCase() === API_KEY_PARAMETER.toLowerCase())) return pairs;
  throw new UsageError(`${API_KEY_PARAMETER} is not given on the command line, where others can see it`, {
    code: 'key_on_command_line',
    hints: ['leave it out: gatectl puts the key where the API of this path wants it'],
  });
}

function belowBase(text: string, baseUrl: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text.startsWith('/') ? text : `/${text}`;
  const isBelow = text === baseUrl || ['/', '?'].some(next => text.startsWith(baseUrl + next));
  if (isBelow) return text.slice(baseUrl.length) || '/';
  throw new UsageError(`the URL is not below the base URL ${baseUrl}, to which the key belongs`, {
    code: 'invalid_value',
    hints: ['type the path alone, such as /cdnservices/ping/, or another --profile or --base-url'],
  });
}
