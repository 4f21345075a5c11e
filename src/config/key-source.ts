import { shellQuote } from '../text/shell-words.ts';

/** Where the API key of a profile is stored. A profile without one uses the environment. */
export type KeySource =
  /** In the profiles file. */
  | { readonly kind: 'config'; readonly apiKey: string }
  /** The first line of another file. */
  | { readonly kind: 'file'; readonly path: string }
  /** The output of a helper program, which runs without a shell. */
  | { readonly kind: 'command'; readonly argv: readonly [string, ...string[]] }
  /** An entry of the operating system's keyring. */
  | { readonly kind: 'keyring'; readonly account: string };

/** Describes a key source for messages, without the key. */
export function describeKeySource(source: KeySource): string {
  switch (source.kind) {
    case 'config':
      return 'stored in the profile';
    case 'file':
      return `file ${source.path}`;
    case 'command':
      return `command ${source.argv.map(shellQuote).join(' ')}`;
    case 'keyring':
      return `keyring entry ${source.account}`;
  }
}

/** The JSON form in the profiles file. */
export function keySourceToJson(source: KeySource): Record<string, unknown> {
  return source.kind === 'config' ? { kind: 'config', 'api-key': source.apiKey } : { ...source };
}

/** Reads the JSON form; returns a string if it is invalid. */
export function keySourceFromJson(json: unknown): KeySource | string {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return 'key must be an object';
  const entry = json as Record<string, unknown>;
  const { kind, path, argv, account } = entry;
  const apiKey = entry['api-key'];
  switch (kind) {
    case 'config':
      return isFilled(apiKey) ? { kind, apiKey } : 'key.api-key must be a string';
    case 'file':
      return isFilled(path) ? { kind, path } : 'key.path must be a string';
    case 'command': {
      const words = Array.isArray(argv) && argv.every(word => typeof word === 'string') ? argv : [];
      const [program, ...rest] = words;
      return program ? { kind, argv: [program, ...rest] } : 'key.argv must be a list of strings';
    }
    case 'keyring':
      return isFilled(account) ? { kind, account } : 'key.account must be a string';
    default:
      return 'key.kind must be config, file, command or keyring';
  }
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
