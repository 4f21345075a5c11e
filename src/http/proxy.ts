import { UsageError } from '../errors/index.ts';

export interface ProxySettings {
  readonly http?: string;
  readonly https?: string;
  readonly none?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy variables of an environment; lower case takes precedence, as in curl. Undefined if none is set. A value without a
 * scheme gets `http://`, as in curl. Throws UsageError for an invalid address, without quoting it, because it may contain a
 * password.
 */
export function proxySettings(env: Environment): ProxySettings | undefined {
  const http = proxyOf(env, 'http_proxy');
  const https = proxyOf(env, 'https_proxy');
  const none = env.no_proxy || env.NO_PROXY;
  if (http === undefined && https === undefined) return undefined;
  return { ...(http && { http }), ...(https && { https }), ...(none && { none }) };
}

/** The secrets in proxy addresses: each password, and each encoded user:password pair. */
export function proxySecrets({ http, https }: ProxySettings): string[] {
  return [http, https].flatMap(address => {
    if (address === undefined) return [];
    const { username, password } = new URL(address);
    if (password === '') return [];
    const plain = decodeURIComponent(password);
    return [password, plain, `${decodeURIComponent(username)}:${plain}`];
  });
}

function proxyOf(env: Environment, name: string): string | undefined {
  const given = [name, name.toUpperCase()].find(each => env[each]);
  const text = given === undefined ? undefined : env[given];
  if (given === undefined || text === undefined) return undefined;
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (isProxy(address)) return address;
  throw new UsageError(`${given} is not the address of an http or https proxy`, {
    code: 'invalid_value',
    reason: 'not_a_proxy',
  });
}

function isProxy(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password, hostname, search, hash } = new URL(address);
  if (!/^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(hostname) || search !== '' || hash !== '') return false;
  try {
    // The library decodes them too, and throws for an invalid escape.
    decodeURIComponent(username + password);
  } catch {
    return false;
  }
  return protocol === 'http:' || protocol === 'https:';
}
